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

// The nodes within the radius of one end: their distances, and where walks of 1 ... radius steps are.
class LinkSide {
public:
    LinkSide(const Graph& graph, const LinkSettings& settings)
        : graph_(graph),
          settings_(settings),
          distance_(graph.num_nodes, unseen),
          mass_(settings.walks ? settings.radius + 1 : 0),
          found_(graph.num_nodes + 1),
          totals_((settings.radius + 1) * settings.num_weights) {
        for (auto& step : mass_) step.resize(graph.num_nodes);
    }

    // Afterwards `begin()` ... `end()` are the nodes in order of discovery; the arc to and from `other` is left out if
    // `gone`.
    void search(std::int32_t root, std::int32_t other, bool gone) {
        clear();
        distance_[root] = 0;
        found_[0] = root;
        num_found_ = 1;
        if (settings_.walks) mass_[0][root] = 1;
        for (std::int64_t step = 1; step <= settings_.radius; ++step) {
            const std::size_t size = num_found_;
            // Nodes before `size` are nearer than `step`. A node at distance `step` has a neighbor that walks reach in
            // one step less, so that the walks find it.
            for (std::size_t next = 0; next < size; ++next) {
                const std::int32_t x = found_[next];
                const bool is_cut = gone && (x == root || x == other);
                const std::int32_t left_out = is_cut ? (x == root ? other : root) : -1;
                if (!settings_.walks) {
                    if (distance_[x] == step - 1) spread<false>(x, left_out, step, 0);
                } else if (mass_[step - 1][x] != 0) {
                    spread<true>(x, left_out, step, mass_[step - 1][x] / (graph_.degree(x) - is_cut));
                }
            }
        }
        sum_weights();
    }

    bool has(std::int32_t x) const { return distance_[x] != unseen; }
    std::int32_t distance(std::int32_t x) const { return distance_[x]; }
    double mass(std::int32_t x, std::int64_t step) const { return mass_[step][x]; }
    // The sums over the nodes at a distance, num_weights of them.
    const std::int64_t* total(std::int64_t distance) const { return &totals_[distance * settings_.num_weights]; }
    const std::int32_t* begin() const { return found_.data(); }
    const std::int32_t* end() const { return found_.data() + num_found_; }

private:
    static constexpr std::int32_t unseen = -1;

    // A node is written behind the last one, and counted if it is new: no branch, which would often be predicted wrongly.
    template <bool walks>
    void spread(std::int32_t x, std::int32_t left_out, std::int64_t step, double share) {
        std::int32_t* distance = distance_.data();
        std::int32_t* found = found_.data();
        double* mass = walks ? mass_[step].data() : nullptr;
        std::size_t count = num_found_;
        for (std::int64_t arc = graph_.indptr[x]; arc < graph_.indptr[x + 1]; ++arc) {
            const std::int32_t w = graph_.indices[arc];
            if (w == left_out) continue;
            if constexpr (walks) mass[w] += share;
            const std::int32_t old = distance[w];
            found[count] = w;
            count += old == unseen;
            distance[w] = old == unseen ? static_cast<std::int32_t>(step) : old;
        }
        num_found_ = count;
    }

    void sum_weights() {
        const std::int64_t width = settings_.num_weights;
        std::fill(totals_.begin(), totals_.end(), 0);
        for (std::int32_t x : *this) {
            std::int64_t* here = &totals_[distance_[x] * width];
            for (std::int64_t k = 0; k < width; ++k) here[k] += settings_.weights[x * width + k];
        }
    }

    void clear() {
        for (std::int32_t x : *this) {
            distance_[x] = unseen;
            for (auto& step : mass_) step[x] = 0;
        }
    }

    const Graph& graph_;
    const LinkSettings& settings_;
    std::vector<std::int32_t> distance_;
    std::vector<std::vector<double>> mass_;
    std::vector<std::int32_t> found_;
    std::size_t num_found_ = 0;
    std::vector<std::int64_t> totals_;
};

class LinkSearch {
public:
    LinkSearch(const Graph& graph, const LinkSettings& settings)
        : graph_(graph), settings_(settings), first_(graph, settings), second_(graph, settings) {}

    // Writes the sums of every class (distance from u, distance from v), and the walks.
    void operator()(std::int32_t u, std::int32_t v, std::int64_t* sums, double* walks) {
        const bool gone = settings_.without_edge && has_arc(u, v);
        // What lies around u without an edge to leave out is the same for the next pair.
        if (gone || u != last_) first_.search(u, v, gone);
        last_ = gone ? -1 : u;
        second_.search(v, u, gone);
        std::fill(sums, sums + settings_.num_classes() * settings_.num_weights, 0);
        std::fill(walks, walks + settings_.num_walks(), 0.0);
        for (std::int32_t x : second_) {
            if (!first_.has(x)) continue;
            add(sums, x, first_.distance(x), second_.distance(x));
            if (!settings_.walks) continue;
            const double degree = graph_.degree(x) - (gone && (x == u || x == v));
            for (std::int64_t steps = 2; steps <= 2 * settings_.radius; ++steps) {
                const double met = first_.mass(x, (steps + 1) / 2) * second_.mass(x, steps / 2);
                if (met != 0) walks[steps - 2] += met / degree;
            }
        }
        sum_far(sums);
    }

private:
    bool has_arc(std::int32_t a, std::int32_t b) const {
        return std::binary_search(graph_.indices + graph_.indptr[a], graph_.indices + graph_.indptr[a + 1], b);
    }

    std::int64_t* cell(std::int64_t* sums, std::int64_t from_u, std::int64_t from_v) const {
        return sums + (from_u * (settings_.radius + 2) + from_v) * settings_.num_weights;
    }

    void add(std::int64_t* sums, std::int32_t x, std::int64_t from_u, std::int64_t from_v) const {
        std::int64_t* here = cell(sums, from_u, from_v);
        for (std::int64_t k = 0; k < settings_.num_weights; ++k)
            here[k] += settings_.weights[std::int64_t{x} * settings_.num_weights + k];
    }

    // The nodes that are far from one end are those around the other that both do not share; sums are exact.
    void sum_far(std::int64_t* sums) const {
        const std::int64_t far = settings_.radius + 1;
        for (std::int64_t near = 0; near < far; ++near)
            for (std::int64_t k = 0; k < settings_.num_weights; ++k) {
                std::int64_t first = first_.total(near)[k], second = second_.total(near)[k];
                for (std::int64_t other = 0; other < far; ++other) {
                    first -= cell(sums, near, other)[k];
                    second -= cell(sums, other, near)[k];
                }
                cell(sums, near, far)[k] = first;
                cell(sums, far, near)[k] = second;
            }
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
