// The small records that all algorithms share.
#pragma once

#include <cstdint>

namespace egonet {

// The neighbors of a node: indices[begin] ... indices[begin + degree - 1]. In a split layout the
// first `lower` of them rank below the node and the others above.
struct Row {
    std::int64_t begin;
    std::int32_t lower;
    std::int32_t degree;
};

// One key of one row before rows are joined: its column, in the numbering of the worker that wrote it, and its count.
struct Entry {
    std::int32_t column;
    std::int32_t count;
};

}  // namespace egonet
