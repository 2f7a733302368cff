// Hashes of rows, one per block of columns, and how often each column occurs in each graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"

namespace egonet {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;  // 2^64 divided by the golden ratio, odd

// One to one: a multiplication, then the finalizer of SplitMix64; equal to `mix` of graph/digest.py.
inline std::uint64_t mix(std::uint64_t value) {
    value *= golden;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

// indptr, columns, counts  rows of counts
// hash_of, block_of        of every column; blocks are 0 ... num_blocks - 1
// hashes                   (num_rows, num_blocks), overwritten: mix(sum of mix(hash + count * golden)) over a block
inline void row_hashes(Job& job, const std::int64_t* indptr, const std::int32_t* columns, const std::int32_t* counts,
                       std::int64_t num_rows, const std::uint64_t* hash_of, const std::int32_t* block_of,
                       std::int64_t num_blocks, std::uint64_t* hashes) {
    for_ranges(job, num_rows, 4096, [&](std::int64_t first, std::int64_t last) {
        std::fill(hashes + first * num_blocks, hashes + last * num_blocks, 0);
        for (std::int64_t row = first; row < last; ++row) {
            std::uint64_t* sums = hashes + row * num_blocks;
            for (std::int64_t i = indptr[row]; i < indptr[row + 1]; ++i) {
                const auto count = static_cast<std::uint64_t>(counts[i]);
                sums[block_of[columns[i]]] += mix(hash_of[columns[i]] + count * golden);
            }
            for (std::int64_t block = 0; block < num_blocks; ++block) sums[block] = mix(sums[block]);
        }
    });
}

struct ColumnCounts {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> columns;
    std::vector<std::int32_t> counts;
};

// columns    (num_rows, width): the columns that a row counts in; -1 for none
// graph_ptr  (num_graphs + 1,): the rows of graph g are graph_ptr[g] ... graph_ptr[g + 1] - 1
// returns    a row per graph: its distinct columns, increasing, and how often each occurs
inline ColumnCounts count_columns(const std::int32_t* columns, std::int64_t width, const std::int64_t* graph_ptr,
                                  std::int64_t num_graphs) {
    ColumnCounts out;
    out.indptr.assign(1, 0);
    std::vector<std::int32_t> own;
    for (std::int64_t graph = 0; graph < num_graphs; ++graph) {
        own.clear();
        for (std::int64_t i = graph_ptr[graph] * width; i < graph_ptr[graph + 1] * width; ++i)
            if (columns[i] >= 0) own.push_back(columns[i]);
        std::sort(own.begin(), own.end());
        // Before each step the columns before own[i] are counted.
        for (std::size_t i = 0; i < own.size();) {
            std::size_t end = i;
            while (end < own.size() && own[end] == own[i]) ++end;
            out.columns.push_back(own[i]);
            out.counts.push_back(static_cast<std::int32_t>(end - i));
            i = end;
        }
        out.indptr.push_back(static_cast<std::int64_t>(out.columns.size()));
    }
    return out;
}

}  // namespace egonet
