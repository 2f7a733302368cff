// What lies around both ends of a pair by its two distances, summed with weights, and walks between the ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/graph.hpp"
#include "core/workers.hpp"

namespace egonet {

// What is summed around a pair (u, v): columns of integer weights, so that sums are exact in any order.
struct LinkSettings {
    std::int64_t radius;
    bool without_edge;
    bool walks;
    const std::int64_t* weights;  // num_weights for each node
    std::int64_t num_weights;

    std::int64_t num_classes() const { return (radius + 2) * (radius + 2); }
    std::int64_t num_walks() const { return walks ? 2 * radius - 1 : 0; }  // of 2 ... 2 radius steps
};

// The nodes within the radius of one end: their distances, and where walks of 0 ... radius steps are.
class LinkSide {
public:
    static constexpr std::int32_t unseen = -1;

    LinkSide(const Graph& graph, const LinkSettings& settings)
        : distance(graph.num_nodes, unseen), mass(settings.walks ? settings.radius + 1 : 0) {
        for (auto& step : mass) step.resize(graph.num_nodes);
    }

    // Afterwards `found` has the nodes in order of discovery; the arc to and from `other` is left out if `gone`.
    void search(const Graph& graph, std::int64_t radius, std::int32_t root, std::int32_t other, bool gone) {
        clear();
        distance[root] = 0;
        found.assign(1, root);
        if (!mass.empty()) mass[0][root] = 1;
        for (std::int64_t step = 1; step <= radius; ++step) {
            const std::size_t size = found.size();
            // Nodes before `size` are nearer than `step`. A node at distance `step` has a neighbor that walks reach in
            // one step less, so that the walks find it.
            for (std::size_t next = 0; next < size; ++next) {
                const std::int32_t x = found[next];
                const bool is_cut = gone && (x == root || x == other);
                const std::int32_t left_out = is_cut ? (x == root ? other : root) : -1;
                double share = 0;
                if (mass.empty()) {
                    if (distance[x] != step - 1) continue;
                } else {
                    if (mass[step - 1][x] == 0) continue;
                    share = mass[step - 1][x] / (graph.degree(x) - is_cut);
                }
                for (std::int64_t arc = graph.indptr[x]; arc < graph.indptr[x + 1]; ++arc) {
                    const std::int32_t w = graph.indices[arc];
                    if (w == left_out) continue;
                    if (!mass.empty()) mass[step][w] += share;
                    if (distance[w] != unseen) continue;
                    distance[w] = static_cast<std::int32_t>(step);
                    found.push_back(w);
                }
            }
        }
    }

    std::vector<std::int32_t> distance, found;
    std::vector<std::vector<double>> mass;

private:
    void clear() {
        for (std::int32_t x : found) {
            distance[x] = unseen;
            for (auto& step : mass) step[x] = 0;
        }
    }
};

class LinkSearch {
public:
    LinkSearch(const Graph& graph, const LinkSettings& settings)
        : graph_(graph), settings_(settings), first_(graph, settings), second_(graph, settings) {}

    // Writes the sums of every class (distance from u, distance from v), and the walks.
    void operator()(std::int32_t u, std::int32_t v, std::int64_t* sums, double* walks) {
        const bool gone = settings_.without_edge && has_arc(u, v);
        // What lies around u without an edge to leave out is the same for the next pair.
        if (gone || u != last_) first_.search(graph_, settings_.radius, u, v, gone);
        last_ = gone ? -1 : u;
        second_.search(graph_, settings_.radius, v, u, gone);
        std::fill(sums, sums + settings_.num_classes() * settings_.num_weights, 0);
        std::fill(walks, walks + settings_.num_walks(), 0.0);
        const std::int64_t far = settings_.radius + 1;
        for (std::int32_t x : first_.found)
            if (second_.distance[x] == LinkSide::unseen) add(sums, x, first_.distance[x], far);
        for (std::int32_t x : second_.found) {
            const bool is_shared = first_.distance[x] != LinkSide::unseen;
            add(sums, x, is_shared ? first_.distance[x] : far, second_.distance[x]);
            if (!is_shared || !settings_.walks) continue;
            const double degree = graph_.degree(x) - (gone && (x == u || x == v));
            for (std::int64_t steps = 2; steps <= 2 * settings_.radius; ++steps) {
                const double met = first_.mass[(steps + 1) / 2][x] * second_.mass[steps / 2][x];
                if (met != 0) walks[steps - 2] += met / degree;
            }
        }
    }

private:
    bool has_arc(std::int32_t a, std::int32_t b) const {
        return std::binary_search(graph_.indices + graph_.indptr[a], graph_.indices + graph_.indptr[a + 1], b);
    }

    void add(std::int64_t* sums, std::int32_t x, std::int64_t from_u, std::int64_t from_v) const {
        std::int64_t* here = sums + (from_u * (settings_.radius + 2) + from_v) * settings_.num_weights;
        for (std::int64_t k = 0; k < settings_.num_weights; ++k)
            here[k] += settings_.weights[std::int64_t{x} * settings_.num_weights + k];
    }

    const Graph& graph_;
    const LinkSettings& settings_;
    LinkSide first_, second_;
    std::int32_t last_ = -1;
};

struct LinkSums {
    Buffer<std::int64_t> sums;  // num_pairs x classes x weights
    Buffer<double> walks;       // num_pairs x walks
};

// The sums and walks of pairs of different nodes; the same bytes for any number of threads. Pairs with the same first
// node are faster next to each other.
inline LinkSums sum_links(Job& job, const Graph& graph, const LinkSettings& settings, const std::int64_t* pairs,
                          std::int64_t num_pairs) {
    const std::int64_t width = settings.num_classes() * settings.num_weights;
    LinkSums result{make_buffer<std::int64_t>(num_pairs * width),
                    make_buffer<double>(num_pairs * settings.num_walks())};
    constexpr std::int64_t length = 128;
    run_blocks(job, (num_pairs + length - 1) / length, [&](int) {
        return [&, search = LinkSearch(graph, settings)](std::int64_t block) mutable {
            const std::int64_t last = std::min(num_pairs, (block + 1) * length);
            for (std::int64_t row = block * length; row < last; ++row)
                search(static_cast<std::int32_t>(pairs[2 * row]), static_cast<std::int32_t>(pairs[2 * row + 1]),
                       result.sums.get() + row * width, result.walks.get() + row * settings.num_walks());
            job.done += last - block * length;
        };
    });
    return result;
}

}  // namespace egonet
