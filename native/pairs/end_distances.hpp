// How far the two ends of every pair are from each other without the edge between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/graph.hpp"
#include "core/parallel.hpp"
#include "encode/in_out.hpp"
#include "pairs/encode_pairs.hpp"

namespace egonet {

// Searches from both ends until they meet. `forward` lists where arcs lead to, `backward` where they come from; both are
// one graph if edges have no direction.
class MeetingSearch {
public:
    MeetingSearch(const Graph& forward, const Graph& backward, bool symmetric, std::int64_t longest)
        : forward_(forward),
          backward_(backward),
          symmetric_(symmetric),
          longest_(longest),
          seen_(forward.num_nodes, 0) {}

    // The length of the shortest path from v to u that does not use the edge between u and v, nor (with directions) the
    // arc from u to v; -1 if it is longer than `longest`.
    std::int32_t operator()(std::int32_t u, std::int32_t v) {
        begin(u, v);
        // Before each step the balls around v and u, with radii of the sum `length`, have no node in common: the distance
        // is larger than that.
        for (std::int32_t length = 0; length < longest_; ++length) {
            Side& side = sides_[sides_[0].arcs <= sides_[1].arcs ? 0 : 1];
            if (side.ring.empty()) return -1;
            if (step(side)) return length + 1;
        }
        return -1;
    }

private:
    struct Side {
        const Graph* graph;
        std::uint32_t mark, other_mark;
        std::vector<std::int32_t> ring, next;
        std::int64_t arcs;  // that the next step reads
    };

    void begin(std::int32_t u, std::int32_t v) {
        if (mark_ > 0xfffffff0u) {
            std::fill(seen_.begin(), seen_.end(), 0);
            mark_ = 0;
        }
        u_ = u;
        v_ = v;
        start(sides_[0], forward_, v, mark_ + 1, mark_ + 2);
        start(sides_[1], backward_, u, mark_ + 2, mark_ + 1);
        mark_ += 2;
    }

    void start(Side& side, const Graph& graph, std::int32_t root, std::uint32_t mark, std::uint32_t other_mark) {
        side.graph = &graph;
        side.mark = mark;
        side.other_mark = other_mark;
        side.ring.assign(1, root);
        side.arcs = graph.degree(root);
        seen_[root] = mark;
    }

    // Whether the step from x to w is along the edge that is left out. Paths from v to u never need the arc from u to v,
    // unless edges have no direction: then it is the step between the two roots.
    bool is_left_out(std::int32_t x, std::int32_t w) const {
        return symmetric_ && ((x == u_ && w == v_) || (x == v_ && w == u_));
    }

    // Replaces a ring by the next one; returns whether that meets the other side.
    bool step(Side& side) {
        const Graph& graph = *side.graph;
        side.next.clear();
        side.arcs = 0;
        for (std::int32_t x : side.ring)
            for (std::int64_t arc = graph.indptr[x]; arc < graph.indptr[x + 1]; ++arc) {
                const std::int32_t w = graph.indices[arc];
                if (seen_[w] == side.mark || is_left_out(x, w)) continue;
                if (seen_[w] == side.other_mark) return true;
                seen_[w] = side.mark;
                side.next.push_back(w);
                side.arcs += graph.degree(w);
            }
        side.ring.swap(side.next);
        return false;
    }

    const Graph &forward_, &backward_;
    bool symmetric_;
    std::int64_t longest_;
    std::vector<std::uint32_t> seen_;  // the mark of the side that has found a node in the present search
    std::uint32_t mark_ = 0;
    Side sides_[2];
    std::int32_t u_ = 0, v_ = 0;
};

inline Buffer<std::int32_t> end_distances(Job& job, const Graph& graph, const PairList& pairs, std::int64_t longest,
                                          Direction direction) {
    const bool symmetric = direction == Direction::none;
    std::optional<Reversed> reversed;
    if (!symmetric) reversed.emplace(graph);
    const Graph& other = symmetric ? graph : reversed->graph();
    const Graph& forward = direction == Direction::in ? other : graph;
    const Graph& backward = direction == Direction::in ? graph : other;
    Buffer<std::int32_t> found = make_buffer<std::int32_t>(pairs.count);
    job.limit_threads(200.0 * double(pairs.count));
    constexpr std::int64_t length = 256;
    run_blocks(job, (pairs.count + length - 1) / length, [&](int) {
        return [&, search = MeetingSearch(forward, backward, symmetric, longest)](std::int64_t block) mutable {
            const std::int64_t end = std::min(pairs.count, (block + 1) * length);
            for (std::int64_t row = block * length; row < end; ++row)
                found[row] = search(pairs.first(row), pairs.second(row));
            job.done.fetch_add(end - block * length, std::memory_order_relaxed);
        };
    });
    return found;
}

}  // namespace egonet
