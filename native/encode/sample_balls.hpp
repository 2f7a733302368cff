// The mean size of a ball, counted from a few roots: what the choice of a GPU search needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/graph.hpp"

namespace egonet {

struct BallSize {
    double nodes = 0, arcs = 0;
};

// Searches from evenly spaced roots, at most 32. After eight roots it stops once `most_arcs` arcs have been read.
inline BallSize sample_balls(const Graph& graph, const Roots& roots, std::int64_t radius, std::int64_t most_arcs) {
    constexpr std::int64_t num_samples = 32, least_samples = 8;
    const Buffer<std::int32_t> search_of = make_untouched_zeros<std::int32_t>(graph.num_nodes);
    std::vector<std::int32_t> queue;
    BallSize sum;
    std::int64_t searches = 0;
    const std::int64_t count = std::min(num_samples, roots.count);
    // An odd stride through a power of two reaches every sample once; the first ones are far apart.
    for (std::int64_t i = num_samples / 2; searches < count; i = (i + 13) % num_samples) {
        if (i >= count) continue;
        const std::int32_t root = roots[roots.count * (2 * i + 1) / (2 * count)];
        const auto search = static_cast<std::int32_t>(++searches);
        queue.assign(1, root);
        search_of[root] = search;
        std::size_t begin = 0;
        // Before each step queue[begin ...] is the ring at `distance`.
        for (std::int64_t distance = 0; distance < radius && begin < queue.size(); ++distance)
            for (const std::size_t end = queue.size(); begin < end; ++begin)
                for (std::int64_t arc = graph.indptr[queue[begin]]; arc < graph.indptr[queue[begin] + 1]; ++arc) {
                    const std::int32_t v = graph.indices[arc];
                    if (search_of[v] == search) continue;
                    search_of[v] = search;
                    queue.push_back(v);
                }
        sum.nodes += static_cast<double>(queue.size());
        for (const std::int32_t v : queue) sum.arcs += graph.degree(v);
        if (searches >= least_samples && sum.arcs > static_cast<double>(most_arcs)) break;
    }
    const double each = static_cast<double>(std::max<std::int64_t>(searches, 1));
    return {sum.nodes / each, sum.arcs / each};
}

}  // namespace egonet
