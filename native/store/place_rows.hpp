// Edges to compressed rows, a row range at a time: arcs are appended to their rows, then each row is sorted.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/workers.hpp"

namespace egonet::input {

enum class Arcs { both, out, in };

// pairs   (count, 2): edges, no loops
// rows    first ... last - 1; next[row - first] is where the row's next neighbor goes in `values`, and moves on
// returns whether all of them had a place among the `capacity` values
inline bool place_arcs(const std::int32_t* pairs, std::size_t count, Arcs arcs, std::int64_t first, std::int64_t last,
                       std::int64_t* next, std::int32_t* values, std::size_t capacity) {
    bool fits = true;
    const auto put = [&](std::int32_t row, std::int32_t column) {
        if (row < first || row >= last) return;
        const std::int64_t place = next[row - first]++;
        if (static_cast<std::uint64_t>(place) < capacity) values[place] = column;
        else fits = false;
    };
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        if (arcs != Arcs::in) put(a, b);
        if (arcs != Arcs::out) put(b, a);
    }
    return fits;
}

// Sorts every row starts[i] ... starts[i + 1] - 1 of `values`, closes the gaps that repeats leave, and writes the
// rows' lengths; returns the number of values that are left.
inline std::int64_t sort_rows(Job& job, const std::int64_t* starts, std::int64_t num_rows, std::int32_t* values,
                              std::int64_t* lengths) {
    constexpr std::int64_t rows_per_block = 4096;
    run_blocks(job, (num_rows + rows_per_block - 1) / rows_per_block, [&](int) {
        return [&](std::int64_t block) {
            for (std::int64_t row = block * rows_per_block; row < std::min(num_rows, (block + 1) * rows_per_block);
                 ++row) {
                std::int32_t *begin = values + starts[row], *end = values + starts[row + 1];
                std::sort(begin, end);
                lengths[row] = std::unique(begin, end) - begin;
            }
        };
    });
    std::int64_t filled = 0;
    // Before each step everything before `filled` is final.
    for (std::int64_t row = 0; row < num_rows; ++row) {
        std::copy_n(values + starts[row], lengths[row], values + filled);
        filled += lengths[row];
    }
    return filled;
}

}  // namespace egonet::input
