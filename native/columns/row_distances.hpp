// How far every row is from one row: the sum of absolute differences.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace egonet {

// `query` has a value for every column, `total` is their sum. Both arrays of entries are sorted by row.
inline void row_distances(const std::int64_t* indptr, const std::int32_t* columns, const std::int32_t* values,
                          std::int64_t num_rows, const std::int64_t* query, std::int64_t total,
                          std::int64_t* distances) {
    for (std::int64_t row = 0; row < num_rows; ++row) {
        // Columns without an entry add their value of the query, which the total counts for every column.
        std::int64_t distance = total;
        for (std::int64_t i = indptr[row]; i < indptr[row + 1]; ++i) {
            const std::int64_t wanted = query[columns[i]];
            distance += std::abs(values[i] - wanted) - wanted;
        }
        distances[row] = distance;
    }
}

}  // namespace egonet
