// What lies around both ends of a pair by its two distances, summed with weights, and walks between the ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
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
          far_(static_cast<std::int32_t>(settings.radius + 1)),
          distance_(graph.num_nodes, far_),
          mass_(settings.walks ? settings.radius + 1 : 0),
          found_(graph.num_nodes + 1),
          ends_(settings.radius + 1),
          reached_(settings.walks ? graph.num_nodes + 1 : 0),
          totals_((settings.radius + 1) * settings.num_weights) {
        for (auto& step : mass_) step.resize(graph.num_nodes);
    }

    // Afterwards `ring(0)` ... `ring(radius)` are the nodes by distance, each in order of discovery; the arc to and from
    // `other` is left out if `gone`.
    void search(std::int32_t root, std::int32_t other, bool gone) {
        clear();
        root_ = root;
        other_ = other;
        gone_ = gone;
        distance_[root] = 0;
        found_[0] = root;
        ends_[0] = 1;
        if (settings_.walks) mass_[0][root] = 1;
        for (std::int64_t step = 1; step <= settings_.radius; ++step) settings_.walks ? walk(step) : discover(step);
    }

    // Radius + 1 for nodes that are farther.
    std::int32_t distance(std::int32_t x) const { return distance_[x]; }
    double mass(std::int32_t x, std::int64_t step) const { return mass_[step][x]; }
    // The nodes at a distance.
    std::span<const std::int32_t> ring(std::int64_t distance) const {
        const std::size_t begin = distance ? ends_[distance - 1] : 0;
        return {found_.data() + begin, ends_[distance] - begin};
    }
    // The sums over the nodes at a distance, num_weights of them, after `sum_weights`.
    const std::int64_t* total(std::int64_t distance) const { return &totals_[distance * settings_.num_weights]; }

    void sum_weights() {
        const std::int64_t width = settings_.num_weights;
        for (std::int64_t step = 0; step <= settings_.radius; ++step) {
            std::int64_t column = 0;
            for (; column + 4 <= width; column += 4) sum_columns<4>(step, column);
            for (; column < width; ++column) sum_columns<1>(step, column);
        }
    }

private:
    using Nodes = std::span<const std::int32_t>;

    // Spreads the mass of walks by a step, and finds the nodes that no shorter walk reaches.
    void walk(std::int64_t step) {
        constexpr double least = std::numeric_limits<double>::denorm_min();
        const std::vector<double>& before = mass_[step - 1];
        std::size_t num_reached = 0;
        // A node at distance `step` has a neighbor that walks reach in one step less, so that these find it.
        for (std::int32_t x : Nodes(found_.data(), ends_[step - 1])) {
            if (before[x] == 0) continue;
            const auto [first, second] = neighbors(x);
            // Never 0, which stands for a node that no walk has reached.
            const double share = std::max(before[x] / double(first.size() + second.size()), least);
            num_reached = spread(first, mass_[step].data(), share, num_reached);
            num_reached = spread(second, mass_[step].data(), share, num_reached);
        }
        std::size_t count = ends_[step - 1];
        for (std::int32_t x : Nodes(reached_.data(), num_reached)) {
            if (distance_[x] != far_) continue;
            found_[count++] = x;
            distance_[x] = static_cast<std::int32_t>(step);
        }
        ends_[step] = count;
    }

    // A node is written behind the last one, and counted if it is new: no branch, which would often be predicted
    // wrongly. Here it is new if it has no mass.
    std::size_t spread(Nodes nodes, double* mass, double share, std::size_t count) {
        std::int32_t* reached = reached_.data();
        for (std::int32_t x : nodes) {
            const double old = mass[x];
            reached[count] = x;
            count += old <= 0;
            mass[x] = old + share;
        }
        return count;
    }

    // Finds the nodes next to those of the last ring.
    void discover(std::int64_t step) {
        std::size_t count = ends_[step - 1];
        for (std::int32_t x : ring(step - 1))
            for (Nodes part : neighbors(x)) count = discover(part, static_cast<std::int32_t>(step), count);
        ends_[step] = count;
    }

    std::size_t discover(Nodes nodes, std::int32_t step, std::size_t count) {
        std::int32_t* distance = distance_.data();
        std::int32_t* found = found_.data();
        const std::int32_t far = far_;
        for (std::int32_t x : nodes) {
            const std::int32_t old = distance[x];
            found[count] = x;
            count += old == far;
            distance[x] = std::min(old, step);
        }
        return count;
    }

    // The neighbors before and after the arc that is left out.
    std::array<Nodes, 2> neighbors(std::int32_t x) const {
        const Nodes all(graph_.indices + graph_.indptr[x], graph_.indices + graph_.indptr[x + 1]);
        if (!gone_ || (x != root_ && x != other_)) return {all, {}};
        const auto place = std::lower_bound(all.begin(), all.end(), x == root_ ? other_ : root_) - all.begin();
        return {all.first(place), all.subspan(place + 1)};
    }

    // Sums in registers, a few columns at once.
    template <int number>
    void sum_columns(std::int64_t step, std::int64_t column) {
        const std::int64_t width = settings_.num_weights;
        std::int64_t sums[number] = {};
        for (std::int32_t x : ring(step))
            for (int k = 0; k < number; ++k) sums[k] += settings_.weights[x * width + column + k];
        std::copy_n(sums, number, &totals_[step * width + column]);
    }

    void clear() {
        for (std::int64_t step = 0; step <= settings_.radius; ++step) {
            for (std::int32_t x : ring(step)) distance_[x] = far_;
            if (!settings_.walks) continue;
            for (std::int32_t x : Nodes(found_.data(), ends_[step])) mass_[step][x] = 0;
        }
    }

    const Graph& graph_;
    const LinkSettings& settings_;
    std::int32_t far_;
    std::int32_t root_ = -1, other_ = -1;
    bool gone_ = false;
    std::vector<std::int32_t> distance_;
    std::vector<std::vector<double>> mass_;
    std::vector<std::int32_t> found_;
    std::vector<std::size_t> ends_;  // the number of nodes within each distance
    std::vector<std::int32_t> reached_;
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
        if (gone || u != last_) {
            first_.search(u, v, gone);
            first_.sum_weights();
        }
        last_ = gone ? -1 : u;
        second_.search(v, u, gone);
        std::fill(sums, sums + settings_.num_classes() * settings_.num_weights, 0);
        std::fill(walks, walks + settings_.num_walks(), 0.0);
        for (std::int64_t from_v = 0; from_v <= settings_.radius; ++from_v)
            for (std::int32_t x : second_.ring(from_v)) {
                const std::int64_t from_u = first_.distance(x);
                add(sums, x, from_u, from_v);
                if (settings_.walks && from_u <= settings_.radius)
                    meet(x, std::max({std::int64_t{2}, 2 * from_u - 1, 2 * from_v}), gone && (x == u || x == v), walks);
            }
        sum_far(sums);
    }

private:
    // Adds the walks that meet at a node, of at least `fewest` steps: its distances allow no shorter ones.
    void meet(std::int32_t x, std::int64_t fewest, bool is_cut, double* walks) const {
        const double degree = graph_.degree(x) - is_cut;
        for (std::int64_t steps = fewest; steps <= 2 * settings_.radius; ++steps) {
            const double met = first_.mass(x, (steps + 1) / 2) * second_.mass(x, steps / 2);
            if (met != 0) walks[steps - 2] += met / degree;
        }
    }

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

    // The nodes that are far from v are those around u that both do not share; sums are exact.
    void sum_far(std::int64_t* sums) const {
        const std::int64_t far = settings_.radius + 1;
        for (std::int64_t near = 0; near < far; ++near)
            for (std::int64_t k = 0; k < settings_.num_weights; ++k) {
                std::int64_t left = first_.total(near)[k];
                for (std::int64_t other = 0; other < far; ++other) left -= cell(sums, near, other)[k];
                cell(sums, near, far)[k] = left;
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
