// An undirected graph with its nodes renamed by degree, and every edge kept at its lower end.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/graph.hpp"
#include "core/workers.hpp"

namespace egonet {

// The graph with nodes renamed by rank (increasing degree, ties by number) and each edge kept at its lower end:
// the neighbors of higher rank of the node of rank i are higher[begin[i]] ... higher[begin[i + 1] - 1].
// Ranking by degree bounds every such list by sqrt(2 * num_edges), whatever the hubs.
struct RankedGraph {
    std::int64_t num_nodes, num_edges;
    Buffer<std::int32_t> node;  // of a rank
    Buffer<std::int32_t> rank;  // of a node
    Buffer<std::int64_t> begin;
    Buffer<std::int32_t> higher;
    std::vector<std::int64_t> cuts;  // the ranks in blocks of about the same number of edges: block b begins at cuts[b]

    std::int64_t num_blocks() const { return static_cast<std::int64_t>(cuts.size()) - 1; }
};

// Calls work(rank) for every rank of a block.
template <class Work>
void for_ranks(const RankedGraph& ranked, std::int64_t block, Work work) {
    for (std::int64_t rank = ranked.cuts[block]; rank < ranked.cuts[block + 1]; ++rank) work(rank);
}

RankedGraph rank_graph(Job& job, const Graph& graph, std::int64_t largest_degree);

}  // namespace egonet
