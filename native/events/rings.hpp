// Histograms of the nodes around an end: how many events each has in and out inside the end's ego-network.
#pragma once

#include <cstdint>
#include <vector>

#include "events/window_partners.hpp"

namespace egonet::events {

inline constexpr int num_bins = 4;
inline constexpr int num_cells = num_bins * num_bins - 1;  // no node of a ring is without events

// The bins 0, 1, 2 to 3, and 4 or more.
inline int bin_of(std::int64_t count) { return count < 2 ? static_cast<int>(count) : count < 4 ? 2 : 3; }

// Breadth-first search along events in any direction. After `search`, `nodes` lists what was found, the root first, and
// `distance` is -1 for all other nodes.
class Ball {
public:
    // Events between the two nodes of a pair are not followed if `skipped` has a pair of different nodes.
    template <class Graph>
    void search(const Graph& graph, std::size_t num_nodes, std::int32_t root, std::int32_t radius,
                std::pair<std::int32_t, std::int32_t> skipped = {-1, -1}) {
        for (const std::int32_t node : nodes_) distance_[node] = -1;
        nodes_.clear();
        if (distance_.size() < num_nodes) distance_.resize(num_nodes, -1);
        distance_[root] = 0;
        nodes_.push_back(root);
        // When node i is reached, all nodes nearer than it have been expanded.
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const std::int32_t node = nodes_[i];
            if (distance_[node] == radius) break;
            for (const Partner& each : graph.partners(node)) {
                if (distance_[each.id] >= 0) continue;
                if ((node == skipped.first && each.id == skipped.second) ||
                    (node == skipped.second && each.id == skipped.first))
                    continue;
                distance_[each.id] = distance_[node] + 1;
                nodes_.push_back(each.id);
                graph.prefetch_row(each.id);
            }
        }
    }

    const std::vector<std::int32_t>& nodes() const { return nodes_; }
    std::int32_t distance(std::int32_t node) const { return distance_[node]; }

private:
    std::vector<std::int32_t> nodes_, distance_;
};

// Adds to cells[distance - 1][in bin, out bin] for every node of the ball but its root.
template <class Graph>
void count_rings(const Graph& graph, const Ball& ball, double* cells) {
    const auto& nodes = ball.nodes();
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 1; i < nodes.size() && i < ahead; ++i) graph.prefetch_partners(nodes[i]);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        if (i + ahead - 1 < nodes.size()) graph.prefetch_partners(nodes[i + ahead - 1]);
        const std::int32_t node = nodes[i];
        const auto& partners = graph.partners(node);
        std::int64_t to = 0, from = 0;
        if (partners.size() > 16 * nodes.size()) {  // a node with many partners and few of them inside
            for (const std::int32_t other : nodes) {
                const std::int64_t place = other == node ? -1 : graph.find(node, other);
                if (place < 0) continue;
                to += partners[place].events[in];
                from += partners[place].events[out];
            }
        } else {
            for (const Partner& each : partners) {
                if (each.id == node || ball.distance(each.id) < 0) continue;
                to += each.events[in];
                from += each.events[out];
            }
        }
        cells[(ball.distance(node) - 1) * num_cells + bin_of(to) * num_bins + bin_of(from) - 1] += 1.0;
    }
}

}  // namespace egonet::events
