// Statistics of the values of the nodes at each distance from a root.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/graph.hpp"
#include "core/workers.hpp"
#include "encode/source.hpp"
#include "statistics/exact_sum.hpp"

namespace egonet {

// The values of the nodes first ... first + count - 1 of a graph, a row of `num_columns` each; other nodes have none.
struct NodeValues {
    const double* values;
    std::int64_t first, count, num_columns;
};

// Where the results go: (num_roots, num_rings, num_columns) each, and (num_roots, num_rings) counts.
struct RingTable {
    double *sums, *lows, *highs;
    std::int64_t* counts;
};

// The rings looked at: distances first, first + step, ..., num_rings of them.
struct Rings {
    std::int64_t first, step, num_rings;

    std::int64_t last() const { return first + step * (num_rings - 1); }
};

class RingSearch {
public:
    RingSearch(const Graph& graph, const NodeValues& values, const Rings& rings, const RingTable& table)
        : graph_(graph), values_(values), rings_(rings), table_(table), visited_(graph.num_nodes) {
        sums_.resize(values.num_columns);
    }

    // Writes the statistics of a root to its row.
    void operator()(std::int32_t root, std::int64_t row) {
        queue_.assign(1, root);
        visited_.insert(root);
        std::size_t begin = 0;
        std::int64_t ring = 0;
        // Before each step queue_[begin ...] is the ring at `distance`, and rings of smaller distances are written.
        for (std::int64_t distance = 0; ring < rings_.num_rings; ++distance) {
            const std::size_t end = queue_.size();
            if (distance == rings_.first + ring * rings_.step) write(begin, end, row * rings_.num_rings + ring++);
            if (distance < rings_.last())
                for (std::size_t i = begin; i < end; ++i) discover(queue_[i]);
            begin = end;
        }
        for (const std::int32_t v : queue_) visited_.drop_word(v);
    }

private:
    void discover(std::int32_t v) {
        for (std::int64_t arc = graph_.indptr[v]; arc < graph_.indptr[v + 1]; ++arc) {
            const std::int32_t w = graph_.indices[arc];
            if (visited_.has(w)) continue;
            visited_.insert(w);
            queue_.push_back(w);
        }
    }

    void write(std::size_t begin, std::size_t end, std::int64_t place) {
        const std::int64_t columns = values_.num_columns;
        double* lows = table_.lows + place * columns;
        double* highs = table_.highs + place * columns;
        std::fill_n(lows, columns, std::numeric_limits<double>::infinity());
        std::fill_n(highs, columns, -std::numeric_limits<double>::infinity());
        for (ExactSum& sum : sums_) sum.clear();
        std::int64_t count = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t item = queue_[i] - values_.first;
            if (item < 0 || item >= values_.count) continue;
            ++count;
            for (std::int64_t column = 0; column < columns; ++column) {
                const double value = values_.values[item * columns + column];
                sums_[column].add(value);
                lows[column] = std::min(lows[column], value);
                highs[column] = std::max(highs[column], value);
            }
        }
        for (std::int64_t column = 0; column < columns; ++column)
            table_.sums[place * columns + column] = sums_[column].round();
        table_.counts[place] = count;
    }

    const Graph& graph_;
    const NodeValues& values_;
    const Rings& rings_;
    const RingTable& table_;
    NodeSet visited_;
    std::vector<ExactSum> sums_;       // one per column
    std::vector<std::int32_t> queue_;  // nodes in order of discovery
};

// The statistics of the roots 0 ... num_roots - 1, each in a row.
inline void ring_statistics(Job& job, const Graph& graph, std::int64_t num_roots, const NodeValues& values,
                            const Rings& rings, const RingTable& table) {
    const std::int64_t block_size = std::clamp<std::int64_t>(num_roots / (16 * job.threads), 1, 1024);
    run_blocks(job, (num_roots + block_size - 1) / block_size, [&](int) {
        return [&, search = RingSearch(graph, values, rings, table)](std::int64_t block) mutable {
            const std::int64_t end = std::min(num_roots, (block + 1) * block_size);
            for (std::int64_t root = block * block_size; root < end; ++root)
                search(static_cast<std::int32_t>(root), root);
            job.done += end - block * block_size;
        };
    });
}

}  // namespace egonet
