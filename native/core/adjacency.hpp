// The graph laid out for searches: one header a node, and the neighbors of higher rank at the end of each list.
#pragma once

#include <cstdint>

#include "core/entry.hpp"
#include "core/graph.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/workers.hpp"

namespace egonet {

// Ranks rise with the degree, ties by node number.
inline bool ranks_below(const Graph& graph, std::int32_t a, std::int32_t b) {
    const std::int32_t degree_a = graph.degree(a), degree_b = graph.degree(b);
    return degree_a < degree_b || (degree_a == degree_b && a < b);
}

struct Adjacency {
    std::int64_t num_nodes;
    Buffer<Row> rows;
    const std::int32_t* indices;
    Buffer<std::int32_t> owned;  // a copy of the neighbors in another order; null: those of the graph serve
    bool split;                  // the copy is in the order that `Row::lower` describes, and meant to be used so
};

// Lays out the neighbors of v from `front` on, renamed: those that rank below v first. `back` is their end.
inline std::int32_t split_row(const Graph& graph, std::int32_t v, const std::int32_t* number, std::int32_t* front,
                              std::int32_t* back) {
    const std::int32_t* const begin = front;
    // Neighbors before `front` rank below v, those from `back` on above; every arc read is in one of them.
    for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1]; ++arc) {
        const std::int32_t u = graph.indices[arc];
        *(ranks_below(graph, u, v) ? front++ : --back) = number ? number[u] : u;
    }
    return static_cast<std::int32_t>(front - begin);
}

// `split` copies the neighbors; without it the result uses the graph's array, which must outlive it.
inline Adjacency make_adjacency(Job& job, const Graph& graph, bool split) {
    Adjacency adjacency{graph.num_nodes, make_buffer<Row>(graph.num_nodes), graph.indices, nullptr, split};
    if (split) {
        adjacency.owned = make_buffer<std::int32_t>(graph.num_arcs());
        adjacency.indices = adjacency.owned.get();
    }
    for_nodes(job, graph.num_nodes, [&](std::int32_t v) {
        const std::int64_t begin = graph.indptr[v], end = graph.indptr[v + 1];
        std::int32_t* copy = adjacency.owned.get();
        const std::int32_t lower = split ? split_row(graph, v, nullptr, copy + begin, copy + end) : 0;
        adjacency.rows[v] = {begin, lower, graph.degree(v)};
    });
    return adjacency;
}

// The same with node nodes[i] renamed to i; `number` is the inverse. The neighbors are always copied.
inline Adjacency make_renamed_adjacency(Job& job, const Graph& graph, const std::int32_t* nodes,
                                        const std::int32_t* number, bool split) {
    Adjacency adjacency{graph.num_nodes, make_buffer<Row>(graph.num_nodes), nullptr,
                        make_buffer<std::int32_t>(graph.num_arcs()), split};
    adjacency.indices = adjacency.owned.get();
    const Buffer<std::int64_t> end = make_buffer<std::int64_t>(graph.num_nodes);
    for_nodes(job, graph.num_nodes, [&](std::int32_t i) { end[i] = graph.degree(nodes[i]); });
    sum_up(job, end.get(), graph.num_nodes);
    for_nodes(job, graph.num_nodes, [&](std::int32_t i) {
        Row& row = adjacency.rows[i];
        const std::int32_t degree = graph.degree(nodes[i]);
        row = {end[i] - degree, 0, degree};
        std::int32_t* copy = adjacency.owned.get() + row.begin;
        row.lower = split_row(graph, nodes[i], number, copy, copy + row.degree);
    });
    return adjacency;
}

}  // namespace egonet
