// The ego-network or the component of a root as a small graph with labels, for algorithms that search in it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/graph.hpp"

namespace egonet {

// A graph with a label per node and per arc; null where there are none.
struct LabeledGraph {
    Graph graph;
    const std::int32_t* labels;      // at least 0
    const std::int32_t* arc_labels;  // 0 ... num_kinds - 1, equal for both arcs of an edge
    std::int32_t num_kinds;          // 1 without arc labels
};

// Node 0 is the root, the others follow by distance. `labels` and `kinds` are empty where there are none.
struct LocalGraph {
    std::vector<std::int32_t> node, distance, labels;
    std::vector<std::int32_t> indptr, indices, kinds;
    std::int32_t num_kinds = 1;

    std::int32_t num_nodes() const { return static_cast<std::int32_t>(node.size()); }
};

constexpr std::int64_t no_radius = std::numeric_limits<std::int64_t>::max();

// Writes the distance of every node from one of them; all are reachable.
inline void local_distances(const LocalGraph& local, std::int32_t root, std::vector<std::int32_t>& distance,
                            std::vector<std::int32_t>& queue) {
    distance.assign(local.num_nodes(), -1);
    queue.assign(1, root);
    distance[root] = 0;
    // Before each step everything nearer than queue[k] has its distance.
    for (std::size_t k = 0; k < queue.size(); ++k)
        for (std::int32_t arc = local.indptr[queue[k]]; arc < local.indptr[queue[k] + 1]; ++arc) {
            const std::int32_t u = local.indices[arc];
            if (distance[u] >= 0) continue;
            distance[u] = distance[queue[k]] + 1;
            queue.push_back(u);
        }
}

// Copies ego-networks out of a graph; scratch is one number a node.
class LocalGraphs {
public:
    explicit LocalGraphs(const LabeledGraph& source) : source_(source), place_(source.graph.num_nodes, -1) {}

    // Everything within `radius` of the root, and the edges among it.
    void operator()(std::int32_t root, std::int64_t radius, LocalGraph& local) {
        const Graph& graph = source_.graph;
        local.node.clear();
        local.distance.clear();
        const auto visit = [&](std::int32_t v, std::int32_t distance) {
            place_[v] = local.num_nodes();
            local.node.push_back(v);
            local.distance.push_back(distance);
        };
        visit(root, 0);
        // Before each step everything nearer than node[k] has been visited, and all its neighbors.
        for (std::size_t k = 0; k < local.node.size() && local.distance[k] < radius; ++k)
            for (std::int64_t arc = graph.indptr[local.node[k]]; arc < graph.indptr[local.node[k] + 1]; ++arc)
                if (place_[graph.indices[arc]] < 0) visit(graph.indices[arc], local.distance[k] + 1);
        copy_arcs(local);
        for (const std::int32_t v : local.node) place_[v] = -1;
    }

private:
    void copy_arcs(LocalGraph& local) const {
        const Graph& graph = source_.graph;
        local.num_kinds = source_.num_kinds;
        local.labels.clear();
        local.indptr.assign(1, 0);
        local.indices.clear();
        local.kinds.clear();
        for (const std::int32_t v : local.node) {
            if (source_.labels) local.labels.push_back(source_.labels[v]);
            for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1]; ++arc) {
                if (place_[graph.indices[arc]] < 0) continue;
                local.indices.push_back(place_[graph.indices[arc]]);
                if (source_.arc_labels) local.kinds.push_back(source_.arc_labels[arc]);
            }
            local.indptr.push_back(static_cast<std::int32_t>(local.indices.size()));
        }
    }

    LabeledGraph source_;
    std::vector<std::int32_t> place_;  // the position of a node in the copy, or -1
};

}  // namespace egonet
