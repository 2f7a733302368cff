// For every edge vu: how the common neighbors of v and u are linked among themselves.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/graph.hpp"
#include "nested/nested.hpp"

namespace egonet {

// C = N(u) ∩ N(v); the histogram of vu is over w in C of |N(w) ∩ C|, with the label of w if there are labels.
class CommonNeighbors {
public:
    CommonNeighbors(const Graph& graph, const std::int32_t* labels, int worker, NestedRows& out)
        : graph_(graph),
          labels_(labels),
          worker_(worker),
          out_(out),
          builder_(out.builder(worker)),
          place_(graph.num_nodes, -1) {}

    void operator()(std::int64_t row, std::int32_t v) {
        const std::int32_t* around = graph_.indices + graph_.indptr[v];
        const std::int32_t degree = graph_.degree(v);
        for (std::int32_t i = 0; i < degree; ++i) place_[around[i]] = i;
        if (degree <= max_bits) by_bits(row, around, degree);
        else by_scan(row, around, degree);
        for (std::int32_t i = 0; i < degree; ++i) place_[around[i]] = -1;
    }

private:
    static constexpr std::int32_t max_bits = 8192;  // 8 MB of bits

    void add(std::int32_t links, std::int32_t w) {
        const std::int32_t key[] = {links, labels_ ? labels_[w] : 0};
        builder_.add({key, labels_ ? 2u : 1u});
    }

    // The graph on N(v) as bits: row i has the neighbors of around[i]; C of edge i is row i itself.
    void by_bits(std::int64_t row, const std::int32_t* around, std::int32_t degree) {
        const std::int64_t num_blocks = (degree + 63) / 64;
        bits_.assign(degree * num_blocks, 0);
        for (std::int32_t i = 0; i < degree; ++i)
            for (std::int64_t arc = graph_.indptr[around[i]]; arc < graph_.indptr[around[i] + 1]; ++arc) {
                const std::int32_t j = place_[graph_.indices[arc]];
                if (j >= 0) bits_[i * num_blocks + j / 64] |= std::uint64_t{1} << (j % 64);
            }
        for (std::int32_t i = 0; i < degree; ++i) {
            const std::uint64_t* shared = bits_.data() + i * num_blocks;
            for (std::int64_t k = 0; k < num_blocks; ++k)
                for (std::uint64_t rest = shared[k]; rest; rest &= rest - 1) {
                    const std::int64_t j = 64 * k + std::countr_zero(rest);
                    const std::uint64_t* other = bits_.data() + j * num_blocks;
                    std::int32_t links = 0;
                    for (std::int64_t m = 0; m < num_blocks; ++m) links += std::popcount(shared[m] & other[m]);
                    add(links, around[j]);
                }
            out_.set(out_.first_pair(row) + i, worker_, builder_.finish());
        }
    }

    // For hubs: the members of C are marked in turn, and their neighbors scanned for marks.
    void by_scan(std::int64_t row, const std::int32_t* around, std::int32_t degree) {
        marked_.assign(degree, 0);
        for (std::int32_t i = 0; i < degree; ++i) {
            shared_.clear();
            for (std::int64_t arc = graph_.indptr[around[i]]; arc < graph_.indptr[around[i] + 1]; ++arc) {
                const std::int32_t j = place_[graph_.indices[arc]];
                if (j >= 0) shared_.push_back(j);
            }
            for (const std::int32_t j : shared_) marked_[j] = 1;
            for (const std::int32_t j : shared_) {
                std::int32_t links = 0;
                for (std::int64_t arc = graph_.indptr[around[j]]; arc < graph_.indptr[around[j] + 1]; ++arc) {
                    const std::int32_t other = place_[graph_.indices[arc]];
                    links += other >= 0 && marked_[other];
                }
                add(links, around[j]);
            }
            for (const std::int32_t j : shared_) marked_[j] = 0;
            out_.set(out_.first_pair(row) + i, worker_, builder_.finish());
        }
    }

    const Graph& graph_;
    const std::int32_t* labels_;
    int worker_;
    NestedRows& out_;
    HistogramBuilder& builder_;
    std::vector<std::int32_t> place_;  // the position of a node among the neighbors of v, or -1
    std::vector<std::uint64_t> bits_;
    std::vector<std::int32_t> shared_;
    std::vector<char> marked_;
};

// Returns the rows of the roots; scratch is one number a node and thread.
inline NestedResult common_neighbors(Job& job, const Graph& graph, const Roots& roots, const std::int32_t* labels) {
    std::vector<std::int64_t> pair_ptr(roots.count + 1);
    for (std::int64_t row = 0; row < roots.count; ++row) pair_ptr[row + 1] = pair_ptr[row] + graph.degree(roots[row]);
    NestedRows out(std::move(pair_ptr), job.threads, labels ? 2 : 1);
    constexpr std::int64_t block_size = nested_block_size;
    run_blocks(
        job, (roots.count + block_size - 1) / block_size,
        [&](int worker) {
            return [&, count = CommonNeighbors(graph, labels, worker, out)](std::int64_t block) mutable {
                const std::int64_t end = std::min(roots.count, (block + 1) * block_size);
                for (std::int64_t row = block * block_size; row < end; ++row) count(row, roots[row]);
                job.done += end - block * block_size;
            };
        },
        Caller::watches);
    return out.assemble(job);
}

}  // namespace egonet
