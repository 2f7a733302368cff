// What every algorithm is given: a graph as arrays, and what to count in it.
#pragma once

#include <cstdint>

namespace egonet {

// Compressed rows: the neighbors of v are indices[indptr[v]] ... indices[indptr[v + 1] - 1], increasing, no loops.
struct Graph {
    const std::int64_t* indptr;
    const std::int32_t* indices;
    std::int64_t num_nodes;

    std::int64_t num_arcs() const { return indptr[num_nodes]; }
    std::int32_t degree(std::int64_t v) const { return static_cast<std::int32_t>(indptr[v + 1] - indptr[v]); }
};

// Which numbers of a node, besides its distance from the root, make its key.
enum class Degrees { total, layered, full, in_out };

// How many numbers that is.
constexpr int num_degree_fields(Degrees degrees) {
    return degrees == Degrees::in_out ? 2 : 1 + static_cast<int>(degrees);
}

// Along which arcs distances are measured, for degrees in_out.
enum class Follow { any, out, in };

struct Settings {
    std::int64_t radius;
    Degrees degrees;
    bool frontier_edges;         // count edges between two nodes at distance == radius
    std::int64_t max_degree;     // degree fields above it count as it; negative: no limit
    const std::int32_t* labels;  // one per node, appended to its key; null: none
    bool symmetric;              // every arc has its reverse
    Follow follow = Follow::any;
};

// The roots to encode, in the order of the rows; without a list, every node in order.
struct Roots {
    const std::int64_t* list;
    std::int64_t count;

    std::int32_t operator[](std::int64_t row) const { return static_cast<std::int32_t>(list ? list[row] : row); }
};

}  // namespace egonet
