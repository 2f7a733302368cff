// For every pair of nodes, adjacent or near: what lies around both, seen from both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/graph.hpp"
#include "core/parallel.hpp"
#include "nested/nested.hpp"

namespace egonet {

// S = B(u) ∩ B(v), the balls of `radius`. The histogram of (u, v) is over w in S of the distances of w from u and
// from v, and nine counts of its neighbors x in S by how much farther than w they are from u and from v (-1, 0 or
// 1 each, in lexicographic order), with the label of w if there are labels.
class PairRooted {
public:
    static constexpr int width = 11;
    static constexpr std::int64_t max_radius = 4096;

    PairRooted(const Graph& graph, std::int64_t radius, const std::int32_t* labels, HistogramBuilder& builder)
        : graph_(graph),
          radius_(radius),
          labels_(labels),
          builder_(builder),
          from_first_(graph.num_nodes, -1),
          from_second_(graph.num_nodes, -1),
          code_(graph.num_nodes, outside) {}

    // Makes u the first node of the pairs to come.
    void begin(std::int32_t u) {
        for (const std::int32_t w : first_ball_) from_first_[w] = -1;
        search(u, first_ball_, from_first_, [](std::int32_t) { return true; });
    }

    // Returns the number of the histogram of (u, v).
    std::int32_t operator()(std::int32_t v) {
        // Whatever lies on the last ring around v but not in the ball of u is of no use: it is not even stored.
        search(v, second_ball_, from_second_, [this](std::int32_t w) { return from_first_[w] >= 0; });
        shared_.clear();
        for (const std::int32_t w : second_ball_)
            if (from_first_[w] >= 0) {
                shared_.push_back(w);
                code_[w] = static_cast<std::int16_t>(4 * from_first_[w] + from_second_[w]);
            }
        for (const std::int32_t w : shared_) add(w);
        for (const std::int32_t w : shared_) code_[w] = outside;
        for (const std::int32_t w : second_ball_) from_second_[w] = -1;
        return builder_.finish();
    }

    // Returns the number of the histogram of (v, u), right after that of (u, v) was found: the same with the two
    // ends exchanged in every key.
    std::int32_t exchanged() {
        exchanged_.clear();
        for (const std::int32_t key : builder_.last_entries()) exchanged_.push_back(exchange(key));
        for (const std::int32_t key : exchanged_) builder_.add_number(key);
        return builder_.finish();
    }

private:
    static constexpr std::int16_t outside = -32768;

    // Breadth first; nodes of the last ring are taken only if `accept` allows them.
    template <class Accept>
    void search(std::int32_t root, std::vector<std::int32_t>& ball, std::vector<std::int16_t>& distance,
                Accept accept) {
        ball.assign(1, root);
        distance[root] = 0;
        std::size_t begin = 0;
        // Before each step ball[begin ...] is the ring at distance `ring`.
        for (std::int16_t ring = 0; ring < radius_ && begin < ball.size(); ++ring) {
            const bool last = ring + 1 == radius_;
            for (const std::size_t end = ball.size(); begin < end; ++begin) {
                if (begin + 4 < end) __builtin_prefetch(graph_.indices + graph_.indptr[ball[begin + 4]]);
                for (std::int64_t arc = graph_.indptr[ball[begin]]; arc < graph_.indptr[ball[begin] + 1]; ++arc) {
                    const std::int32_t w = graph_.indices[arc];
                    if ((last && !accept(w)) || distance[w] >= 0) continue;
                    distance[w] = static_cast<std::int16_t>(ring + 1);
                    ball.push_back(w);
                }
            }
        }
    }

    // Neighbors differ by at most one in either distance, so the difference of codes tells both: it is
    // 4 * (-1, 0 or 1) + (-1, 0 or 1). The nine counts grow side by side in one word, seven bits each: that has no
    // branch and waits for no memory.
    void add(std::int32_t w) {
        std::int32_t key[width + 1] = {from_first_[w], from_second_[w]};
        const std::int32_t here = code_[w];
        const std::int32_t* end = graph_.indices + graph_.indptr[w + 1];
        for (const std::int32_t* next = graph_.indices + graph_.indptr[w]; next < end;) {
            std::uint64_t counts = 0;
            // No field overflows within this many steps.
            for (const std::int32_t* stop = next + std::min<std::int64_t>(end - next, 127); next < stop; ++next)
                counts += step[std::min(static_cast<std::uint32_t>(code_[*next] - here + 5), 11u)];
            for (int field = 0; field < 9; ++field) key[2 + field] += counts >> 7 * field & 127;
        }
        if (labels_) key[width] = labels_[w];
        builder_.add({key, labels_ ? width + 1u : width + 0u});
    }

    // What a neighbor adds to the nine counts, by the difference of codes plus 5; 11 means outside.
    static constexpr std::uint64_t one = 1;
    static constexpr std::uint64_t step[12] = {one,       one << 7, one << 14, 0,         one << 21, one << 28,
                                               one << 35, 0,        one << 42, one << 49, one << 56, 0};

    std::int32_t exchange(std::int32_t key) {
        if (key < static_cast<std::int32_t>(exchange_of_.size()) && exchange_of_[key] >= 0) return exchange_of_[key];
        const std::span<const std::int32_t> k = builder_.keys()[key];
        const std::int32_t other[] = {k[1], k[0], k[2], k[5], k[8],  k[3],
                                      k[6], k[9], k[4], k[7], k[10], labels_ ? k[11] : 0};
        const std::int32_t found = builder_.number_of({other, labels_ ? width + 1u : width + 0u});
        exchange_of_.resize(std::max<std::size_t>(exchange_of_.size(), std::max(key, found) + 1), -1);
        exchange_of_[key] = found;
        exchange_of_[found] = key;
        return found;
    }

    const Graph& graph_;
    std::int64_t radius_;
    const std::int32_t* labels_;
    HistogramBuilder& builder_;
    std::vector<std::int16_t> from_first_, from_second_;  // distances, -1 outside the ball
    std::vector<std::int16_t> code_;                      // `outside` except on S while a pair is counted
    std::vector<std::int32_t> first_ball_, second_ball_, shared_, exchanged_, exchange_of_;
};

// The pairs of every row, as compressed rows of second nodes, increasing.
struct Pairs {
    std::vector<std::int64_t> ptr;
    Buffer<std::int32_t> second;
};

// One worker's search for the second nodes of a root: its neighbors, or every node within `radius` hops, itself included.
class SecondNodes {
public:
    SecondNodes(const Graph& graph, std::int64_t radius, bool edges_only)
        : graph_(graph), radius_(radius), edges_only_(edges_only), seen_(edges_only ? 0 : graph.num_nodes) {}

    const std::vector<std::int32_t>& operator()(std::int32_t root) {
        const std::int32_t* indices = graph_.indices;
        if (edges_only_) {
            ball_.assign(indices + graph_.indptr[root], indices + graph_.indptr[root + 1]);
            return ball_;
        }
        ball_.assign(1, root);
        seen_[root] = 1;
        std::size_t begin = 0;
        // Before each step ball_[begin ...] is the ring at distance `ring`.
        for (std::int64_t ring = 0; ring < radius_ && begin < ball_.size(); ++ring)
            for (const std::size_t end = ball_.size(); begin < end; ++begin)
                for (std::int64_t arc = graph_.indptr[ball_[begin]]; arc < graph_.indptr[ball_[begin] + 1]; ++arc)
                    if (!std::exchange(seen_[indices[arc]], 1)) ball_.push_back(indices[arc]);
        for (const std::int32_t w : ball_) seen_[w] = 0;
        std::sort(ball_.begin(), ball_.end());
        return ball_;
    }

private:
    const Graph& graph_;
    std::int64_t radius_;
    bool edges_only_;
    std::vector<char> seen_;
    std::vector<std::int32_t> ball_;
};

inline Pairs list_pairs(Job& job, const Graph& graph, const Roots& roots, std::int64_t radius, bool edges_only) {
    constexpr std::int64_t block_size = 256;
    Pairs pairs;
    pairs.ptr.resize(roots.count + 1);
    std::vector<std::vector<std::int32_t>> blocks((roots.count + block_size - 1) / block_size);
    run_blocks(job, std::ssize(blocks), [&](int) {
        return [&, find = SecondNodes(graph, radius, edges_only)](std::int64_t block) mutable {
            const std::int64_t end = std::min(roots.count, (block + 1) * block_size);
            for (std::int64_t row = block * block_size; row < end; ++row) {
                const std::vector<std::int32_t>& found = find(roots[row]);
                blocks[block].insert(blocks[block].end(), found.begin(), found.end());
                pairs.ptr[row + 1] = std::ssize(found);
            }
        };
    });
    sum_up(job, pairs.ptr.data() + 1, roots.count);
    pairs.second = make_touched_buffer<std::int32_t>(job, pairs.ptr.back());
    for_ranges(job, std::ssize(blocks), 1, [&](std::int64_t block, std::int64_t) {
        std::copy(blocks[block].begin(), blocks[block].end(), pairs.second.get() + pairs.ptr[block * block_size]);
        blocks[block] = {};
    });
    return pairs;
}

// Returns the rows of the roots. Where every node is a root, (u, v) and (v, u) are counted once.
inline NestedResult pair_rooted(Job& job, const Graph& graph, const Roots& roots, std::int64_t radius,
                                const std::int32_t* labels, bool edges_only) {
    const Pairs pairs = list_pairs(job, graph, roots, radius, edges_only);
    const bool once = !roots.list;
    NestedRows out(pairs.ptr, job.threads, PairRooted::width + (labels != nullptr));
    constexpr std::int64_t block_size = nested_block_size;
    const auto place_of = [&](std::int64_t row, std::int32_t second) {
        const std::int32_t* nodes = pairs.second.get();
        return std::lower_bound(nodes + pairs.ptr[row], nodes + pairs.ptr[row + 1], second) - nodes;
    };
    run_blocks(
        job, (roots.count + block_size - 1) / block_size,
        [&](int worker) {
            return [&, worker,
                    count = PairRooted(graph, radius, labels, out.builder(worker))](std::int64_t block) mutable {
                const std::int64_t end = std::min(roots.count, (block + 1) * block_size);
                for (std::int64_t row = block * block_size; row < end; ++row) {
                    const std::int32_t u = roots[row];
                    count.begin(u);
                    for (std::int64_t pair = pairs.ptr[row]; pair < pairs.ptr[row + 1]; ++pair) {
                        const std::int32_t v = pairs.second[pair];
                        if (once && v < u) continue;
                        out.set(pair, worker, count(v));
                        if (once && v > u) out.set(place_of(v, u), worker, count.exchanged());
                    }
                }
                job.done += end - block * block_size;
            };
        },
        Caller::watches);
    return out.assemble(job);
}

}  // namespace egonet
