// An order of the nodes in which neighbors are close together: breadth-first balls, one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph.hpp"

namespace egonet {

// Grows balls of up to `ball_size` nodes; each starts at the first node that an earlier ball reached but did
// not take, or at the first node left. Returns the nodes in the order they were taken.
inline std::vector<std::int32_t> cluster_order(const Graph& graph, int ball_size) {
    enum State : std::uint8_t { untaken, waiting, taken };
    std::vector<std::int32_t> order, fringe, ball;
    order.reserve(graph.num_nodes);
    std::vector<std::uint8_t> state(graph.num_nodes, untaken);
    std::size_t next_fringe = 0;
    std::int32_t next_node = 0;
    const auto next_start = [&]() -> std::int32_t {
        for (; next_fringe < fringe.size(); ++next_fringe)
            if (state[fringe[next_fringe]] == untaken) return fringe[next_fringe++];
        while (state[next_node] != untaken) ++next_node;
        return next_node;
    };
    // Before each step `order` is made of whole balls, and every node outside it is untaken.
    while (static_cast<std::int64_t>(order.size()) < graph.num_nodes) {
        ball.assign(1, next_start());
        state[ball[0]] = waiting;
        std::size_t done = 0;
        for (; done < ball.size() && done < static_cast<std::size_t>(ball_size); ++done) {
            const std::int32_t v = ball[done];
            order.push_back(v);
            state[v] = taken;
            // A ball whose next members are known need not list the neighbors of hubs.
            if (ball.size() >= 4 * static_cast<std::size_t>(ball_size)) continue;
            for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1]; ++arc)
                if (state[graph.indices[arc]] == untaken) {
                    state[graph.indices[arc]] = waiting;
                    ball.push_back(graph.indices[arc]);
                }
        }
        for (; done < ball.size(); ++done) {
            state[ball[done]] = untaken;
            fringe.push_back(ball[done]);
        }
    }
    return order;
}

}  // namespace egonet
