// Edges to compressed rows, a row range at a time: arcs are appended to their rows, then each row is sorted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/parallel.hpp"
#include "core/workers.hpp"

namespace egonet::input {

enum class Arcs { both, out, in };

// Moves the edges that are no loops to the front of `pairs` and returns how many there are.
inline std::int64_t drop_loops(std::int32_t* pairs, std::int64_t count) {
    std::int64_t kept = 0;
    // Before each step pairs 0 ... kept - 1 are the edges before i that are no loops.
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        pairs[2 * kept] = a, pairs[2 * kept + 1] = b;
        kept += a != b;
    }
    return kept;
}

constexpr std::int64_t pairs_per_block = std::int64_t{1} << 15;

// Calls work(row, column) for the arcs of all edges; `take` adds to a number that workers share and returns it as it was.
template <class Work>
void for_arcs(Job& job, const std::int32_t* pairs, std::int64_t count, Arcs arcs, Work work) {
    const auto all = [&](auto take) {
        for_ranges(job, count, pairs_per_block, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) {
                const std::int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
                if (arcs != Arcs::in) work(a, b, take);
                if (arcs != Arcs::out) work(b, a, take);
            }
        });
    };
    if (job.threads == 1) all([](std::int64_t& number) { return number++; });
    else all([](std::int64_t& number) { return std::atomic_ref(number).fetch_add(1, std::memory_order_relaxed); });
}

// Adds the arcs of every row to degrees[row].
inline void count_arcs(Job& job, const std::int32_t* pairs, std::int64_t count, Arcs arcs, std::int64_t* degrees) {
    for_arcs(job, pairs, count, arcs, [&](std::int32_t row, std::int32_t, auto take) { take(degrees[row]); });
}

// pairs   (count, 2): edges, no loops
// rows    first ... last - 1; next[row - first] is where the row's next neighbor goes in `values`, and moves on. Workers
//         take places in any order, so that only sorted rows are the same for any number of threads.
// returns whether all of them had a place among the `capacity` values
inline bool place_arcs(Job& job, const std::int32_t* pairs, std::int64_t count, Arcs arcs, std::int64_t first,
                       std::int64_t last, std::int64_t* next, std::int32_t* values, std::size_t capacity) {
    std::atomic<bool> fits{true};
    for_arcs(job, pairs, count, arcs, [&](std::int32_t row, std::int32_t column, auto take) {
        if (row < first || row >= last) return;
        const std::int64_t place = take(next[row - first]);
        if (static_cast<std::uint64_t>(place) < capacity) values[place] = column;
        else fits.store(false, std::memory_order_relaxed);
    });
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
