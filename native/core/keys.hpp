// A key (distance, degree fields, label) as one 64-bit code whose order is the order of the keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "core/graph.hpp"
#include "core/parallel.hpp"

namespace egonet {

// The graph and the settings need more than 63 bits; the text is for the user.
struct TooLarge : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr const char* too_many_keys =
    "the encoding has more than 2147483647 different keys, which is more columns than fit. "
    "Set max_degree to merge large degrees.";

// What codes stand for: keys of a fixed number of fields.
class KeyForm {
public:
    virtual ~KeyForm() = default;
    virtual int width() const = 0;
    // The key of a code, into width() numbers.
    virtual void decode(std::int64_t code, std::int64_t* key) const = 0;
};

// Mixed radix: every field is smaller than its base, so codes compare as the keys compare, field by field.
class KeyCodec final : public KeyForm {
public:
    KeyCodec(Job& job, const Graph& graph, const Settings& settings)
        : KeyCodec(job, graph, settings, largest_degree_of(job, graph)) {}

    // No degree is larger than `largest`.
    KeyCodec(Job& job, const Graph& graph, const Settings& settings, std::int64_t largest)
        : KeyCodec(largest, graph.num_nodes, settings, largest_label(job, graph, settings)) {}

    // For graphs that change: no degree is larger than `largest`, no label larger than `largest_label`.
    KeyCodec(std::int64_t largest, std::int64_t num_nodes, const Settings& settings, std::int64_t largest_label = 0)
        : labels_(settings.labels), num_fields_(num_degree_fields(settings.degrees)) {
        largest_degree_ = largest;
        limit_ = settings.max_degree < 0 ? largest : std::min(largest, settings.max_degree);
        degree_base_ = limit_ + 1;
        label_base_ = largest_label + 1;
        // No shortest path has more steps than the graph has other nodes.
        range_ = std::min(settings.radius, std::max<std::int64_t>(num_nodes - 1, 0)) + 1;
        for (int field = 0; field < num_fields_; ++field) widen(degree_base_);
        widen(label_base_);
    }

    static std::int64_t largest_degree_of(Job& job, const Graph& graph) {
        return largest_of(job, graph.num_nodes, [&](std::int64_t v) { return graph.indptr[v + 1] - graph.indptr[v]; });
    }

    // Codes are 0 ... range() - 1.
    std::int64_t range() const { return range_; }
    int width() const override { return 1 + num_fields_ + (labels_ != nullptr); }
    std::int64_t largest_degree() const { return largest_degree_; }
    std::int64_t degree_base() const { return degree_base_; }
    std::int64_t label_base() const { return label_base_; }
    std::int64_t degree_limit() const { return limit_; }
    bool has_labels() const { return labels_ != nullptr; }

    // The code of a node; one, two or three degree fields, as the settings said.
    template <class... Fields>
    std::int64_t code(std::int64_t distance, std::int64_t node, Fields... fields) const {
        ((distance = distance * degree_base_ + std::min<std::int64_t>(fields, limit_)), ...);
        return labels_ ? distance * label_base_ + labels_[node] : distance;
    }

    void decode(std::int64_t code, std::int64_t* key) const override {
        if (labels_) {
            key[num_fields_ + 1] = code % label_base_;
            code /= label_base_;
        }
        for (int field = num_fields_; field > 0; --field) {
            key[field] = code % degree_base_;
            code /= degree_base_;
        }
        key[0] = code;
    }

private:
    static std::int64_t largest_label(Job& job, const Graph& graph, const Settings& settings) {
        if (!settings.labels) return 0;
        return largest_of(job, graph.num_nodes, [&](std::int64_t v) { return std::int64_t{settings.labels[v]}; });
    }

    void widen(std::int64_t base) {
        if (__builtin_mul_overflow(range_, base, &range_))
            throw TooLarge(
                "keys must fit 63 bits, but radius, largest degree and labels of this graph need more. "
                "Set max_degree (or a smaller radius) to make them shorter.");
    }

    const std::int32_t* labels_;
    int num_fields_;
    std::int64_t largest_degree_, limit_, degree_base_, label_base_, range_;
};

}  // namespace egonet
