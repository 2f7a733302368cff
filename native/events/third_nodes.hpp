// Third nodes of a pair: how each other node is linked with the source and with the target.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "events/rings.hpp"
#include "events/window_partners.hpp"

namespace egonet::events {

// cells[4 * relation with the source + relation with the target]; cell 0 is not counted.
using ThirdCells = std::array<std::int32_t, 16>;

// The row with fewer partners is searched in the other. Nodes with one link follow from the totals of their end.
template <class Graph>
ThirdCells count_thirds(const Graph& graph, std::int32_t source, std::int32_t target) {
    ThirdCells cells{};
    const auto& one = graph.partners(source);
    const auto& two = graph.partners(target);
    const auto visit = [&](const Partner& a, const Partner& b) {
        if (a.id != source && a.id != target) ++cells[4 * a.relation() + b.relation()];
    };
    if (8 * one.size() < two.size()) {
        for (const Partner& a : one)
            if (const std::int64_t place = graph.find(target, a.id); place >= 0) visit(a, two[place]);
    } else if (8 * two.size() < one.size()) {
        for (const Partner& b : two)
            if (const std::int64_t place = graph.find(source, b.id); place >= 0) visit(one[place], b);
    } else {
        for (std::size_t i = 0, j = 0; i < one.size() && j < two.size();) {
            if (one[i].id == two[j].id) visit(one[i++], two[j++]);
            else if (one[i].id < two[j].id) ++i;
            else ++j;
        }
    }
    for (int end = 0; end < 2; ++end) {
        const std::int32_t node = end == 0 ? source : target, other = end == 0 ? target : source;
        const Totals& totals = graph.totals(node);
        std::array<std::int32_t, 4> alone{0, totals.partners[out] - totals.both, totals.partners[in] - totals.both,
                                          totals.both};
        // The ends themselves are no third nodes.
        const auto skip = [&](std::int32_t skipped) {
            if (const std::int64_t place = graph.find(node, skipped); place >= 0)
                --alone[graph.partners(node)[place].relation()];
        };
        skip(node);
        if (other != node) skip(other);
        for (int mine = 1; mine < 4; ++mine) {
            for (int others = 1; others < 4; ++others)
                alone[mine] -= cells[end == 0 ? 4 * mine + others : 4 * others + mine];
            cells[end == 0 ? 4 * mine : mine] = alone[mine];
        }
    }
    return cells;
}

inline std::int32_t count_common(const ThirdCells& cells) {
    std::int32_t count = 0;
    for (int i = 5; i < 16; ++i) count += i % 4 != 0 ? cells[i] : 0;
    return count;
}

// Adds to the cells (distance from the source, distance from the target) of nodes that are not both "far".
inline void count_distances(const Ball& one, const Ball& two, std::int32_t source, std::int32_t target,
                            std::int32_t radius, double* cells) {
    const std::int32_t far = radius + 1;
    const auto visit = [&](std::int32_t node, std::int32_t from_source, std::int32_t from_target) {
        if (node == source || node == target) return;
        cells[(from_source - 1) * far + from_target - 1] += 1.0;
    };
    for (const std::int32_t node : one.nodes())
        visit(node, one.distance(node), two.distance(node) < 0 ? far : two.distance(node));
    for (const std::int32_t node : two.nodes())
        if (one.distance(node) < 0) visit(node, far, two.distance(node));
}

}  // namespace egonet::events
