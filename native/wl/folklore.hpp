// The folklore 2-dimensional Weisfeiler–Leman test (2-FWL, as strong as 3-WL): colors for pairs of nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/graph.hpp"
#include "core/sequence_table.hpp"

namespace egonet {

// Refines the pairs inside each of several graphs, jointly, until no color splits any more. Graph g has the
// nodes graph_ptr[g] ... graph_ptr[g + 1] - 1. Colors of graph g stand at pair_ptr[g] + u * n + v.
class Folklore {
public:
    Folklore(const Graph& graph, const std::int64_t* graph_ptr, std::int64_t num_graphs, const std::int64_t* start)
        : graph_(graph), graph_ptr_(graph_ptr), num_graphs_(num_graphs), pair_ptr_(num_graphs + 1) {
        for (std::int64_t g = 0; g < num_graphs; ++g) pair_ptr_[g + 1] = pair_ptr_[g] + size(g) * size(g);
        colors_.resize(pair_ptr_[num_graphs]);
        first_colors(start);
    }

    // Writes the class of every pair; returns the number of rounds that split something.
    std::int64_t run(std::int64_t* colors) {
        std::int64_t rounds = 0;
        // A round keeps the own color, so a number of colors that stays equal means a partition that does.
        for (std::int32_t before = 0; before != num_colors_; ++rounds) {
            before = num_colors_;
            refine();
        }
        std::copy(colors_.begin(), colors_.end(), colors);
        return rounds - 1;
    }

private:
    std::int64_t size(std::int64_t g) const { return graph_ptr_[g + 1] - graph_ptr_[g]; }

    // A pair starts as (equal, adjacent or apart; the start colors of both).
    void first_colors(const std::int64_t* start) {
        SequenceTable table;
        std::vector<std::int32_t> kind;
        for (std::int64_t g = 0; g < num_graphs_; ++g) {
            const std::int64_t n = size(g), first = graph_ptr_[g];
            for (std::int64_t u = 0; u < n; ++u) {
                kind.assign(n, 0);
                for (std::int64_t arc = graph_.indptr[first + u]; arc < graph_.indptr[first + u + 1]; ++arc)
                    kind[graph_.indices[arc] - first] = 1;
                kind[u] = 2;
                for (std::int64_t v = 0; v < n; ++v) {
                    const std::int32_t sequence[] = {kind[v], static_cast<std::int32_t>(start[first + u]),
                                                     static_cast<std::int32_t>(start[first + v])};
                    colors_[pair_ptr_[g] + u * n + v] = table.intern(sequence);
                }
            }
        }
        num_colors_ = table.size();
    }

    // The new color of (u, v): its own, and the multiset over w of the colors of (u, w) and (w, v).
    void refine() {
        SequenceTable table;
        std::vector<std::int32_t> next(colors_.size());
        for (std::int64_t g = 0; g < num_graphs_; ++g)
            for (std::int64_t u = 0; u < size(g); ++u) refine_row(g, u, table, next.data() + pair_ptr_[g]);
        colors_.swap(next);
        num_colors_ = table.size();
    }

    // The nodes w are sorted by the color of (u, w) once for all v; where that is equal, by that of (w, v).
    void refine_row(std::int64_t g, std::int64_t u, SequenceTable& table, std::int32_t* next) {
        const std::int64_t n = size(g);
        const std::int32_t* pairs = colors_.data() + pair_ptr_[g];
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(),
                  [&](std::int64_t a, std::int64_t b) { return pairs[u * n + a] < pairs[u * n + b]; });
        words_.resize(2 * n + 1);
        std::int32_t* own = words_.data() + 1;
        std::int32_t* through = own + n;
        for (std::int64_t i = 0; i < n; ++i) own[i] = pairs[u * n + order_[i]];
        for (std::int64_t v = 0; v < n; ++v) {
            words_[0] = pairs[u * n + v];
            for (std::int64_t i = 0; i < n; ++i) through[i] = pairs[order_[i] * n + v];
            for (std::int64_t begin = 0, end; begin < n; begin = end) {
                end = begin + 1;
                while (end < n && own[end] == own[begin]) ++end;
                std::sort(through + begin, through + end);
            }
            next[u * n + v] = table.intern(words_);
        }
    }

    const Graph& graph_;
    const std::int64_t* graph_ptr_;
    std::int64_t num_graphs_;
    std::vector<std::int64_t> pair_ptr_;
    std::vector<std::int32_t> colors_;
    std::int32_t num_colors_ = 0;
    std::vector<std::int64_t> order_;
    std::vector<std::int32_t> words_;
};

}  // namespace egonet
