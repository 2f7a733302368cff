// The edges of ego-networks: counted by the distances and degrees of both ends, or listed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/graph.hpp"
#include "core/keys.hpp"
#include "core/parallel.hpp"
#include "core/searched_rows.hpp"

namespace egonet {

// What is counted; the graph lists both directions of every edge, and the radius is at least 1.
struct EgoEdgeSettings {
    std::int64_t radius;
    Degrees degrees;  // not in_out
    bool frontier_edges;
    std::int64_t max_degree;  // higher degrees count as it; negative: no limit
    bool log_bins;            // degrees 0, 1, 2-3, 4-7, ... count as the lowest of their bin
};

// A key is (distance, other distance, degrees of the first end, degrees of the second): the end with the smaller
// (distance, degrees) comes first. The distances of neighbors differ by at most 1, which is the second digit.
class EgoEdgeCodec final : public KeyForm {
public:
    EgoEdgeCodec(std::int64_t largest, std::int64_t num_nodes, const EgoEdgeSettings& settings)
        : log_bins_(settings.log_bins),
          num_fields_(num_degree_fields(settings.degrees)),
          limit_(settings.max_degree < 0 ? largest : std::min(largest, settings.max_degree)),
          degree_base_(field_of(limit_) + 1),
          end_range_(1) {
        for (int field = 0; field < num_fields_; ++field) widen(end_range_, degree_base_);
        range_ = 2 * (std::min(settings.radius, num_nodes) + 1);
        widen(range_, end_range_);
        widen(range_, end_range_);
    }

    std::int64_t range() const { return range_; }
    int width() const override { return 2 + 2 * num_fields_; }

    // The degrees of one end as one number, whose order is that of the fields.
    template <class... Fields>
    std::int64_t end_code(Fields... fields) const {
        std::int64_t code = 0;
        ((code = code * degree_base_ + field_of(std::min<std::int64_t>(fields, limit_))), ...);
        return code;
    }

    std::int64_t code(std::int64_t distance, std::int64_t degrees, std::int64_t other_distance,
                      std::int64_t other_degrees) const {
        if (std::pair(other_distance, other_degrees) < std::pair(distance, degrees)) {
            std::swap(distance, other_distance);
            std::swap(degrees, other_degrees);
        }
        return ((2 * distance + (other_distance - distance)) * end_range_ + degrees) * end_range_ + other_degrees;
    }

    void decode(std::int64_t code, std::int64_t* key) const override {
        for (int field = 2 * num_fields_ - 1; field >= 0; --field) {
            const std::int64_t value = code % degree_base_;
            key[2 + field] = log_bins_ && value > 0 ? std::int64_t{1} << (value - 1) : value;
            code /= degree_base_;
        }
        key[0] = code / 2;
        key[1] = code / 2 + code % 2;
    }

private:
    static void widen(std::int64_t& range, std::int64_t base) {
        if (__builtin_mul_overflow(range, base, &range))
            throw TooLarge(
                "keys must fit 63 bits, but radius and largest degree of this graph need more. "
                "Set max_degree, or degree_bins=\"log\".");
    }

    std::int64_t field_of(std::int64_t degree) const {
        return log_bins_ ? std::bit_width(static_cast<std::uint64_t>(degree)) : degree;
    }

    bool log_bins_;
    int num_fields_;
    std::int64_t limit_, degree_base_, end_range_, range_;
};

// The nodes of one ego-network in order of distance, with the number of their neighbors one hop closer to the root, as
// far from it, and one hop farther, inside the ego-network.
class EgoNetwork {
public:
    struct Node {
        std::int32_t node, distance, closer, same, farther;
    };

    EgoNetwork(const Graph& graph, std::int64_t radius, bool frontier_edges)
        : graph_(graph), radius_(radius), frontier_edges_(frontier_edges), place_(graph.num_nodes, -1) {}

    const std::vector<Node>& nodes() const { return nodes_; }

    void search(std::int32_t root) {
        for (const Node& known : nodes_) place_[known.node] = -1;
        nodes_.clear();
        append(root, 0);
        // Before each step all nodes before place i have appended their neighbors.
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].distance == radius_) break;
            for_row(nodes_[i].node, [&](std::int32_t w) {
                if (place_[w] < 0) append(w, nodes_[i].distance + 1);
            });
        }
        for (Node& here : nodes_)
            for_row(here.node, [&](std::int32_t w) {
                if (place_[w] < 0) return;
                const std::int32_t step = nodes_[place_[w]].distance - here.distance;
                here.closer += step < 0;
                here.same += step == 0 && is_counted(here.distance, here.distance);
                here.farther += step > 0;
            });
    }

    // Calls visit(place, other) for every edge once; places are those of `nodes`, the first is the smaller.
    template <class Visit>
    void for_edges(Visit visit) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            for_row(nodes_[i].node, [&](std::int32_t w) {
                const std::int32_t other = place_[w];
                if (other > static_cast<std::int32_t>(i) && is_counted(nodes_[i].distance, nodes_[other].distance))
                    visit(static_cast<std::int32_t>(i), other);
            });
    }

private:
    void append(std::int32_t node, std::int32_t distance) {
        place_[node] = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back({node, distance, 0, 0, 0});
    }

    bool is_counted(std::int64_t distance, std::int64_t other) const {
        return frontier_edges_ || std::min(distance, other) < radius_;
    }

    template <class Visit>
    void for_row(std::int32_t v, Visit visit) const {
        for (std::int64_t arc = graph_.indptr[v]; arc < graph_.indptr[v + 1]; ++arc) visit(graph_.indices[arc]);
    }

    Graph graph_;
    std::int64_t radius_;
    bool frontier_edges_;
    std::vector<std::int32_t> place_;  // of the nodes in `nodes_`; -1: outside
    std::vector<Node> nodes_;
};

template <class Tally>
class EgoEdgeSearch {
public:
    EgoEdgeSearch(const Graph& graph, const EgoEdgeSettings& settings, const EgoEdgeCodec& codec, Tally& tally)
        : degrees_(settings.degrees),
          codec_(codec),
          tally_(tally),
          network_(graph, settings.radius, settings.frontier_edges) {}

    void operator()(std::int32_t root) {
        network_.search(root);
        const auto& nodes = network_.nodes();
        ends_.clear();
        for (const auto& node : nodes) ends_.push_back(end_code(node));
        network_.for_edges([&](std::int32_t i, std::int32_t k) {
            tally_.add(codec_.code(nodes[i].distance, ends_[i], nodes[k].distance, ends_[k]));
        });
    }

private:
    std::int64_t end_code(const EgoNetwork::Node& node) const {
        if (degrees_ == Degrees::total) return codec_.end_code(node.closer + node.same + node.farther);
        if (degrees_ == Degrees::layered) return codec_.end_code(node.same, node.farther);
        return codec_.end_code(node.closer, node.same, node.farther);
    }

    Degrees degrees_;
    const EgoEdgeCodec& codec_;
    Tally& tally_;
    EgoNetwork network_;
    std::vector<std::int64_t> ends_;  // the degrees of the nodes of the ego-network, by place
};

// The rows of all roots; the same bytes for any number of threads.
inline Result count_ego_edges(Job& job, const Graph& graph, const EgoEdgeSettings& settings, const Roots& roots) {
    const EgoEdgeCodec codec(KeyCodec::largest_degree_of(job, graph), graph.num_nodes, settings);
    // About two nanoseconds for every arc that a search reads: each hop multiplies them by the mean degree.
    double reads = double(graph.num_arcs()) / double(std::max<std::int64_t>(graph.num_nodes, 1));
    const double mean_degree = reads;
    for (std::int64_t hop = 0; hop < std::min<std::int64_t>(settings.radius, 8); ++hop)
        reads = std::min(reads * mean_degree, double(graph.num_arcs()));
    job.limit_threads(double(roots.count) * (64 + 2 * reads));
    const std::int64_t block_size = std::clamp<std::int64_t>(roots.count / (16 * job.threads), 1, 1024);
    const std::int64_t worth = std::max<std::int64_t>(4096, 4 * (roots.count + graph.num_arcs()));
    return collect_rows(job, codec, {roots.count, block_size, {}}, worth, [&]<class Tally>(Collector& collector) {
        search_rows<Tally>(job, collector, codec.range(), [&](Tally& tally) {
            return [&roots, search = EgoEdgeSearch<Tally>(graph, settings, codec, tally)](std::int64_t row) mutable {
                search(roots[row]);
            };
        });
    });
}

// All ego-networks one after another: (root, node, distance, closer, same, farther) of every node, and the places of
// both ends of every edge among these nodes.
struct EgoNetworkList {
    std::vector<std::int64_t> nodes;  // six numbers each
    std::vector<std::int64_t> edges;  // two numbers each
};

inline EgoNetworkList list_ego_networks(const Graph& graph, std::int64_t radius) {
    EgoNetworkList list;
    EgoNetwork network(graph, radius, true);
    for (std::int64_t root = 0; root < graph.num_nodes; ++root) {
        const auto first = static_cast<std::int64_t>(list.nodes.size()) / 6;
        network.search(static_cast<std::int32_t>(root));
        for (const auto& [node, distance, closer, same, farther] : network.nodes())
            for (const std::int64_t value : {root, std::int64_t{node}, std::int64_t{distance}, std::int64_t{closer},
                                             std::int64_t{same}, std::int64_t{farther}})
                list.nodes.push_back(value);
        network.for_edges([&](std::int32_t i, std::int32_t k) {
            list.edges.push_back(first + i);
            list.edges.push_back(first + k);
        });
    }
    return list;
}

}  // namespace egonet
