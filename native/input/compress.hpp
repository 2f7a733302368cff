// Arcs to compressed rows, sorted and without repeats, by counting: no comparison sort, two passes over the arcs.
#pragma once

#include <cstdint>
#include <vector>

namespace egonet::input {

struct CompressedRows {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> indices;
};

// rows, columns  int32 (count,), each in 0 ... num_nodes - 1; loops allowed and kept
// mirrored       every arc is entered in both directions
// returns        neighbors increasing per row, each once
inline CompressedRows compress(const std::int32_t* rows, const std::int32_t* columns, std::size_t count,
                               std::size_t num_nodes, bool mirrored) {
    const std::size_t num_arcs = mirrored ? 2 * count : count;
    // First by column: `by_column` lists, per column in order, the rows of its arcs.
    std::vector<std::int64_t> start(num_nodes + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
        ++start[columns[i] + 1];
        if (mirrored) ++start[rows[i] + 1];
    }
    for (std::size_t v = 0; v < num_nodes; ++v) start[v + 1] += start[v];
    std::vector<std::int32_t> by_column(num_arcs);
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < count; ++i) {
        by_column[next[columns[i]]++] = rows[i];
        if (mirrored) by_column[next[rows[i]]++] = columns[i];
    }
    // Then by row: columns are met in increasing order, so each row ends sorted, and a repeat follows its twin.
    CompressedRows out;
    out.indptr.assign(num_nodes + 1, 0);
    for (const std::int32_t row : by_column) ++out.indptr[row + 1];
    for (std::size_t v = 0; v < num_nodes; ++v) out.indptr[v + 1] += out.indptr[v];
    out.indices.resize(num_arcs);
    next.assign(out.indptr.begin(), out.indptr.end() - 1);
    for (std::size_t column = 0; column < num_nodes; ++column) {
        for (std::int64_t at = start[column]; at < start[column + 1]; ++at) {
            const std::int32_t row = by_column[at];
            std::int64_t& end = next[row];
            if (end > out.indptr[row] && out.indices[end - 1] == static_cast<std::int32_t>(column)) continue;
            out.indices[end++] = static_cast<std::int32_t>(column);
        }
    }
    // Last, close the gaps that repeats left: everything before `filled` is final.
    std::int64_t filled = 0;
    for (std::size_t v = 0; v < num_nodes; ++v) {
        const std::int64_t begin = out.indptr[v];
        out.indptr[v] = filled;
        if (filled == begin) {
            filled = next[v];
        } else {
            for (std::int64_t at = begin; at < next[v]; ++at) out.indices[filled++] = out.indices[at];
        }
    }
    out.indptr[num_nodes] = filled;
    out.indices.resize(static_cast<std::size_t>(filled));
    return out;
}

}  // namespace egonet::input
