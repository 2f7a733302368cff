// The key of a node seen from a pair: its distances from both ends, its degree and its label, as one 64-bit code.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/graph.hpp"
#include "core/keys.hpp"
#include "core/parallel.hpp"

namespace egonet {

// What is counted around a pair (u, v). `ordered` keeps the distance from u before the distance from v; otherwise the
// smaller one comes first.
struct PairSettings {
    std::int64_t radius;
    bool without_edge;
    bool ordered;
    std::int64_t max_degree;               // higher degrees count as it; negative: no limit
    bool log_bins;                         // degrees 0, 1, 2-3, 4-7, ... count as the lowest of their bin
    bool symmetric;                        // every arc has its reverse
    bool rows_are_in;                      // rows list in-neighbors: the arc from u to v is in the row of v
    const std::int32_t* labels = nullptr;  // of every node; null: keys have no label
    bool divided = false;                  // edges are nodes between their ends: without_edge leaves these out
};

class PairCodec final : public KeyForm {
public:
    PairCodec(Job& job, const Graph& graph, const PairSettings& settings)
        : settings_(settings),
          // No shortest path is longer than this, so that a larger radius finds the same.
          radius_(std::min(settings.radius, graph.num_nodes)) {
        const std::int64_t largest =
            largest_of(job, graph.num_nodes, [&](std::int64_t v) { return graph.indptr[v + 1] - graph.indptr[v]; });
        limit_ = settings.max_degree < 0 ? largest : std::min(largest, settings.max_degree);
        degree_base_ = field_of(limit_) + 1;
        label_base_ = 1;
        if (settings.labels)
            label_base_ +=
                largest_of(job, graph.num_nodes, [&](std::int64_t v) { return std::int64_t{settings.labels[v]}; });
        range_ = degree_base_ * label_base_;
        for (int end = 0; end < 2; ++end)
            if (__builtin_mul_overflow(range_, radius_ + 2, &range_))
                throw TooLarge(
                    "keys must fit 63 bits, but radius, largest degree and labels of this graph need more. "
                    "Set max_degree or a smaller radius.");
    }

    std::int64_t radius() const { return radius_; }
    std::int64_t range() const { return range_; }
    int width() const override { return 3 + (settings_.labels != nullptr); }

    // The code of a node. Distances are at most radius() + 1, which stands for everything farther.
    std::int64_t code(std::int32_t node, std::int64_t from_u, std::int64_t from_v, std::int64_t degree) const {
        if (!settings_.ordered && from_v < from_u) std::swap(from_u, from_v);
        const std::int64_t code = (from_u * (radius_ + 2) + from_v) * degree_base_ + field_of(std::min(degree, limit_));
        return settings_.labels ? code * label_base_ + settings_.labels[node] : code;
    }

    void decode(std::int64_t code, std::int64_t* key) const override {
        if (settings_.labels) {
            key[3] = code % label_base_;
            code /= label_base_;
        }
        const std::int64_t field = code % degree_base_;
        key[2] = settings_.log_bins && field > 0 ? std::int64_t{1} << (field - 1) : field;
        code /= degree_base_;
        key[1] = distance_of(code % (radius_ + 2));
        key[0] = distance_of(code / (radius_ + 2));
    }

private:
    std::int64_t field_of(std::int64_t degree) const {
        return settings_.log_bins ? std::bit_width(static_cast<std::uint64_t>(degree)) : degree;
    }

    std::int64_t distance_of(std::int64_t field) const { return field > radius_ ? settings_.radius + 1 : field; }

    const PairSettings& settings_;
    std::int64_t radius_, limit_, degree_base_, label_base_, range_;
};

}  // namespace egonet
