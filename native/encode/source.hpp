// Any radius, any graph: one breadth-first search a root.
#pragma once

#include <cstdint>
#include <vector>

#include "core/adjacency.hpp"
#include "core/graph.hpp"
#include "core/keys.hpp"
#include "core/searched_rows.hpp"

namespace egonet {

// A set of nodes as bits; the caller that fills it clears it.
class NodeSet {
public:
    explicit NodeSet(std::int64_t num_nodes) : words_(num_nodes / 64 + 1) {}
    bool has(std::int32_t v) const { return words_[v >> 6] >> (v & 63) & 1; }
    void insert(std::int32_t v) { words_[v >> 6] |= std::uint64_t{1} << (v & 63); }
    // Drops v and up to 63 others: for emptying the set node by node.
    void drop_word(std::int32_t v) { words_[v >> 6] = 0; }

private:
    std::vector<std::uint64_t> words_;
};

// Total degrees. A node nearer than the radius has all its neighbors inside the ego-network, so its degree is
// its degree in the graph; only the last ring, at distance == radius, is counted edge by edge.
template <class Tally>
class TotalSearch {
public:
    TotalSearch(const Adjacency& adjacency, const Settings& settings, const KeyCodec& codec, Tally& tally)
        : adjacency_(adjacency),
          settings_(settings),
          codec_(codec),
          tally_(tally),
          visited_(adjacency.num_nodes),
          ring_(adjacency.num_nodes),
          inside_(adjacency.num_nodes) {}

    void operator()(std::int32_t root) {
        queue_.clear();
        visit(root);
        tally_.add(codec_.code(0, root, adjacency_.rows[root].degree));
        std::size_t begin = 0;
        // Before each step queue_[begin ...] is the ring at distance - 1, and everything nearer has been tallied.
        for (std::int64_t distance = 1; distance < settings_.radius && begin < queue_.size(); ++distance)
            begin = expand(begin, distance);
        if (settings_.radius > 0 && begin < queue_.size()) count_last_ring(begin);
        for (std::int32_t v : queue_) visited_.drop_word(v);
    }

private:
    void visit(std::int32_t v) {
        visited_.insert(v);
        queue_.push_back(v);
    }

    // Appends the ring at `distance` to the queue and tallies it; returns where it begins.
    std::size_t expand(std::size_t begin, std::int64_t distance) {
        const Row* rows = adjacency_.rows.get();
        const std::size_t end = queue_.size();
        for (std::size_t i = begin; i < end; ++i) {
            if (i + 4 < end) __builtin_prefetch(adjacency_.indices + rows[queue_[i + 4]].begin);
            const Row row = rows[queue_[i]];
            const std::int32_t* neighbors = adjacency_.indices + row.begin;
            for (std::int32_t k = 0; k < row.degree; ++k) {
                const std::int32_t w = neighbors[k];
                if (visited_.has(w)) continue;
                visit(w);
                tally_.add(codec_.code(distance, w, rows[w].degree));
            }
        }
        return end;
    }

    void count_last_ring(std::size_t begin) {
        const std::size_t end = queue_.size();
        if (adjacency_.split || (settings_.symmetric && !settings_.frontier_edges)) {
            discover_counting(begin, end);
            if (settings_.frontier_edges) count_ring_edges(end);
        } else {
            discover(begin, end);
            count_all_neighbors(end);
        }
        for (std::size_t i = end; i < queue_.size(); ++i) {
            tally_.add(codec_.code(settings_.radius, queue_[i], inside_[queue_[i]]));
            ring_.drop_word(queue_[i]);
        }
    }

    // Appends the last ring; afterwards inside_ of each of its nodes is its number of arcs from the ring before.
    void discover_counting(std::size_t begin, std::size_t end) {
        const Row* rows = adjacency_.rows.get();
        for (std::size_t i = begin; i < end; ++i) {
            if (i + 4 < end) __builtin_prefetch(adjacency_.indices + rows[queue_[i + 4]].begin);
            const Row row = rows[queue_[i]];
            const std::int32_t* neighbors = adjacency_.indices + row.begin;
            for (std::int32_t k = 0; k < row.degree; ++k) {
                const std::int32_t w = neighbors[k];
                if (!visited_.has(w)) {
                    visit(w);
                    ring_.insert(w);
                    inside_[w] = 1;
                } else if (ring_.has(w)) {
                    ++inside_[w];
                }
            }
        }
    }

    // Each edge inside the last ring is met once, from its end of lower rank, and counted at both.
    void count_ring_edges(std::size_t ring_begin) {
        const Row* rows = adjacency_.rows.get();
        const std::size_t end = queue_.size();
        for (std::size_t i = ring_begin; i < end; ++i) {
            if (i + 16 < end) __builtin_prefetch(rows + queue_[i + 16]);
            if (i + 8 < end) {
                const Row ahead = rows[queue_[i + 8]];
                __builtin_prefetch(adjacency_.indices + ahead.begin + ahead.lower);
            }
            const Row row = rows[queue_[i]];
            const std::int32_t* neighbors = adjacency_.indices + row.begin;
            std::int32_t found = 0;
            for (std::int32_t k = row.lower; k < row.degree; ++k) {
                const std::int32_t w = neighbors[k];
                if (!ring_.has(w)) continue;
                ++found;
                ++inside_[w];
            }
            inside_[queue_[i]] += found;
        }
    }

    void discover(std::size_t begin, std::size_t end) {
        const Row* rows = adjacency_.rows.get();
        for (std::size_t i = begin; i < end; ++i) {
            const Row row = rows[queue_[i]];
            for (std::int32_t k = 0; k < row.degree; ++k) {
                const std::int32_t w = adjacency_.indices[row.begin + k];
                if (visited_.has(w)) continue;
                visit(w);
                ring_.insert(w);
            }
        }
    }

    // The plain way, without branches: every neighbor of a ring node is looked up.
    void count_all_neighbors(std::size_t ring_begin) {
        const Row* rows = adjacency_.rows.get();
        const std::size_t end = queue_.size();
        const bool frontier_edges = settings_.frontier_edges;
        for (std::size_t i = ring_begin; i < end; ++i) {
            if (i + 4 < end) __builtin_prefetch(adjacency_.indices + rows[queue_[i + 4]].begin);
            const Row row = rows[queue_[i]];
            const std::int32_t* neighbors = adjacency_.indices + row.begin;
            std::int32_t found = 0;
            if (frontier_edges)
                for (std::int32_t k = 0; k < row.degree; ++k) found += visited_.has(neighbors[k]);
            else
                for (std::int32_t k = 0; k < row.degree; ++k)
                    found += visited_.has(neighbors[k]) && !ring_.has(neighbors[k]);
            inside_[queue_[i]] = found;
        }
    }

    const Adjacency& adjacency_;
    const Settings& settings_;
    const KeyCodec& codec_;
    Tally& tally_;
    NodeSet visited_, ring_;
    std::vector<std::int32_t> inside_;  // degree inside the ego-network, of last-ring nodes only
    std::vector<std::int32_t> queue_;   // the ego-network in order of discovery
};

// Layered and full degrees: one scan of every node of the ego-network, during the search itself.
template <class Tally>
class LayeredSearch {
public:
    LayeredSearch(const Adjacency& adjacency, const Settings& settings, const KeyCodec& codec, Tally& tally)
        : adjacency_(adjacency), settings_(settings), codec_(codec), tally_(tally), state_(adjacency.num_nodes) {}

    void operator()(std::int32_t root) {
        queue_.assign(1, root);
        state_[root] = here;
        std::size_t begin = 0;
        // Before each step queue_[begin ...] is the ring at `distance`, all of it marked `here`, and everything
        // nearer is marked `closer`.
        for (std::int64_t distance = 0; begin < queue_.size(); ++distance) {
            const std::size_t end = queue_.size();
            for (std::size_t i = begin; i < end; ++i) scan(i, distance);
            if (distance == settings_.radius) break;
            for (std::size_t i = begin; i < end; ++i) state_[queue_[i]] = closer;
            for (std::size_t i = end; i < queue_.size(); ++i) state_[queue_[i]] = here;
            begin = end;
        }
        for (std::int32_t v : queue_) state_[v] = unseen;
    }

private:
    enum State : std::uint8_t { unseen, closer, here, farther };

    // Tallies the node at place i of the queue and, before the last ring, appends what it discovers.
    void scan(std::size_t i, std::int64_t distance) {
        if (i + 4 < queue_.size()) __builtin_prefetch(adjacency_.indices + adjacency_.rows[queue_[i + 4]].begin);
        const std::int32_t v = queue_[i];
        const Row row = adjacency_.rows[v];
        const std::int32_t* neighbors = adjacency_.indices + row.begin;
        const bool last = distance == settings_.radius;
        std::int32_t num_closer = 0, num_same = 0;
        for (std::int32_t k = 0; k < row.degree; ++k) {
            const std::uint8_t state = state_[neighbors[k]];
            num_closer += state == closer;
            num_same += state == here;
            if (!last && state == unseen) {
                state_[neighbors[k]] = farther;
                queue_.push_back(neighbors[k]);
            }
        }
        // Nearer than the radius every neighbor is inside. Radius 0 keeps the root's degree by definition.
        const std::int32_t num_farther = last && distance > 0 ? 0 : row.degree - num_closer - num_same;
        if (last && !settings_.frontier_edges) num_same = 0;
        if (settings_.degrees == Degrees::layered) tally_.add(codec_.code(distance, v, num_same, num_farther));
        else tally_.add(codec_.code(distance, v, num_closer, num_same, num_farther));
    }

    const Adjacency& adjacency_;
    const Settings& settings_;
    const KeyCodec& codec_;
    Tally& tally_;
    std::vector<std::uint8_t> state_;
    std::vector<std::int32_t> queue_;
};

template <class Tally>
void encode_by_sources(Job& job, const Adjacency& adjacency, const Settings& settings, const KeyCodec& codec,
                       const Roots& roots, Collector& collector, Caller caller = Caller::watches) {
    const auto run = [&]<class Search>() {
        search_rows<Tally>(
            job, collector, codec.range(),
            [&](Tally& tally) {
                return [&roots, search = Search(adjacency, settings, codec, tally)](std::int64_t row) mutable {
                    search(roots[row]);
                };
            },
            caller);
    };
    if (settings.degrees == Degrees::total) run.template operator()<TotalSearch<Tally>>();
    else run.template operator()<LayeredSearch<Tally>>();
}

}  // namespace egonet
