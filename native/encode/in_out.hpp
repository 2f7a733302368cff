// In- and out-degrees inside the ego-network: one breadth-first search a root, along arcs either way or one way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/adjacency.hpp"
#include "core/graph.hpp"
#include "core/keys.hpp"
#include "core/searched_rows.hpp"
#include "encode/source.hpp"

namespace egonet {

// The arcs of a graph from both ends: row v of `out` lists the targets of its arcs, row v of `in` the sources.
struct Arcs {
    const Adjacency &out, &in;
};

// The same arcs, listed by their other end; rows increase.
struct Reversed {
    explicit Reversed(const Graph& graph)
        : indptr(graph.num_nodes + 1), indices(graph.num_arcs()), graph_{nullptr, nullptr, graph.num_nodes} {
        for (std::int64_t arc = 0; arc < graph.num_arcs(); ++arc) ++indptr[graph.indices[arc] + 1];
        for (std::int64_t v = 0; v < graph.num_nodes; ++v) indptr[v + 1] += indptr[v];
        std::vector<std::int64_t> next(indptr.begin(), indptr.end() - 1);
        for (std::int64_t v = 0; v < graph.num_nodes; ++v)
            for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1]; ++arc)
                indices[next[graph.indices[arc]]++] = static_cast<std::int32_t>(v);
        graph_.indptr = indptr.data();
        graph_.indices = indices.data();
    }
    Reversed(const Reversed&) = delete;

    const Graph& graph() const { return graph_; }

private:
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> indices;
    Graph graph_;
};

template <class Tally>
class InOutSearch {
public:
    InOutSearch(const Arcs& arcs, const Settings& settings, const KeyCodec& codec, Tally& tally)
        : arcs_(arcs),
          settings_(settings),
          codec_(codec),
          tally_(tally),
          visited_(arcs.out.num_nodes),
          nearer_(arcs.out.num_nodes) {}

    void operator()(std::int32_t root) {
        queue_.assign(1, root);
        visited_.insert(root);
        std::size_t begin = 0, last = 0;
        ends_.clear();
        // Before each step queue_[begin ...] is the ring at `distance`; nodes before it are nearer.
        for (std::int64_t distance = 0; distance < settings_.radius && begin < queue_.size(); ++distance) {
            const std::size_t end = queue_.size();
            ends_.push_back(end);
            for (std::size_t i = begin; i < end; ++i) discover(queue_[i]);
            last = begin = end;
        }
        ends_.push_back(queue_.size());
        const bool full = static_cast<std::int64_t>(ends_.size()) == settings_.radius + 1;
        if (!full) last = queue_.size();  // the search ended before the radius: no node is on the last ring
        for (std::size_t i = 0; i < last; ++i) nearer_.insert(queue_[i]);
        count(last);
        for (std::int32_t v : queue_) {
            visited_.drop_word(v);
            nearer_.drop_word(v);
        }
    }

private:
    void discover(std::int32_t v) {
        if (settings_.follow != Follow::in) discover_in(arcs_.out, v);
        if (settings_.follow != Follow::out) discover_in(arcs_.in, v);
    }

    void discover_in(const Adjacency& lists, std::int32_t v) {
        const Row row = lists.rows[v];
        for (std::int32_t k = 0; k < row.degree; ++k) {
            const std::int32_t w = lists.indices[row.begin + k];
            if (visited_.has(w)) continue;
            visited_.insert(w);
            queue_.push_back(w);
        }
    }

    // Tallies every node of the ego-network; those from `last` on are on the last ring.
    void count(std::size_t last) {
        std::size_t i = 0;
        for (std::size_t distance = 0; distance < ends_.size(); ++distance)
            for (; i < ends_[distance]; ++i) {
                const std::int32_t v = queue_[i];
                // Followed either way, a node nearer than the radius has all its arcs inside, and radius 0 keeps them.
                const bool all = settings_.radius == 0 || (settings_.follow == Follow::any && i < last);
                const NodeSet& inside = i >= last && !settings_.frontier_edges ? nearer_ : visited_;
                const std::int32_t in = all ? arcs_.in.rows[v].degree : ends_inside(arcs_.in, v, inside);
                const std::int32_t out = all ? arcs_.out.rows[v].degree : ends_inside(arcs_.out, v, inside);
                tally_.add(codec_.code(static_cast<std::int64_t>(distance), v, in, out));
            }
    }

    static std::int32_t ends_inside(const Adjacency& lists, std::int32_t v, const NodeSet& inside) {
        const Row row = lists.rows[v];
        std::int32_t found = 0;
        for (std::int32_t k = 0; k < row.degree; ++k) found += inside.has(lists.indices[row.begin + k]);
        return found;
    }

    const Arcs arcs_;
    const Settings& settings_;
    const KeyCodec& codec_;
    Tally& tally_;
    NodeSet visited_, nearer_;         // the ego-network, and it without the last ring
    std::vector<std::int32_t> queue_;  // the ego-network in order of discovery
    std::vector<std::size_t> ends_;    // where each ring ends in it
};

// `graph` lists the targets of arcs, or their sources if `by_target`.
Result encode_in_out(Job& job, const Graph& graph, bool by_target, const Settings& settings, const Roots& roots);

}  // namespace egonet
