// Validation of a graph from a file: run once, before any kernel reads the arrays.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/parallel.hpp"

namespace egonet {

// indptr rises from 0 to num_arcs.
inline bool are_pointers(const std::int64_t* indptr, std::int64_t num_nodes, std::int64_t num_arcs) {
    if (indptr[0] != 0 || indptr[num_nodes] != num_arcs) return false;
    bool rising = true;
    // After step v, `increasing` says whether indptr rises up to v + 1.
    for (std::int64_t v = 0; v < num_nodes; ++v) rising &= indptr[v] <= indptr[v + 1];
    return rising;
}

// Rows first ... last - 1 hold nodes of the graph in increasing order and not their own; `indices` begins with row first.
// `balance` gains a number for every arc upward and loses the same for the reverse arc: over all rows it is 0 where
// every arc has its reverse, and otherwise not, unless numbers drawn with the secret `salt` cancel by chance.
inline bool are_rows_between(const std::int64_t* indptr, std::int64_t num_nodes, std::int64_t first, std::int64_t last,
                             const std::int32_t* indices, std::uint64_t salt, std::uint64_t& balance) {
    bool fine = true;
    for (std::int64_t v = first; v < last; ++v) {
        std::int64_t before = -1;
        // After every step all neighbors so far are increasing, below num_nodes and not v.
        for (std::int64_t arc = indptr[v] - indptr[first]; arc < indptr[v + 1] - indptr[first]; ++arc) {
            const std::int64_t w = indices[arc];
            fine &= w > before && w < num_nodes && w != v;
            before = w;
            const bool upward = w > v;
            std::uint64_t mixed =
                static_cast<std::uint64_t>(upward ? v : w) << 32 | static_cast<std::uint32_t>(upward ? w : v);
            mixed = (mixed ^ salt) * 0xbf58476d1ce4e5b9u;
            mixed = (mixed ^ mixed >> 32) * 0x94d049bb133111ebu;
            balance += upward ? mixed : 0 - mixed;
        }
    }
    return fine;
}

// The same by all workers.
inline bool are_rows(Job& job, const std::int64_t* indptr, std::int64_t num_nodes, std::int64_t first,
                     std::int64_t last, const std::int32_t* indices, std::uint64_t salt, std::uint64_t& balance) {
    std::atomic<bool> fine{true};
    std::atomic<std::uint64_t> sum{0};
    for_ranges(job, last - first, 4096, [&](std::int64_t begin, std::int64_t end) {
        const std::int32_t* part = indices + (indptr[first + begin] - indptr[first]);
        std::uint64_t found = 0;
        if (!are_rows_between(indptr, num_nodes, first + begin, first + end, part, salt, found)) fine = false;
        sum += found;
    });
    balance += sum;
    return fine;
}

}  // namespace egonet
