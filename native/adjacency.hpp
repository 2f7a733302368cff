// The graph laid out for searches: one header a vertex, and the neighbours of higher rank at the end of each list.
#pragma once

#include <cstdint>

#include "graph.hpp"
#include "rows.hpp"
#include "workers.hpp"

namespace egonet {

// Ranks rise with the degree, ties by vertex number.
inline bool ranks_below(const Graph& graph, std::int32_t a, std::int32_t b) {
    const std::int32_t degree_a = graph.degree(a), degree_b = graph.degree(b);
    return degree_a < degree_b || (degree_a == degree_b && a < b);
}

struct Adjacency {
    // Neighbours are indices[begin] ... indices[begin + degree - 1]; in a split layout the first `lower` of them
    // rank below the vertex and the others above.
    struct Row {
        std::int64_t begin;
        std::int32_t lower;
        std::int32_t degree;
    };

    std::int64_t num_nodes;
    Buffer<Row> rows;
    const std::int32_t* indices;
    Buffer<std::int32_t> owned;  // the reordered neighbours of a split layout; null: those of the graph serve
    bool split() const { return owned != nullptr; }
};

// `split` copies the neighbours; without it the graph's own array serves and must outlive the result.
inline Adjacency make_adjacency(Job& job, const Graph& graph, bool split) {
    Adjacency adjacency{graph.num_nodes, make_buffer<Adjacency::Row>(graph.num_nodes), graph.indices, nullptr};
    if (split) {
        adjacency.owned = make_buffer<std::int32_t>(graph.num_arcs());
        adjacency.indices = adjacency.owned.get();
    }
    constexpr std::int64_t stretch = 4096;
    run_blocks(job, (graph.num_nodes + stretch - 1) / stretch, [&](int) {
        return [&](std::int64_t block) {
            for (std::int64_t i = block * stretch; i < std::min(graph.num_nodes, (block + 1) * stretch); ++i) {
                const auto v = static_cast<std::int32_t>(i);
                const std::int64_t begin = graph.indptr[v], end = graph.indptr[v + 1];
                std::int64_t front = begin, back = end;
                // Neighbours before `front` rank below v, those from `back` on above; every arc read is in one of them.
                if (split)
                    for (std::int64_t arc = begin; arc < end; ++arc) {
                        const std::int32_t u = graph.indices[arc];
                        adjacency.owned[ranks_below(graph, u, v) ? front++ : --back] = u;
                    }
                adjacency.rows[v] = {begin, static_cast<std::int32_t>(front - begin), graph.degree(v)};
            }
        };
    });
    return adjacency;
}

}  // namespace egonet
