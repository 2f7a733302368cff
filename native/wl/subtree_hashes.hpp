// Colors of the Weisfeiler-Leman test as hashes: equal in any graph, for any order of nodes.
#pragma once

#include <cstdint>

#include "columns/row_hashes.hpp"
#include "core/graph.hpp"
#include "core/parallel.hpp"

namespace egonet {

// colors    (num_rounds + 1, num_nodes): row 0 is given, row k + 1 is overwritten with
//           mix(golden * mix(color) + sum of mix(color of u) over the neighbors u), colors of row k;
//           with a small factor f, a node of color a with f neighbors b would equal one of color b with f neighbors a
inline void subtree_hashes(Job& job, const Graph& graph, std::int64_t num_rounds, std::uint64_t* colors) {
    for (std::int64_t round = 0; round < num_rounds; ++round) {
        const std::uint64_t* known = colors + round * graph.num_nodes;
        std::uint64_t* next = colors + (round + 1) * graph.num_nodes;
        for_nodes(job, graph.num_nodes, [&](std::int32_t v) {
            std::uint64_t sum = golden * mix(known[v]);
            for (std::int64_t i = graph.indptr[v]; i < graph.indptr[v + 1]; ++i) sum += mix(known[graph.indices[i]]);
            next[v] = mix(sum);
        });
    }
}

}  // namespace egonet
