// Rows after some edges changed: only roots whose ego-network holds a changed edge are touched.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/graph.hpp"
#include "core/key_book.hpp"
#include "core/workers.hpp"
#include "update/neighbor_counts.hpp"
#include "update/patched_graph.hpp"
#include "update/patched_rows.hpp"

namespace egonet {

// What is counted, for all radii of an encoding.
struct UpdateSettings {
    std::span<const std::int64_t> radii;
    Settings each;  // the radius is set in turn
    bool log_bins;
};

// Sparse rows to read; pointers and columns are 32 or 64 bits wide.
struct RowTable {
    const std::int32_t* narrow = nullptr;
    const std::int64_t* wide = nullptr;
    std::int64_t num_rows = 0;
    const std::int32_t* narrow_columns = nullptr;
    const std::int64_t* wide_columns = nullptr;
    const std::int32_t* counts = nullptr;

    std::int64_t begin(std::int64_t row) const { return narrow ? narrow[row] : wide[row]; }
    std::int32_t column(std::int64_t entry) const {
        return narrow_columns ? narrow_columns[entry] : static_cast<std::int32_t>(wide_columns[entry]);
    }
};

// Adds to the count of a column, which comes if it was 0 and goes if it becomes 0.
void add_to(RowEntries& row, const KeyBook& book, std::int32_t column, std::int32_t difference);

class Update {
public:
    Update(PatchedGraph& graph, const UpdateSettings& settings, KeyBook& book)
        : graph_(graph),
          settings_(settings),
          book_(book),
          near_a_(graph.num_nodes()),
          near_b_(graph.num_nodes()),
          recounted_(settings.radii.size()) {
        changes_.reserve(128);
    }

    // Takes one edge into the graph, or out of it, and notes what that does to the rows around it.
    void insert(std::int32_t a, std::int32_t b);
    void erase(std::int32_t a, std::int32_t b);

    // Every row of this root is computed again.
    void renew(std::int32_t root) {
        for (auto& roots : recounted_) roots.push_back(root);
    }

    // Roots noted so far, with repeats: a measure of the work.
    std::int64_t num_touched() const { return num_touched_; }

    // A root whose row differs, with the changes noted for it.
    struct Touched {
        std::int32_t root;
        bool
            is_renewed;  // some part of its row is counted again: `apply` then needs the whole row, else the row or a part
        std::size_t first, last;
    };

    // Computes what must be computed again and numbers all columns; then `touched` and `apply` may be called.
    void finish(int threads);
    std::vector<Touched> touched() const;
    void apply(const Touched& touched, RowEntries& row) const;
    // Whether every part of the row is counted again, so that `apply` may start from nothing.
    bool is_whole(const Touched& touched) const;

private:
    struct Change {
        std::int32_t root;
        std::int32_t block;
        std::int32_t column;
        std::int32_t difference;
    };
    struct Renewed {
        std::vector<std::int32_t> roots;  // increasing
        std::vector<RowEntries> rows;
    };

    void note_edge(std::int32_t a, std::int32_t b, std::int32_t sign);
    void note_radius(std::size_t block, std::int32_t a, std::int32_t b, std::int32_t sign);
    void note_ends(std::size_t block, std::int32_t end, const Ball& ball, const Ball& other, std::int32_t sign);
    void note_end(std::size_t block, std::int32_t end, std::int32_t root, std::int64_t distance, std::int64_t other,
                  std::size_t place, std::int32_t sign);
    void sort_changes();
    Renewed renew_block(int threads, std::size_t block);
    // The row of a root that was counted again, or null.
    const RowEntries* renewed_row(std::size_t block, std::int32_t root) const;
    void renew_few(const Settings& settings, Renewed& renewed);
    void renew_many(int threads, Settings settings, Renewed& renewed);

    PatchedGraph& graph_;
    const UpdateSettings& settings_;
    KeyBook& book_;
    Ball near_a_, near_b_;
    NeighborCounts counts_;
    std::vector<std::size_t> places_, wanted_;
    std::vector<std::vector<std::int32_t>> recounted_;  // per radius: roots whose distances changed
    std::vector<Change> changes_;                       // sorted by root once finished
    std::vector<Renewed> renewed_;
    std::int64_t num_touched_ = 0;
};

}  // namespace egonet
