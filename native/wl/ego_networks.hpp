// The ego-networks of some roots as separate graphs in one union.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/graph.hpp"

namespace egonet {

// Copy i has the nodes ptr[i] ... ptr[i + 1] - 1, the root first, then by distance: node k is a copy of node[k]
// at distance[k] from its root, and has the neighbors indices[indptr[k]] ..., increasing.
struct EgoNetworks {
    std::vector<std::int64_t> ptr{0}, indptr{0};
    std::vector<std::int32_t> node, distance, indices;
};

inline EgoNetworks ego_networks(const Graph& graph, const Roots& roots, std::int64_t radius) {
    EgoNetworks found;
    std::vector<std::int32_t> place(graph.num_nodes, -1);
    for (std::int64_t row = 0; row < roots.count; ++row) {
        const auto begin = found.node.size();
        const auto visit = [&](std::int32_t v, std::int32_t distance) {
            place[v] = static_cast<std::int32_t>(found.node.size());
            found.node.push_back(v);
            found.distance.push_back(distance);
        };
        visit(roots[row], 0);
        // Before each step everything nearer than node[k] has been visited, and all its neighbors.
        for (std::size_t k = begin; k < found.node.size() && found.distance[k] < radius; ++k)
            for (std::int64_t arc = graph.indptr[found.node[k]]; arc < graph.indptr[found.node[k] + 1]; ++arc)
                if (place[graph.indices[arc]] < 0) visit(graph.indices[arc], found.distance[k] + 1);
        for (std::size_t k = begin; k < found.node.size(); ++k) {
            for (std::int64_t arc = graph.indptr[found.node[k]]; arc < graph.indptr[found.node[k] + 1]; ++arc)
                if (place[graph.indices[arc]] >= 0) found.indices.push_back(place[graph.indices[arc]]);
            std::sort(found.indices.begin() + found.indptr.back(), found.indices.end());
            found.indptr.push_back(static_cast<std::int64_t>(found.indices.size()));
        }
        for (std::size_t k = begin; k < found.node.size(); ++k) place[found.node[k]] = -1;
        found.ptr.push_back(static_cast<std::int64_t>(found.node.size()));
    }
    return found;
}

}  // namespace egonet
