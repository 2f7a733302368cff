// Color refinement (1-WL) to stability: the coarsest partition in which nodes of one color have equally many
// neighbors of every color, and which refines the colors given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/graph.hpp"

namespace egonet {

// Numbers colors 0 ... num_colors - 1 by first appearance, without gaps.
inline void number_by_appearance(std::int64_t num_colors, std::int64_t* colors, std::int64_t num_nodes) {
    std::vector<std::int64_t> number(num_colors, -1);
    std::int64_t next = 0;
    for (std::int64_t v = 0; v < num_nodes; ++v) {
        std::int64_t& color = number[colors[v]];
        if (color < 0) color = next++;
        colors[v] = color;
    }
}

// Partition refinement by splitters: O((nodes + arcs) log nodes) whatever the number of rounds.
// `reverse` lists for every node x the nodes that count x among their neighbors.
class Refiner {
public:
    Refiner(const Graph& reverse, const std::int64_t* start)
        : reverse_(reverse),
          order_(reverse.num_nodes),
          place_(reverse.num_nodes),
          cell_of_(reverse.num_nodes),
          count_(reverse.num_nodes) {
        make_cells(start);
    }

    // Writes the stable colors, numbered by first appearance.
    void run(std::int64_t* colors) {
        // Every cell that may still split another is queued.
        while (!queue_.empty()) {
            const std::int32_t splitter = queue_.back();
            queue_.pop_back();
            cells_[splitter].queued = false;
            split_by(splitter);
        }
        std::copy(cell_of_.begin(), cell_of_.end(), colors);
        number_by_appearance(std::ssize(cells_), colors, std::ssize(cell_of_));
    }

private:
    struct Cell {
        std::int32_t begin, size;
        std::int32_t touched = 0;  // its last `touched` nodes have a count above 0
        bool queued = true;
    };

    // Start colors are 0 ... k - 1; a counting sort puts each into its cell.
    void make_cells(const std::int64_t* start) {
        const auto num_nodes = static_cast<std::int32_t>(order_.size());
        std::int64_t num_colors = 0;
        for (std::int32_t v = 0; v < num_nodes; ++v) num_colors = std::max(num_colors, start[v] + 1);
        cells_.assign(num_colors, Cell{0, 0});
        for (std::int32_t v = 0; v < num_nodes; ++v) ++cells_[start[v]].size;
        std::int32_t begin = 0;
        for (Cell& cell : cells_) begin = (cell.begin = begin) + cell.size;
        std::vector<std::int32_t> next(num_colors);
        for (std::int64_t c = 0; c < num_colors; ++c) next[c] = cells_[c].begin;
        for (std::int32_t v = 0; v < num_nodes; ++v) {
            cell_of_[v] = static_cast<std::int32_t>(start[v]);
            put(v, next[start[v]]++);
        }
        for (std::int64_t c = 0; c < num_colors; ++c) queue_.push_back(static_cast<std::int32_t>(c));
    }

    void put(std::int32_t v, std::int32_t place) {
        order_[place] = v;
        place_[v] = place;
    }

    void split_by(std::int32_t splitter) {
        const Cell cell = cells_[splitter];
        // After this loop count_ holds how many neighbors each node has in the splitter, if any.
        for (std::int32_t i = cell.begin; i < cell.begin + cell.size; ++i) {
            const std::int32_t x = order_[i];
            for (std::int64_t arc = reverse_.indptr[x]; arc < reverse_.indptr[x + 1]; ++arc) {
                const std::int32_t v = reverse_.indices[arc];
                if (count_[v]++ == 0) touched_.push_back(v);
            }
        }
        // After this loop the touched nodes of each cell stand at its end.
        for (const std::int32_t v : touched_) {
            Cell& home = cells_[cell_of_[v]];
            if (home.touched == 0) touched_cells_.push_back(cell_of_[v]);
            const std::int32_t target = home.begin + home.size - 1 - home.touched++;
            const std::int32_t from = place_[v], other = order_[target];
            put(v, target);
            put(other, from);
        }
        for (const std::int32_t c : touched_cells_) split(c);
        for (const std::int32_t v : touched_) count_[v] = 0;
        touched_.clear();
        touched_cells_.clear();
    }

    // Splits a cell by count; the largest part keeps its number and its place in the queue, the others are queued.
    void split(std::int32_t c) {
        const Cell cell = cells_[c];
        cells_[c].touched = 0;
        if (cell.size == 1) return;
        const auto first = order_.begin() + cell.begin + cell.size - cell.touched;
        const auto last = order_.begin() + cell.begin + cell.size;
        const auto [low, high] =
            std::minmax_element(first, last, [this](std::int32_t a, std::int32_t b) { return count_[a] < count_[b]; });
        const bool uniform = count_[*low] == count_[*high];
        if (uniform && cell.touched == cell.size) return;
        if (!uniform) {
            std::sort(first, last, [this](std::int32_t a, std::int32_t b) { return count_[a] < count_[b]; });
            for (auto it = first; it != last; ++it) place_[*it] = static_cast<std::int32_t>(it - order_.begin());
        }
        cut(c, cell);
    }

    // The cell is ordered by count; every run of equal counts becomes a cell.
    void cut(std::int32_t c, const Cell& cell) {
        parts_.clear();
        const std::int32_t end = cell.begin + cell.size;
        for (std::int32_t begin = cell.begin; begin < end;) {
            std::int32_t stop = begin == cell.begin && cell.touched < cell.size ? end - cell.touched : begin + 1;
            while (stop < end && count_[order_[stop]] == count_[order_[begin]]) ++stop;
            parts_.push_back({begin, stop - begin});
            begin = stop;
        }
        const auto largest = std::max_element(parts_.begin(), parts_.end(),
                                              [](const auto& a, const auto& b) { return a.second < b.second; });
        cells_[c].begin = largest->first;
        cells_[c].size = largest->second;
        for (auto part = parts_.begin(); part != parts_.end(); ++part) {
            if (part == largest) continue;
            const auto number = static_cast<std::int32_t>(cells_.size());
            cells_.push_back(Cell{part->first, part->second});
            queue_.push_back(number);
            for (std::int32_t i = part->first; i < part->first + part->second; ++i) cell_of_[order_[i]] = number;
        }
    }

    const Graph& reverse_;
    std::vector<std::int32_t> order_, place_, cell_of_;  // cells are ranges of order_
    std::vector<std::int32_t> count_;                    // 0 between two splitters
    std::vector<Cell> cells_;
    std::vector<std::int32_t> queue_, touched_, touched_cells_;
    std::vector<std::pair<std::int32_t, std::int32_t>> parts_;
};

}  // namespace egonet
