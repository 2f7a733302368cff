// The key of a node seen from a pair: the radius, its distances from both ends, its degrees and its label, as one code.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/graph.hpp"
#include "core/keys.hpp"
#include "core/parallel.hpp"

namespace egonet {

// What rows list: both ends of every edge, the targets of arcs, or their sources.
enum class Direction { none, out, in };

// What is counted around a pair (u, v). `ordered` keeps the distance from u before the distance from v; otherwise the
// smaller one comes first.
struct PairSettings {
    std::vector<std::int64_t> radii;  // without repeats; columns are in this order
    Degrees degrees;
    Follow follow;  // for degrees in_out
    bool without_edge;
    bool ordered;
    std::int64_t max_degree;  // higher degrees count as it; negative: no limit
    bool log_bins;            // degrees 0, 1, 2-3, 4-7, ... count as the lowest of their bin
    Direction direction;
    const std::int32_t* labels;  // of every node; null: keys have no label
    bool divided;                // edges are nodes between their ends: without_edge leaves these out

    std::int64_t largest_radius() const { return *std::max_element(radii.begin(), radii.end()); }
};

// Codes of one radius follow those of another, so that columns are in the order of the radii.
class PairCodec final : public KeyForm {
public:
    // The codes of one radius.
    struct Block {
        std::int64_t radius;  // no shortest path is longer than the graph has nodes: a larger radius finds the same
        std::int64_t shown;   // the radius that was asked for
        std::int64_t begin;   // the first code
    };

    // No degree is larger than `largest`, no label larger than `largest_label`.
    PairCodec(std::int64_t largest, std::int64_t num_nodes, const PairSettings& settings, std::int64_t largest_label)
        : labels_(settings.labels),
          ordered_(settings.ordered || settings.direction != Direction::none),
          log_bins_(settings.log_bins),
          num_fields_(num_degree_fields(settings.degrees)),
          limit_(settings.max_degree < 0 ? largest : std::min(largest, settings.max_degree)),
          degree_base_(field_of(limit_) + 1),
          label_base_(largest_label + 1) {
        std::int64_t fields = label_base_;
        for (int field = 0; field < num_fields_; ++field) widen(fields, degree_base_);
        for (std::int64_t shown : settings.radii) {
            const std::int64_t radius = std::min(shown, num_nodes);
            std::int64_t range = fields;
            for (int end = 0; end < 2; ++end) widen(range, radius + 2);
            blocks_.push_back({radius, shown, range_});
            if (__builtin_add_overflow(range_, range, &range_)) too_long();
        }
    }

    const std::vector<Block>& blocks() const { return blocks_; }
    std::int64_t range() const { return range_; }
    int width() const override { return 3 + num_fields_ + (labels_ != nullptr); }

    // The code of a node; a distance above the radius stands for everything farther.
    template <class... Fields>
    std::int64_t code(const Block& block, std::int32_t node, std::int64_t from_u, std::int64_t from_v,
                      Fields... fields) const {
        from_u = std::min(from_u, block.radius + 1);
        from_v = std::min(from_v, block.radius + 1);
        if (!ordered_ && from_v < from_u) std::swap(from_u, from_v);
        std::int64_t code = from_u * (block.radius + 2) + from_v;
        ((code = code * degree_base_ + field_of(std::min<std::int64_t>(fields, limit_))), ...);
        return block.begin + (labels_ ? code * label_base_ + labels_[node] : code);
    }

    void decode(std::int64_t code, std::int64_t* key) const override {
        const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), code,
                                            [](std::int64_t value, const Block& block) { return value < block.begin; });
        const Block& block = *(after - 1);
        code -= block.begin;
        if (labels_) {
            key[3 + num_fields_] = code % label_base_;
            code /= label_base_;
        }
        for (int field = num_fields_ - 1; field >= 0; --field) {
            const std::int64_t value = code % degree_base_;
            key[3 + field] = log_bins_ && value > 0 ? std::int64_t{1} << (value - 1) : value;
            code /= degree_base_;
        }
        key[2] = distance_of(block, code % (block.radius + 2));
        key[1] = distance_of(block, code / (block.radius + 2));
        key[0] = block.shown;
    }

private:
    [[noreturn]] static void too_long() {
        throw TooLarge(
            "keys must fit 63 bits, but radius, largest degree and labels of this graph need more. "
            "Set max_degree or a smaller radius.");
    }

    static void widen(std::int64_t& range, std::int64_t base) {
        if (__builtin_mul_overflow(range, base, &range)) too_long();
    }

    std::int64_t field_of(std::int64_t degree) const {
        return log_bins_ ? std::bit_width(static_cast<std::uint64_t>(degree)) : degree;
    }

    static std::int64_t distance_of(const Block& block, std::int64_t field) {
        return field > block.radius ? block.shown + 1 : field;
    }

    const std::int32_t* labels_;
    bool ordered_, log_bins_;
    int num_fields_;
    std::int64_t limit_, degree_base_, label_base_, range_ = 0;
    std::vector<Block> blocks_;
};

}  // namespace egonet
