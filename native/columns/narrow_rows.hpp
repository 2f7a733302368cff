// The rows of a graph as 32-bit positions, and what its degrees are like: one look at rows that are in the cache then.
#pragma once

#include <algorithm>
#include <cstdint>

namespace egonet {

struct DegreeFacts {
    std::int32_t largest = 0;
    std::uint64_t sum_of_squares = 0;
    std::int32_t num_isolated = 0;
};

// indptr     int64 (num_nodes + 1,)  rising from 0, the last below 2^31
// positions  int32 (num_nodes + 1,)  the same numbers
inline DegreeFacts narrow_rows(const std::int64_t* indptr, std::int64_t num_nodes, std::int32_t* positions) {
    for (std::int64_t row = 0; row <= num_nodes; ++row) positions[row] = static_cast<std::int32_t>(indptr[row]);
    DegreeFacts facts;
    // All rows before this one are counted.
    for (std::int64_t row = 0; row < num_nodes; ++row) {
        const std::int32_t degree = positions[row + 1] - positions[row];
        const auto plain = static_cast<std::uint32_t>(degree);
        facts.largest = std::max(facts.largest, degree);
        facts.sum_of_squares += static_cast<std::uint64_t>(plain) * plain;
        facts.num_isolated += degree == 0;
    }
    return facts;
}

}  // namespace egonet
