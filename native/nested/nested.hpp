// Rows of histograms: each pair of a root and another node has a histogram, and a root's row counts
// how often each histogram occurs among its pairs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rows.hpp"
#include "core/sequence_table.hpp"
#include "core/workers.hpp"

namespace egonet {

// What a nested kernel returns. Column c of `rows` is the histogram in row c of `histograms`; those are
// distinct and in lexicographic order of their (key, count) entries. `rows` has no keys.
struct NestedResult {
    Result rows, histograms;
};

// Roots of a block of work: few, because a hub takes as long as thousands of other roots.
constexpr std::int64_t nested_block_size = 8;

// One worker's tables: the keys it has met, and the histograms over them, both numbered by first appearance.
class HistogramBuilder {
public:
    void add(std::span<const std::int32_t> key) { entries_.push_back(keys_.intern(key)); }
    void add_number(std::int32_t key) { entries_.push_back(key); }
    std::int32_t number_of(std::span<const std::int32_t> key) { return keys_.intern(key); }

    // Ends the histogram of the keys added since the last one and returns its number.
    std::int32_t finish();

    // Numbers of entries of the histogram just finished, with repeats; valid until the next key is added.
    const std::vector<std::int32_t>& last_entries() const { return last_; }
    const SequenceTable& keys() const { return keys_; }
    const SequenceTable& histograms() const { return histograms_; }
    void clear() { keys_ = histograms_ = SequenceTable(); }

private:
    SequenceTable keys_, histograms_;  // a histogram is the sequence key, count, key, count, ...
    std::vector<std::int32_t> entries_, last_, words_;
};

// The histograms of all pairs: pair p of row r is at pair_ptr[r] + p. Workers write to different pairs.
class NestedRows {
public:
    NestedRows(std::vector<std::int64_t> pair_ptr, int workers, int width)
        : pair_ptr_(std::move(pair_ptr)),
          width_(width),
          number_(pair_ptr_.back()),
          worker_(pair_ptr_.back()),
          builders_(workers) {}

    HistogramBuilder& builder(int worker) { return builders_[worker]; }
    void set(std::int64_t pair, int worker, std::int32_t number) {
        number_[pair] = number;
        worker_[pair] = static_cast<std::uint16_t>(worker);
    }
    // For kernels that find out on the way how many pairs a row has; before any pair is set.
    void set_pairs(std::vector<std::int64_t> pair_ptr) {
        pair_ptr_ = std::move(pair_ptr);
        number_.resize(pair_ptr_.back());
        worker_.resize(pair_ptr_.back());
    }
    std::int64_t first_pair(std::int64_t row) const { return pair_ptr_[row]; }

    // Puts the workers' tables together: the result does not depend on who found what.
    NestedResult assemble(Job& job);

private:
    // All workers' histograms, one worker after another, with keys numbered in lexicographic order. An entry is
    // key << 32 | count, so histograms compare as their lists of entries.
    struct Histograms {
        std::vector<std::int64_t> first;  // of each worker
        std::int64_t count = 0;
        Buffer<std::int64_t> begin;  // of each one among the entries
        Buffer<std::uint64_t> entries;

        std::span<const std::uint64_t> operator[](std::int64_t i) const {
            return {entries.get() + begin[i], static_cast<std::size_t>(begin[i + 1] - begin[i])};
        }
    };
    using Renumbering = std::vector<std::vector<std::int32_t>>;  // per worker, old number to new

    Renumbering sort_keys(Job& job, Result& histograms) const;
    Histograms recode(Job& job, const Renumbering& keys);
    Buffer<std::int32_t> sort_histograms(Job& job, const Histograms& all, Result& histograms) const;
    Result count_rows(Job& job, const Histograms& all, const Buffer<std::int32_t>& columns);

    std::vector<std::int64_t> pair_ptr_;
    int width_;
    std::vector<std::int32_t> number_;
    std::vector<std::uint16_t> worker_;
    std::vector<HistogramBuilder> builders_;
};

}  // namespace egonet
