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
#include "core/parallel.hpp"
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

constexpr std::int64_t rows_per_block = 4096;

// indices  the neighbors of first ... last - 1, one list after the other
// higher   gets those above their node, and needs the capacity of `indices`; lengths gets how many each node has
inline std::int64_t keep_higher(Job& job, const std::int64_t* indptr, std::int64_t first, std::int64_t last,
                                const std::int32_t* indices, std::int32_t* higher, std::int64_t* lengths) {
    const std::int64_t base = indptr[first], num_arcs = indptr[last] - base;
    std::vector<std::int64_t> sizes((last - first + rows_per_block - 1) / rows_per_block);
    // Each block fills its own part of `higher` from the start.
    for_ranges(job, last - first, rows_per_block, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t start = indptr[first + begin] - base;
        std::int64_t filled = start;
        for (std::int64_t v = first + begin; v < first + end; ++v) {
            const std::int64_t before = filled, degree = indptr[v + 1] - indptr[v];
            for (std::int64_t arc = indptr[v] - base; arc < indptr[v + 1] - base; ++arc) {
                if (arc + 16 < num_arcs) __builtin_prefetch(indptr + indices[arc + 16]);
                const std::int32_t w = indices[arc];
                const std::int64_t other = indptr[w + 1] - indptr[w];
                higher[filled] = w;
                filled += other > degree || (other == degree && w > v);
            }
            lengths[v - first] = filled - before;
        }
        sizes[begin / rows_per_block] = filled - start;
    });
    std::int64_t filled = 0;
    // Before each step everything before `filled` is final.
    for (std::size_t block = 0; block < sizes.size(); ++block) {
        const std::int32_t* part = higher + (indptr[first + static_cast<std::int64_t>(block) * rows_per_block] - base);
        std::copy_n(part, sizes[block], higher + filled);
        filled += sizes[block];
    }
    return filled;
}

constexpr std::int64_t nodes_per_block = 1024;

// The lists of the middle range that are searched most often. Each worker counts the triangles at their edges in bytes
// of its own, and adds them to the common numbers whenever one is full: all workers find triangles at the edges of hubs,
// and would wait for each other.
struct BusyLists {
    static constexpr std::int64_t most_edges = std::int64_t{1} << 25;

    Buffer<std::int32_t> start;  // of the list of node first + i among the bytes, or -1
    std::int64_t num_edges = 0;

    // Counts how often each list is searched, from the lower range's edges.
    BusyLists(Job& job, const RowRange& low, const RowRange& middle) {
        const std::int64_t size = middle.last - middle.first;
        start = make_zeros<std::int32_t>(size);
        const std::int64_t num_low = low.begin[low.last] - low.begin[low.first];
        for_ranges(job, num_low, std::int64_t{1} << 16, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t edge = first; edge < last; ++edge)
                if (middle.has(low.higher[edge]))
                    std::atomic_ref(start[low.higher[edge] - middle.first]).fetch_add(1, std::memory_order_relaxed);
        });
        const auto length = [&](std::int64_t i) {
            return middle.begin[middle.first + i + 1] - middle.begin[middle.first + i];
        };
        std::vector<std::int64_t> edges_by_searches(1);
        for (std::int64_t i = 0; i < size; ++i) {
            if (start[i] >= std::ssize(edges_by_searches)) edges_by_searches.resize(start[i] + 1);
            edges_by_searches[start[i]] += length(i);
        }
        // Lists that are searched at least this often fit.
        std::int64_t least = std::ssize(edges_by_searches), sum = 0;
        while (least > 2 && sum + edges_by_searches[least - 1] <= most_edges) sum += edges_by_searches[--least];
        for (std::int64_t i = 0; i < size; ++i) {
            const bool is_busy = start[i] >= least;
            start[i] = is_busy ? static_cast<std::int32_t>(num_edges) : -1;
            if (is_busy) num_edges += length(i);
        }
    }
};

// Finds the triangles with their lowest node in one range and their middle one in another, or the same. Workers
// that share the ranges use atomic additions, which cost several times as much.
template <bool shared>
class RangeSearch {
public:
    RangeSearch(const RowRange& low, const RowRange& middle, const BusyLists* busy, std::int64_t num_nodes)
        : low_(low),
          middle_(middle),
          busy_(busy),
          near_(make_zeros<std::uint64_t>(num_nodes / 64 + 1)),
          place_(make_buffer<std::int32_t>(num_nodes)) {
        if constexpr (shared) bytes_ = make_zeros<std::uint8_t>(busy->num_edges);
    }

    void operator()(std::int64_t block) {
        const std::int64_t begin = low_.first + block * nodes_per_block;
        for (std::int64_t u = begin; u < std::min(low_.last, begin + nodes_per_block); ++u) search(u);
    }

    // Adds what is left in the bytes.
    void finish() {
        if constexpr (shared) {
            for (std::int64_t i = 0; i < middle_.last - middle_.first; ++i) {
                if (busy_->start[i] < 0) continue;
                const std::int64_t begin = middle_.place(middle_.first + i);
                const std::int64_t size = middle_.begin[middle_.first + i + 1] - middle_.begin[middle_.first + i];
                for (std::int64_t edge = 0; edge < size; ++edge)
                    if (const std::uint8_t rest = bytes_[busy_->start[i] + edge])
                        add(middle_.support[begin + edge], rest);
            }
        }
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
        if constexpr (shared) {
            if (const std::int32_t start = busy_->start[v - middle_.first]; start >= 0) {
                const std::int64_t shift = start - middle_.place(v);
                return scan(v, [&](std::int64_t edge) {
                    if (!++bytes_[edge + shift]) add(middle_.support[edge], 256);
                });
            }
        }
        return scan(v, [&](std::int64_t edge) { add(middle_.support[edge], 1); });
    }

    template <class Hit>
    std::int32_t scan(std::int32_t v, Hit hit) {
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
            for (int i = 0; i < hits; ++i) {
                ++gained_[place_[middle_.higher[edge + hits_[i]]]];
                hit(edge + hits_[i]);
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
    const BusyLists* busy_;
    Buffer<std::uint8_t> bytes_;
    Buffer<std::uint64_t> near_;
    Buffer<std::int32_t> place_;
    std::vector<std::int32_t> gained_;
    std::int32_t hits_[batch];
};

inline void count_triangles(Job& job, const RowRange& low, const RowRange& middle, std::int64_t num_nodes) {
    const std::int64_t num_blocks = (low.last - low.first + nodes_per_block - 1) / nodes_per_block;
    if (job.threads == 1) {
        run_blocks(job, num_blocks, [&](int) { return RangeSearch<false>(low, middle, nullptr, num_nodes); });
        return;
    }
    const BusyLists busy(job, low, middle);
    run_blocks(job, num_blocks, [&](int) { return RangeSearch<true>(low, middle, &busy, num_nodes); });
}

// Copies the supports of a range's edges to the arcs of the nodes first ... last - 1, at both ends.
//
// indices   the neighbors of first ... last - 1, increasing in each list
// supports  one per arc
// returns whether every edge was found at both ends
inline bool spread_supports(Job& job, const Graph& graph, std::int64_t first, std::int64_t last,
                            const std::int32_t* indices, const RowRange& range, std::int32_t* supports) {
    const std::int64_t base = graph.indptr[first], num_arcs = graph.indptr[last] - base;
    const auto prefetch = [&](std::int64_t arc) {
        if (arc + 32 < num_arcs) __builtin_prefetch(range.begin + indices[arc + 32]);
        if (arc + 16 < num_arcs && range.has(indices[arc + 16]))
            __builtin_prefetch(range.higher + range.place(indices[arc + 16]));
    };
    // The edge of w, a lower neighbor of v, in the list of w; null if it has none.
    const auto find = [&](std::int64_t v, std::int64_t w) -> const std::int32_t* {
        const std::int32_t* begin = range.higher + range.place(w);
        const std::int32_t* end = begin + (range.begin[w + 1] - range.begin[w]);
        const std::int32_t* found = std::lower_bound(begin, end, static_cast<std::int32_t>(v));
        return found < end && *found == v ? found : nullptr;
    };
    std::atomic<bool> fine{true};
    for_ranges(job, last - first, nodes_per_block, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t v = first + from; v < first + to; ++v) {
            const bool is_own = range.has(v);
            std::int64_t edge = is_own ? range.place(v) : 0;
            const std::int64_t end = is_own ? edge + range.begin[v + 1] - range.begin[v] : 0;
            const std::int64_t degree = graph.degree(static_cast<std::int32_t>(v));
            // Before every step the supports of v's edges before `arc` are written, and v's own edges before `edge` met.
            for (std::int64_t arc = graph.indptr[v] - base; arc < graph.indptr[v + 1] - base; ++arc) {
                prefetch(arc);
                const std::int32_t w = indices[arc];
                if (edge < end && range.higher[edge] == w) {
                    supports[arc] = range.support[edge++];
                } else if (range.has(w)) {
                    // Where v's own list is in another range, w may be above v.
                    const std::int64_t other = is_own ? -1 : graph.degree(w);
                    if (other > degree || (other == degree && w > v)) continue;
                    const std::int32_t* found = find(v, w);
                    if (found) supports[arc] = range.support[found - range.higher];
                    else fine.store(false, std::memory_order_relaxed);
                }
            }
            if (edge < end) fine.store(false, std::memory_order_relaxed);
        }
    });
    return fine;
}

}  // namespace egonet
