// The row of one root, searched straight in a patched graph: for a few roots, which no preparation would pay back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/graph.hpp"
#include "core/key_book.hpp"
#include "update/patched_graph.hpp"

namespace egonet {

// One row, or what is to be added to one, sorted by the rank of its columns; counts are never 0.
using RowEntries = std::vector<std::pair<std::int32_t, std::int32_t>>;

// How many neighbors of a node are one hop closer to the root, as far, and one hop farther.
struct Directions {
    std::int64_t closer, same, farther;
};

// The key of a node that has these neighbors inside the ego-network.
inline Key node_key(const Settings& settings, bool log_bins, std::int32_t node, std::int64_t distance,
                    const Directions& to) {
    const std::int64_t fields[3] = {to.closer, to.same, to.farther};
    const std::int64_t total = to.closer + to.same + to.farther;
    const int num_fields = 1 + static_cast<int>(settings.degrees);
    const std::int64_t* first = settings.degrees == Degrees::total ? &total : fields + 3 - num_fields;
    Key key{settings.radius, distance};
    for (int i = 0; i < num_fields; ++i) {
        std::int64_t field = first[i];
        if (settings.max_degree >= 0) field = std::min(field, settings.max_degree);
        if (log_bins) field = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(field)));
        key[2 + i] = field;
    }
    if (settings.labels) key[2 + num_fields] = settings.labels[node];
    return key;
}

class PatchedRows {
public:
    PatchedRows(const PatchedGraph& graph, const Settings& settings, bool log_bins, KeyBook& book, Ball& ball)
        : graph_(graph), settings_(settings), log_bins_(log_bins), book_(book), ball_(ball) {}

    // Sorted by column, not yet by rank.
    RowEntries row(std::int32_t root) {
        ball_.search(graph_, std::span(&root, 1), settings_.radius);
        RowEntries row;
        row.reserve(16);
        // Before each step places_[c] - 1 is where the row has column c, or -1 if it does not have it yet.
        for (std::size_t place = 0; place < ball_.nodes().size(); ++place) {
            const std::int32_t node = ball_.nodes()[place];
            const std::int64_t distance = ball_.distance_at(place);
            const std::int32_t column = book_.column(node_key(settings_, log_bins_, node, distance, count(place)));
            if (static_cast<std::size_t>(column) >= places_.size()) places_.resize(column + 1 + column / 2);
            if (!places_[column]) {
                row.emplace_back(column, 0);
                places_[column] = static_cast<std::int32_t>(row.size());
            }
            ++row[places_[column] - 1].second;
        }
        for (const auto& entry : row) places_[entry.first] = 0;
        std::sort(row.begin(), row.end());
        return row;
    }

private:
    // Only the nodes of the last ring have neighbors outside; all others keep their degree.
    Directions count(std::size_t place) const {
        const std::int64_t distance = ball_.distance_at(place);
        const auto neighbors = graph_.neighbors(ball_.nodes()[place]);
        const auto degree = static_cast<std::int64_t>(neighbors.size());
        const bool last = distance == settings_.radius && distance > 0;
        const bool total = settings_.degrees == Degrees::total;
        if (distance == 0 || (total && !last)) return {0, 0, degree};
        if (total && settings_.frontier_edges) return {0, ball_.count_inside(neighbors), 0};
        std::int64_t closer = 0, same = 0;
        for (std::int32_t w : neighbors) {
            const std::int64_t there = ball_.distance(w);
            closer += there == distance - 1;
            same += there == distance;
        }
        if (last && !settings_.frontier_edges) same = 0;
        return {closer, same, last ? 0 : degree - closer - same};
    }

    const PatchedGraph& graph_;
    const Settings& settings_;
    bool log_bins_;
    KeyBook& book_;
    Ball& ball_;
    std::vector<std::int32_t> places_;  // left all 0
};

}  // namespace egonet
