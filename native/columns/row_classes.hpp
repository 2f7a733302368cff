// Numbers for rows: equal numbers if and only if equal rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace egonet {

// Class numbers by first appearance. A hash finds the candidates; equality is always checked on the rows.
inline void row_classes(const std::int64_t* indptr, const std::int32_t* columns, const std::int32_t* values,
                        std::int64_t num_rows, std::int64_t* classes) {
    const auto hash = [&](std::int64_t row) {
        std::uint64_t state = 0x9e3779b97f4a7c15u;
        for (std::int64_t i = indptr[row]; i < indptr[row + 1]; ++i) {
            const std::uint64_t entry = std::uint64_t(std::uint32_t(columns[i])) << 32 | std::uint32_t(values[i]);
            state = (state ^ entry) * 0xff51afd7ed558ccdu;
            state ^= state >> 29;
        }
        return state;
    };
    const auto equal = [&](std::int64_t a, std::int64_t b) {
        const std::int64_t size = indptr[a + 1] - indptr[a];
        if (size != indptr[b + 1] - indptr[b]) return false;
        // Empty rows are equal; of no entries at all the arrays may be null, which memcmp must not be given.
        return size == 0 || (std::memcmp(columns + indptr[a], columns + indptr[b], size * sizeof(std::int32_t)) == 0 &&
                             std::memcmp(values + indptr[a], values + indptr[b], size * sizeof(std::int32_t)) == 0);
    };
    std::size_t size = 64;
    while (size < 2 * static_cast<std::size_t>(num_rows)) size *= 2;
    struct Slot {
        std::uint64_t hash;
        std::int64_t row;  // the first row of its class, or -1
    };
    std::vector<Slot> slots(size, Slot{0, -1});
    std::int64_t num_classes = 0;
    // Before each step the slots hold the first row of every class among the rows read.
    for (std::int64_t row = 0; row < num_rows; ++row) {
        const std::uint64_t key = hash(row);
        std::size_t slot = key & (size - 1);
        while (slots[slot].row >= 0 && !(slots[slot].hash == key && equal(slots[slot].row, row)))
            slot = (slot + 1) & (size - 1);
        if (slots[slot].row < 0) {
            slots[slot] = {key, row};
            classes[row] = num_classes++;
        } else {
            classes[row] = classes[slots[slot].row];
        }
    }
}

}  // namespace egonet
