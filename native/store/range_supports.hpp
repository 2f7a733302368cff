// The triangles at every edge of a graph that does not fit in memory: row ranges are loaded two at a time.
//
// Every edge is kept at its lower end, by degree and then by number, so that no list is longer than the square root of
// twice the number of edges. A triangle low < middle < high is found when the ranges of low and middle are loaded: high
// is in both their lists.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/graph.hpp"
#include "core/workers.hpp"

namespace egonet {

// The upward lists of the nodes first ... last - 1, one after the other from begin[first] on, in the order of the
// neighbors' numbers, with the triangles found at each edge so far.
struct RowRange {
    const std::int64_t* begin;  // of every node of the graph
    std::int64_t first, last;
    const std::int32_t* higher;
    std::int32_t* support;

    bool has(std::int64_t v) const { return v >= first && v < last; }
    std::int64_t place(std::int64_t v) const { return begin[v] - begin[first]; }
};

// indices  the neighbors of first ... last - 1, one list after the other
// higher   gets those above their node, and needs capacity for one more; lengths gets how many each node has
inline std::int64_t keep_higher(const std::int64_t* indptr, std::int64_t first, std::int64_t last,
                                const std::int32_t* indices, std::int32_t* higher, std::int64_t* lengths) {
    std::int64_t filled = 0;
    for (std::int64_t v = first; v < last; ++v) {
        const std::int64_t before = filled, degree = indptr[v + 1] - indptr[v];
        for (std::int64_t arc = indptr[v] - indptr[first]; arc < indptr[v + 1] - indptr[first]; ++arc) {
            const std::int32_t w = indices[arc];
            const std::int64_t other = indptr[w + 1] - indptr[w];
            higher[filled] = w;
            filled += other > degree || (other == degree && w > v);
        }
        lengths[v - first] = filled - before;
    }
    return filled;
}

constexpr std::int64_t nodes_per_block = 1024;

// Finds the triangles with their lowest node in one range and their middle one in another, or the same. Workers
// that share the ranges use atomic additions, which cost several times as much.
template <bool shared>
class RangeSearch {
public:
    RangeSearch(const RowRange& low, const RowRange& middle, std::int64_t num_nodes)
        : low_(low),
          middle_(middle),
          near_(make_zeros<std::uint64_t>(num_nodes / 64 + 1)),
          place_(make_buffer<std::int32_t>(num_nodes)) {}

    void operator()(std::int64_t block) {
        const std::int64_t begin = low_.first + block * nodes_per_block;
        for (std::int64_t u = begin; u < std::min(low_.last, begin + nodes_per_block); ++u) search(u);
    }

private:
    // While u is searched, near_ has the bits of its upper neighbors w, and place_[w] is the place of w in its list.
    void search(std::int64_t u) {
        const std::int64_t begin = low_.place(u), size = low_.begin[u + 1] - low_.begin[u];
        if (size < 2) return;
        const std::int32_t* list = low_.higher + begin;
        for (std::int64_t i = 0; i < size; ++i) {
            near_[list[i] >> 6] |= std::uint64_t{1} << (list[i] & 63);
            place_[list[i]] = static_cast<std::int32_t>(i);
        }
        gained_.assign(size, 0);
        for (std::int64_t i = 0; i < size; ++i) {
            if (i + 8 < size && middle_.has(list[i + 8]))
                __builtin_prefetch(middle_.higher + middle_.place(list[i + 8]));
            if (middle_.has(list[i])) gained_[i] += scan(list[i]);
        }
        for (std::int64_t i = 0; i < size; ++i) {
            if (gained_[i]) add(low_.support[begin + i], gained_[i]);
            near_[list[i] >> 6] = 0;
        }
    }

    // The triangles of u and its upper neighbor v: counted at v-w and u-w here, at u-v by the caller.
    std::int32_t scan(std::int32_t v) {
        const std::int64_t end = middle_.place(v) + middle_.begin[v + 1] - middle_.begin[v];
        std::int32_t found = 0;
        // Hits are first written down, each over the miss before it: a branch on them would be a coin toss.
        for (std::int64_t edge = middle_.place(v); edge < end; edge += batch) {
            const int size = static_cast<int>(std::min<std::int64_t>(batch, end - edge));
            int hits = 0;
            for (int i = 0; i < size; ++i) {
                const std::int32_t w = middle_.higher[edge + i];
                hits_[hits] = i;
                hits += near_[w >> 6] >> (w & 63) & 1;
            }
            for (int hit = 0; hit < hits; ++hit) {
                ++gained_[place_[middle_.higher[edge + hits_[hit]]]];
                add(middle_.support[edge + hits_[hit]], 1);
            }
            found += hits;
        }
        return found;
    }

    static void add(std::int32_t& number, std::int32_t amount) {
        if constexpr (shared) std::atomic_ref(number).fetch_add(amount, std::memory_order_relaxed);
        else number += amount;
    }

    static constexpr int batch = 256;

    const RowRange &low_, &middle_;
    Buffer<std::uint64_t> near_;
    Buffer<std::int32_t> place_;
    std::vector<std::int32_t> gained_;
    std::int32_t hits_[batch];
};

inline void count_triangles(Job& job, const RowRange& low, const RowRange& middle, std::int64_t num_nodes) {
    const std::int64_t num_blocks = (low.last - low.first + nodes_per_block - 1) / nodes_per_block;
    if (job.threads == 1) run_blocks(job, num_blocks, [&](int) { return RangeSearch<false>(low, middle, num_nodes); });
    else run_blocks(job, num_blocks, [&](int) { return RangeSearch<true>(low, middle, num_nodes); });
}

// Copies the supports of a range's edges to the arcs of the nodes first ... last - 1, at both ends.
//
// indices   the neighbors of first ... last - 1
// next      of each of them, where the search for its next lower neighbor goes on; ranges come in increasing order
// supports  one per arc
// returns whether every edge was found at both ends
inline bool spread_supports(const Graph& graph, std::int64_t first, std::int64_t last, const std::int32_t* indices,
                            std::int64_t* next, const RowRange& range, std::int32_t* supports) {
    const std::int64_t base = graph.indptr[first];
    for (std::int64_t u = range.first; u < range.last; ++u) {
        const bool own = u >= first && u < last;
        std::int64_t arc = own ? graph.indptr[u] - base : 0;
        const std::int64_t last_arc = own ? graph.indptr[u + 1] - base : 0;
        const std::int64_t end = range.place(u) + range.begin[u + 1] - range.begin[u];
        for (std::int64_t edge = range.place(u); edge < end; ++edge) {
            const std::int32_t w = range.higher[edge];
            if (own) {
                while (arc < last_arc && indices[arc] != w) ++arc;
                if (arc == last_arc) return false;
                supports[arc] = range.support[edge];
            }
            if (w >= first && w < last) {
                std::int64_t& back = next[w - first];
                const std::int64_t last_back = graph.indptr[w + 1] - base;
                while (back >= 0 && back < last_back && indices[back] != u) ++back;
                if (back < 0 || back >= last_back) return false;
                supports[back] = range.support[edge];
            }
        }
    }
    return true;
}

}  // namespace egonet
