// Radius 1, rows of consecutive roots from the triangles at each of their arcs.
#pragma once

#include <cstdint>

#include "core/graph.hpp"
#include "core/keys.hpp"
#include "encode/triangle.hpp"

namespace egonet {

// The arcs of the roots first ... first + count - 1, one list after the other: neighbors, and triangles at each.
struct SupportedArcs {
    std::int64_t first, count;
    const std::int32_t* indices;  // read only if nodes have labels
    const std::int32_t* supports;
};

template <class Tally>
class ArcSearch {
public:
    ArcSearch(const Graph& graph, const Settings& settings, const KeyCodec& codec, const SupportedArcs& arcs,
              Tally& tally)
        : graph_(graph), settings_(settings), codec_(codec), arcs_(arcs), tally_(tally) {}

    void operator()(std::int64_t row) {
        const auto root = static_cast<std::int32_t>(arcs_.first + row);
        const std::int64_t base = graph_.indptr[arcs_.first];
        tally_.add(root_code(codec_, settings_.degrees, root, graph_.degree(root)));
        for (std::int64_t arc = graph_.indptr[root] - base; arc < graph_.indptr[root + 1] - base; ++arc) {
            const std::int64_t node = codec_.has_labels() ? arcs_.indices[arc] : 0;
            tally_.add(neighbor_code(codec_, settings_.degrees, node, arcs_.supports[arc]));
        }
    }

private:
    const Graph& graph_;
    const Settings& settings_;
    const KeyCodec& codec_;
    const SupportedArcs& arcs_;
    Tally& tally_;
};

}  // namespace egonet
