// Color refinement with cells in an order that no numbering of the nodes changes, and the outcome as a sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "wl/local_graph.hpp"

namespace egonet {

// An ordered partition of the nodes of a local graph: cells are ranges of `order`.
struct OrderedCells {
    std::vector<std::int32_t> order, place;  // place[order[i]] == i
    std::vector<std::int32_t> cell_of;       // per node, where its cell begins in `order`
    std::vector<std::int32_t> size;          // by the begin of a cell
    std::int32_t num_cells = 0;
};

// What an outcome says besides its words.
struct OutcomeInfo {
    bool determined;          // any two cells are joined completely or not at all
    std::int32_t split_cell;  // begin of the smallest cell that is not, the first of equals, or -1
};

// Refines in rounds, as kernel/search_tree.py defines it. In a round every cell is split by the numbers of
// neighbors in the cells of the round before, taken in their order. Cells that did not change in that round split
// nothing, and of a cell that was split, the numbers for all parts but the last determine that for the last, order
// included.
class OrderedRefiner {
public:
    void bind(const LocalGraph& graph) {
        graph_ = &graph;
        const std::int32_t n = graph.num_nodes();
        if (static_cast<std::int32_t>(count_.size()) < n) {
            count_.resize(n);
            hits_.resize(n);
            flagged_.resize(n);
            rank_.resize(n);
        }
        if (static_cast<std::int32_t>(entry_.size()) < n * graph.num_kinds) entry_.resize(n * graph.num_kinds);
    }

    // Cells of equal (distance, label), in this order; all of them have yet to split others.
    void start(OrderedCells& cells, const std::vector<std::int32_t>& distance) {
        const std::int32_t n = graph_->num_nodes();
        cells.order.resize(n);
        cells.place.resize(n);
        cells.cell_of.resize(n);
        cells.size.assign(n, 0);
        cells.num_cells = 0;
        std::iota(cells.order.begin(), cells.order.end(), 0);
        const auto color = [&](std::int32_t v) {
            return std::pair(distance[v], graph_->labels.empty() ? 0 : graph_->labels[v]);
        };
        const auto before = [&](std::int32_t a, std::int32_t b) { return color(a) < color(b); };
        if (!std::is_sorted(cells.order.begin(), cells.order.end(), before))
            std::sort(cells.order.begin(), cells.order.end(), before);
        for (std::int32_t begin = 0, end; begin < n; begin = end) {
            for (end = begin; end < n && color(cells.order[end]) == color(cells.order[begin]); ++end) {
                cells.cell_of[cells.order[end]] = begin;
                cells.place[cells.order[end]] = end;
            }
            cells.size[begin] = end - begin;
            ++cells.num_cells;
            flag(begin);
        }
    }

    // Puts a node in front of the rest of its cell, as a new cell.
    void mark(OrderedCells& cells, std::int32_t v) {
        const std::int32_t begin = cells.cell_of[v], size = cells.size[begin];
        if (size == 1) return;
        exchange(cells, v, begin);
        cells.size[begin] = 1;
        cells.size[begin + 1] = size - 1;
        for (std::int32_t i = begin + 1; i < begin + size; ++i) cells.cell_of[cells.order[i]] = begin + 1;
        ++cells.num_cells;
        flag(begin);
    }

    // Afterwards nodes of one cell have equally many neighbors in every cell.
    void run(OrderedCells& cells) {
        // Before each round next_ has the cells that the round splits by.
        while (!next_.empty() && cells.num_cells < graph_->num_nodes()) {
            std::sort(next_.begin(), next_.end());
            splitters_.clear();
            for (const std::int32_t begin : next_) {
                splitters_.emplace_back(begin, begin + cells.size[begin]);
                flagged_[begin] = 0;
            }
            next_.clear();
            // A splitter may itself be split during the round; its range keeps the same nodes.
            for (const auto& [begin, end] : splitters_)
                for (std::int32_t kind = 0; kind < graph_->num_kinds; ++kind) split_by(cells, begin, end, kind);
        }
        for (const std::int32_t begin : next_) flagged_[begin] = 0;
        next_.clear();
    }

    // Writes the outcome: the number of cells, and per cell its size, its label if there are labels, and how many
    // neighbors a node has in which cells (by arc label, if there are arc labels).
    OutcomeInfo write(const OrderedCells& cells, std::vector<std::int32_t>& words) {
        const std::int32_t n = graph_->num_nodes(), kinds = graph_->num_kinds;
        OutcomeInfo info{true, -1};
        words.assign(1, cells.num_cells);
        begins_.clear();
        for (std::int32_t begin = 0; begin < n; begin += cells.size[begin]) {
            rank_[begin] = static_cast<std::int32_t>(begins_.size());
            begins_.push_back(begin);
        }
        for (const std::int32_t begin : begins_) {
            const std::int32_t v = cells.order[begin];
            listed_.clear();
            for (std::int32_t arc = graph_->indptr[v]; arc < graph_->indptr[v + 1]; ++arc) {
                const std::int32_t rank = rank_[cells.cell_of[graph_->indices[arc]]];
                const std::int32_t entry = kinds == 1 ? rank : rank * kinds + graph_->kinds[arc];
                if (entry_[entry]++ == 0) listed_.push_back(entry);
            }
            std::sort(listed_.begin(), listed_.end());
            words.push_back(cells.size[begin]);
            if (!graph_->labels.empty()) words.push_back(graph_->labels[v]);
            words.push_back(static_cast<std::int32_t>(listed_.size()));
            bool trivial = true;
            for (const std::int32_t entry : listed_) {
                const std::int32_t other = begins_[kinds == 1 ? entry : entry / kinds];
                trivial &= entry_[entry] == cells.size[other] - (other == begin);
                words.push_back(entry);
                words.push_back(entry_[entry]);
                entry_[entry] = 0;
            }
            if (trivial) continue;
            info.determined = false;
            if (info.split_cell < 0 || cells.size[begin] < cells.size[info.split_cell]) info.split_cell = begin;
        }
        return info;
    }

private:
    static void exchange(OrderedCells& cells, std::int32_t v, std::int32_t target) {
        const std::int32_t from = cells.place[v], other = cells.order[target];
        cells.order[target] = v;
        cells.place[v] = target;
        cells.order[from] = other;
        cells.place[other] = from;
    }

    void flag(std::int32_t begin) {
        if (flagged_[begin]) return;
        flagged_[begin] = 1;
        next_.push_back(begin);
    }

    void split_by(OrderedCells& cells, std::int32_t begin, std::int32_t end, std::int32_t kind) {
        // After this loop count_ holds how many neighbors each node has in the splitter, if any.
        for (std::int32_t i = begin; i < end; ++i) {
            const std::int32_t x = cells.order[i];
            for (std::int32_t arc = graph_->indptr[x]; arc < graph_->indptr[x + 1]; ++arc) {
                if (graph_->num_kinds > 1 && graph_->kinds[arc] != kind) continue;
                if (count_[graph_->indices[arc]]++ == 0) touched_.push_back(graph_->indices[arc]);
            }
        }
        // After this loop the touched nodes of each cell of several nodes stand at its end.
        for (const std::int32_t v : touched_) {
            const std::int32_t cell = cells.cell_of[v];
            if (cells.size[cell] == 1) continue;
            if (hits_[cell]++ == 0) touched_cells_.push_back(cell);
            exchange(cells, v, cell + cells.size[cell] - hits_[cell]);
        }
        for (const std::int32_t cell : touched_cells_) split(cells, cell, std::exchange(hits_[cell], 0));
        for (const std::int32_t v : touched_) count_[v] = 0;
        touched_.clear();
        touched_cells_.clear();
    }

    // Splits a cell by count, those without a neighbor first. All parts but the last are flagged; the last one
    // stays flagged if the cell was.
    void split(OrderedCells& cells, std::int32_t cell, std::int32_t hits) {
        const std::int32_t end = cell + cells.size[cell];
        const auto first = cells.order.begin() + (end - hits), last = cells.order.begin() + end;
        const auto fewer = [this](std::int32_t a, std::int32_t b) { return count_[a] < count_[b]; };
        const auto [low, high] = std::minmax_element(first, last, fewer);
        const bool uniform = count_[*low] == count_[*high];
        if (uniform && hits == cells.size[cell]) return;
        if (!uniform) {
            std::sort(first, last, fewer);
            for (auto it = first; it != last; ++it)
                cells.place[*it] = static_cast<std::int32_t>(it - cells.order.begin());
        }
        const bool was_flagged = flagged_[cell];
        for (std::int32_t begin = cell, stop; begin < end; begin = stop) {
            stop = begin == cell && hits < end - cell ? end - hits : begin + 1;
            while (stop < end && count_[cells.order[stop]] == count_[cells.order[begin]]) ++stop;
            cells.size[begin] = stop - begin;
            for (std::int32_t i = begin; begin > cell && i < stop; ++i) cells.cell_of[cells.order[i]] = begin;
            cells.num_cells += begin > cell;
            if (stop < end || was_flagged) flag(begin);
        }
    }

    const LocalGraph* graph_ = nullptr;
    std::vector<std::int32_t> count_, hits_;  // 0 between two splitters
    std::vector<char> flagged_;               // by the begin of a cell: whether it is in next_
    std::vector<std::int32_t> next_, touched_, touched_cells_;
    std::vector<std::pair<std::int32_t, std::int32_t>> splitters_;
    std::vector<std::int32_t> rank_, begins_, listed_, entry_;  // of `write`; entry_ is 0 between two cells
};

}  // namespace egonet
