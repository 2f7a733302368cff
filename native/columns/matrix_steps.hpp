// Steps between the kernel's rows and what callers take: several matrices as one, dense columns, and sums over graphs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.hpp"

namespace egonet {

// A matrix in compressed rows.
template <class Value>
struct Compressed {
    const std::int64_t* indptr;
    const std::int32_t* columns;
    const Value* values;
    std::int64_t num_rows, num_columns;
};

// Writes the rows of all matrices next to each other, the columns of each after those of the ones before it.
inline void join_columns(Job& job, std::span<const Compressed<std::int32_t>> matrices, std::int64_t* indptr,
                         std::int32_t* columns, std::int32_t* values) {
    for_ranges(job, matrices[0].num_rows + 1, 4096, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            indptr[row] = 0;
            for (const auto& matrix : matrices) indptr[row] += matrix.indptr[row];
        }
    });
    for_ranges(job, matrices[0].num_rows, 4096, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            std::int64_t to = indptr[row];
            std::int32_t before = 0;
            for (const auto& matrix : matrices) {
                for (std::int64_t i = matrix.indptr[row]; i < matrix.indptr[row + 1]; ++i, ++to) {
                    columns[to] = matrix.columns[i] + before;
                    values[to] = matrix.values[i];
                }
                before += static_cast<std::int32_t>(matrix.num_columns);
            }
        }
    });
}

// Writes a matrix column after column: the entry of row r and column c is out[c * num_rows + r].
template <class Value>
void write_dense_columns(Job& job, const Compressed<Value>& matrix, Value* out) {
    for_ranges(job, matrix.num_rows * matrix.num_columns, std::int64_t{1} << 16,
               [&](std::int64_t first, std::int64_t last) { std::fill(out + first, out + last, Value{0}); });
    for_ranges(job, matrix.num_rows, 4096, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row)
            for (std::int64_t i = matrix.indptr[row]; i < matrix.indptr[row + 1]; ++i)
                out[matrix.columns[i] * matrix.num_rows + row] += matrix.values[i];
    });
}

struct GraphSums {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

// The rows graph_ptr[g] ... graph_ptr[g + 1] - 1 added up, each times share[g], for every graph.
template <class Value>
GraphSums sum_graphs(Job& job, const Compressed<Value>& matrix, std::span<const std::int64_t> graph_ptr,
                     const double* share) {
    constexpr std::int64_t length = 256;
    const std::int64_t num_graphs = std::ssize(graph_ptr) - 1;
    std::vector<GraphSums> parts((num_graphs + length - 1) / length);
    run_blocks(job, std::ssize(parts), [&](int) {
        // Between graphs all sums are 0 and no column is marked.
        return
            [&, sums = std::vector<double>(matrix.num_columns), marked = std::vector<std::uint8_t>(matrix.num_columns),
             found = std::vector<std::int32_t>()](std::int64_t block) mutable {
                GraphSums& part = parts[block];
                for (std::int64_t g = block * length; g < std::min(num_graphs, (block + 1) * length); ++g) {
                    for (std::int64_t i = matrix.indptr[graph_ptr[g]]; i < matrix.indptr[graph_ptr[g + 1]]; ++i) {
                        const std::int32_t column = matrix.columns[i];
                        if (!std::exchange(marked[column], 1)) found.push_back(column);
                        sums[column] += share[g] * static_cast<double>(matrix.values[i]);
                    }
                    std::sort(found.begin(), found.end());
                    for (const std::int32_t column : found) {
                        marked[column] = 0;
                        part.columns.push_back(column);
                        part.values.push_back(std::exchange(sums[column], 0));
                    }
                    part.indptr.push_back(std::ssize(part.columns));
                    found.clear();
                }
            };
    });
    GraphSums all{{0}, {}, {}};
    for (const GraphSums& part : parts) {
        const std::int64_t before = std::ssize(all.columns);
        for (const std::int64_t end : part.indptr) all.indptr.push_back(before + end);
        all.columns.insert(all.columns.end(), part.columns.begin(), part.columns.end());
        all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    }
    return all;
}

}  // namespace egonet
