// Radius 1 on undirected graphs: every triangle is found once and counted at its three edges.
//
// A neighbor u of the root v has, inside the ego-network of radius 1, one edge to v and one to each common
// neighbor of u and v: its degree is 1 + support(uv), where the support of an edge is its number of triangles.
// So total degrees need (1, 1 + support), layered (1, support, 0) and full (1, 1, support, 0); without frontier
// edges the support counts as 0. Every kind of key is a function of the supports, and this algorithm supports all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/graph.hpp"
#include "core/keys.hpp"
#include "core/rows.hpp"
#include "core/workers.hpp"
#include "encode/ranked.hpp"

namespace egonet {

// The number of triangles at each edge, in the order of `RankedGraph::higher`, and which ranks may be in any (every one
// that is, and few others): on sparse graphs few are, and what belongs to the others is never touched again.
struct Supports {
    Buffer<std::int32_t> support;
    Buffer<std::uint8_t> in_triangle;
};

Supports edge_supports(Job& job, const RankedGraph& ranked);

// As if there were no triangles.
Supports no_supports(Job& job, const RankedGraph& ranked);

// The same numbers for each edge's other end: those of rank i, of edges from lower ranks, are in support[begin] ...
// support[begin + size - 1] of lists[i]. Zeros are left out unless `every` edge is listed, with its neighbor.
struct LowerSide {
    struct List {
        std::int64_t begin;
        std::int32_t size;
    };
    Buffer<List> lists;  // null if all are empty
    Buffer<std::int32_t> support;
    Buffer<std::int32_t> neighbor;  // the rank at the lower end; null unless `every`
};

LowerSide lower_side(Job& job, const Graph& graph, const RankedGraph& ranked, const Supports& supports, bool every);

// The code of a neighbor of the root whose edge to the root lies in `support` triangles.
inline std::int64_t neighbor_code(const KeyCodec& codec, Degrees degrees, std::int64_t node, std::int64_t support) {
    switch (degrees) {
        case Degrees::total: return codec.code(1, node, support + 1);
        case Degrees::layered: return codec.code(1, node, support, 0);
        default: return codec.code(1, node, 1, support, 0);
    }
}

inline std::int64_t root_code(const KeyCodec& codec, Degrees degrees, std::int64_t root, std::int64_t degree) {
    switch (degrees) {
        case Degrees::total: return codec.code(0, root, degree);
        case Degrees::layered: return codec.code(0, root, 0, degree);
        default: return codec.code(0, root, 0, 0, degree);
    }
}

// Writes the rows of blocks of roots from the supports at both ends of every edge.
template <class Tally>
class SupportRows {
public:
    SupportRows(Job& job, const Graph& graph, const Settings& settings, const KeyCodec& codec, const Roots& roots,
                const RankedGraph& ranked, const Supports& supports, const LowerSide& lower, Collector& collector,
                int worker)
        : job_(job),
          graph_(graph),
          degrees_(settings.degrees),
          codec_(codec),
          roots_(roots),
          ranked_(ranked),
          supports_(supports),
          lower_(lower),
          collector_(collector),
          worker_(worker),
          tally_(codec.range()),
          writer_(collector.writer(worker)) {}

    void operator()(std::int64_t block) {
        const Layout& layout = collector_.layout();
        for (std::int64_t row = layout.begin(block); row < layout.end(block); ++row) {
            if (row + prefetch_ahead < layout.end(block)) prefetch(roots_[row + prefetch_ahead]);
            const std::int32_t root = roots_[row];
            if (is_plain(ranked_.rank[root])) {
                write_plain(row, root);
            } else {
                count_neighbors(root);
                writer_.drain_row(row, tally_);
            }
        }
        writer_.end_block(collector_.block(block));
        job_.done += layout.end(block) - layout.begin(block);
    }

    void finish() { collector_.set_codes(worker_, tally_.codes()); }

private:
    static constexpr std::int64_t prefetch_ahead = 8;

    // Without labels all neighbors of a root in no triangle have the same key.
    bool is_plain(std::int32_t rank) const { return !codec_.has_labels() && !supports_.in_triangle[rank]; }

    // Always inlined, or GCC takes it for a function without effect and drops its calls.
    [[gnu::always_inline]] inline void prefetch(std::int32_t root) const {
        const std::int32_t rank = ranked_.rank[root];
        if (is_plain(rank)) return;
        __builtin_prefetch(supports_.support.get() + ranked_.begin[rank]);
        __builtin_prefetch(lower_.support.get() + lower_.lists[rank].begin);
    }

    void write_plain(std::int64_t row, std::int32_t root) {
        const std::int32_t degree = graph_.degree(root);
        Entry* entry = writer_.reserve(2);
        entry[0] = {tally_.column_of(root_code(codec_, degrees_, root, degree)), 1};
        if (degree) entry[1] = {tally_.column_of(neighbor_code(codec_, degrees_, 0, 0)), degree};
        writer_.end_row(row, degree ? 2 : 1);
    }

    // Both loops together meet every neighbor of the root once, but for lower ones without a triangle.
    void count_neighbors(std::int32_t root) {
        const std::int32_t rank = ranked_.rank[root], degree = graph_.degree(root);
        tally_.add(root_code(codec_, degrees_, root, degree));
        const std::int64_t begin = ranked_.begin[rank], end = ranked_.begin[rank + 1];
        for (std::int64_t edge = begin; edge < end; ++edge) {
            const std::int64_t node = codec_.has_labels() ? ranked_.node[ranked_.higher[edge]] : 0;
            tally_.add(neighbor_code(codec_, degrees_, node, supports_.support[edge]));
        }
        const auto [first, size] = lower_.lists[rank];
        for (std::int64_t edge = first; edge < first + size; ++edge) {
            const std::int64_t node = codec_.has_labels() ? ranked_.node[lower_.neighbor[edge]] : 0;
            tally_.add(neighbor_code(codec_, degrees_, node, lower_.support[edge]));
        }
        const auto left_out = static_cast<std::int32_t>(degree - (end - begin) - size);
        if (left_out) tally_.add(neighbor_code(codec_, degrees_, 0, 0), left_out);
    }

    Job& job_;
    const Graph& graph_;
    Degrees degrees_;
    const KeyCodec& codec_;
    const Roots& roots_;
    const RankedGraph& ranked_;
    const Supports& supports_;
    const LowerSide& lower_;
    Collector& collector_;
    int worker_;
    Tally tally_;
    RowWriter writer_;
};

template <class Tally>
void encode_by_triangles(Job& job, const Graph& graph, const Settings& settings, const KeyCodec& codec,
                         const Roots& roots, Collector& collector) {
    const RankedGraph ranked = rank_graph(job, graph, codec.largest_degree());
    const Supports supports = settings.frontier_edges ? edge_supports(job, ranked) : no_supports(job, ranked);
    const LowerSide lower = lower_side(job, graph, ranked, supports, codec.has_labels());
    run_blocks(job, collector.layout().num_blocks(), [&](int worker) {
        return SupportRows<Tally>(job, graph, settings, codec, roots, ranked, supports, lower, collector, worker);
    });
}

}  // namespace egonet
