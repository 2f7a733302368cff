// Degrees that count events: a neighbor counts as often as there are events with it in the window.
#pragma once

#include <cstdint>
#include <vector>

#include "core/adjacency.hpp"
#include "core/graph.hpp"
#include "core/keys.hpp"
#include "temporal/window_graph.hpp"

namespace egonet {

// What a degree is: the number of neighbors, or the number of events with them.
enum class Counted { edges, events };

// The largest degree that any node of the graph has had.
inline std::int64_t largest_of(const WindowArcs& graph, Counted counted) {
    return counted == Counted::events ? graph.most_events() : graph.largest_degree();
}

// One breadth-first search a root, and one scan of every node found. Any degrees, either way of following.
template <class Tally>
class EventSearch {
public:
    EventSearch(const WindowArcs& graph, const Settings& settings, const KeyCodec& codec, Tally& tally)
        : graph_(graph), settings_(settings), codec_(codec), tally_(tally), distance_(graph.num_nodes(), -1) {}

    void operator()(std::int32_t root) {
        queue_.assign(1, root);
        distance_[root] = 0;
        // Before each step the nodes before queue_[i] have been expanded; distances never fall along the queue.
        for (std::size_t i = 0; i < queue_.size() && distance_[queue_[i]] < settings_.radius; ++i) expand(queue_[i]);
        for (const std::int32_t v : queue_) tally(v);
        for (const std::int32_t v : queue_) distance_[v] = -1;
    }

private:
    // Events with nodes that are nearer to the root, as far, and farther, the last being all others.
    struct Sums {
        std::int64_t closer = 0, same = 0, farther = 0;
        std::int64_t all() const { return closer + same + farther; }
    };

    void expand(std::int32_t v) {
        const bool has_ways = settings_.degrees == Degrees::in_out;
        if (!has_ways || settings_.follow != Follow::in) discover(graph_.rows(), v);
        if (has_ways && settings_.follow != Follow::out) discover(*graph_.others(), v);
    }

    void discover(const Adjacency& lists, std::int32_t v) {
        const Row row = lists.rows[v];
        for (std::int32_t k = 0; k < row.degree; ++k) {
            const std::int32_t w = lists.indices[row.begin + k];
            if (distance_[w] >= 0) continue;
            distance_[w] = distance_[v] + 1;
            queue_.push_back(w);
        }
    }

    // Events of v inside the ego-network; radius 0 keeps those of the root by definition.
    Sums sum(const Adjacency& lists, const std::int32_t* counts, std::int32_t v) const {
        const Row row = lists.rows[v];
        const std::int64_t here = distance_[v];
        const bool is_last = here == settings_.radius;
        Sums sums;
        for (std::int32_t k = 0; k < row.degree; ++k) {
            const std::int64_t there = distance_[lists.indices[row.begin + k]];
            const std::int64_t count = counts[row.begin + k];
            if (there < 0) sums.farther += settings_.radius == 0 ? count : 0;
            else if (there < here) sums.closer += count;
            else if (there > here) sums.farther += count;
            else if (!is_last || settings_.frontier_edges) sums.same += count;
        }
        return sums;
    }

    void tally(std::int32_t v) {
        const Sums out = sum(graph_.rows(), graph_.row_counts(), v);
        const std::int64_t here = distance_[v];
        if (settings_.degrees == Degrees::total) tally_.add(codec_.code(here, v, out.all()));
        else if (settings_.degrees == Degrees::layered) tally_.add(codec_.code(here, v, out.same, out.farther));
        else if (settings_.degrees == Degrees::full)
            tally_.add(codec_.code(here, v, out.closer, out.same, out.farther));
        else tally_.add(codec_.code(here, v, sum(*graph_.others(), graph_.other_counts(), v).all(), out.all()));
    }

    const WindowArcs& graph_;
    const Settings& settings_;
    const KeyCodec& codec_;
    Tally& tally_;
    std::vector<std::int64_t> distance_;  // from the root; -1: not in the ego-network
    std::vector<std::int32_t> queue_;     // the ego-network in order of discovery
};

}  // namespace egonet
