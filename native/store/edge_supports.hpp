// How many triangles of given colors each edge of a graph is in; every triangle is found once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/graph.hpp"

namespace egonet {

// graph     undirected, as for every algorithm
// colors   one per node
// triple    the three colors of a triangle that counts, increasing
// supports  one per arc, zeros; only arcs u → v with u ranked below v (by degree, then number) are counted up
inline void edge_supports(const Graph& graph, const std::int32_t* colors, const std::array<std::int32_t, 3>& triple,
                          std::int32_t* supports) {
    const auto below = [&](std::int32_t a, std::int32_t b) {
        const std::int32_t x = graph.degree(a), y = graph.degree(b);
        return x < y || (x == y && a < b);
    };
    std::vector<std::int64_t> arc_to(graph.num_nodes, -1);
    for (std::int32_t u = 0; u < graph.num_nodes; ++u) {
        for (std::int64_t arc = graph.indptr[u]; arc < graph.indptr[u + 1]; ++arc)
            if (below(u, graph.indices[arc])) arc_to[graph.indices[arc]] = arc;
        // Every triangle whose lowest node is u has a second node v here and its third among v's higher ones.
        for (std::int64_t first = graph.indptr[u]; first < graph.indptr[u + 1]; ++first) {
            const std::int32_t v = graph.indices[first];
            if (!below(u, v)) continue;
            for (std::int64_t second = graph.indptr[v]; second < graph.indptr[v + 1]; ++second) {
                const std::int32_t w = graph.indices[second];
                if (arc_to[w] < 0 || !below(v, w)) continue;
                std::array<std::int32_t, 3> found{colors[u], colors[v], colors[w]};
                std::sort(found.begin(), found.end());
                if (found != triple) continue;
                ++supports[first];
                ++supports[second];
                ++supports[arc_to[w]];
            }
        }
        for (std::int64_t arc = graph.indptr[u]; arc < graph.indptr[u + 1]; ++arc) arc_to[graph.indices[arc]] = -1;
    }
}

}  // namespace egonet
