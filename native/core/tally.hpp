// Counting the codes of one row: a table over all codes where they are few, a dictionary where they are not.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/keys.hpp"

namespace egonet {

// Both tallies hand a code's column number to the row: `DenseTally` the code itself, `CodeTally` the place of
// the code in its list `codes()`. Both drain in increasing order of codes and are empty afterwards.

class DenseTally {
public:
    // Above this many codes the table leaves the cache and its bitmap takes too long to walk.
    static constexpr std::int64_t max_range = std::int64_t{1} << 20;

    explicit DenseTally(std::int64_t range)
        : counts_(range), words_(range / 64 + 1), groups_(range / 4096 + 1), ever_(range / 64 + 1) {}

    void add(std::int64_t code, std::int32_t count = 1) {
        if (!counts_[code]) {
            ++size_;
            words_[code >> 6] |= std::uint64_t{1} << (code & 63);
            groups_[code >> 12] |= std::uint64_t{1} << (code >> 6 & 63);
        }
        counts_[code] += count;
    }

    // How many codes have a count.
    std::int64_t size() const { return size_; }

    template <class Emit>
    void drain(Emit emit) {
        size_ = 0;
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            // Before each step the groups already walked have no bit set and no count left.
            for (std::uint64_t live = std::exchange(groups_[group], 0); live; live &= live - 1) {
                const std::size_t word = group * 64 + std::countr_zero(live);
                ever_[word] |= words_[word];
                for (std::uint64_t bits = std::exchange(words_[word], 0); bits; bits &= bits - 1) {
                    const std::size_t code = word * 64 + std::countr_zero(bits);
                    emit(static_cast<std::int32_t>(code), std::exchange(counts_[code], 0));
                }
            }
        }
    }

    // The column of a code that goes into a row by another way than this tally.
    std::int32_t column_of(std::int64_t code) {
        ever_[code >> 6] |= std::uint64_t{1} << (code & 63);
        return static_cast<std::int32_t>(code);
    }

    // Every code that was drained or given a column, increasing.
    std::vector<std::int64_t> codes() const {
        std::vector<std::int64_t> found;
        for (std::size_t word = 0; word < ever_.size(); ++word)
            for (std::uint64_t bits = ever_[word]; bits; bits &= bits - 1)
                found.push_back(static_cast<std::int64_t>(word * 64 + std::countr_zero(bits)));
        return found;
    }

private:
    std::int64_t size_ = 0;
    std::vector<std::int32_t> counts_;
    std::vector<std::uint64_t> words_;   // bit c: code c has a count
    std::vector<std::uint64_t> groups_;  // bit w: words_[w] is not zero
    std::vector<std::uint64_t> ever_;    // bit c: code c was drained at some time
};

class CodeTally {
public:
    CodeTally() : slots_(1024, -1) {}
    explicit CodeTally(std::int64_t) : CodeTally() {}

    void add(std::int64_t code, std::int32_t count = 1) {
        const std::int32_t column = column_of(code);
        if (!counts_[column]) touched_.emplace_back(code, column);
        counts_[column] += count;
    }

    std::int64_t size() const { return static_cast<std::int64_t>(touched_.size()); }

    template <class Emit>
    void drain(Emit emit) {
        std::sort(touched_.begin(), touched_.end());
        for (const auto& [code, column] : touched_) emit(column, std::exchange(counts_[column], 0));
        touched_.clear();
    }

    // Open addressing, at most half full: a probe meets the code or an empty slot.
    std::int32_t column_of(std::int64_t code) {
        std::size_t mask = slots_.size() - 1;
        std::size_t slot = scramble(static_cast<std::uint64_t>(code)) & mask;
        while (slots_[slot] >= 0 && codes_[slots_[slot]] != code) slot = (slot + 1) & mask;
        if (slots_[slot] >= 0) return slots_[slot];
        if (codes_.size() == std::numeric_limits<std::int32_t>::max()) throw TooLarge(too_many_keys);
        const auto column = static_cast<std::int32_t>(codes_.size());
        slots_[slot] = column;
        codes_.push_back(code);
        counts_.push_back(0);
        if (codes_.size() * 2 > slots_.size()) grow();
        return column;
    }

    // Every code that was added or given a column, in order of first appearance.
    const std::vector<std::int64_t>& codes() const { return codes_; }

private:
    static std::uint64_t scramble(std::uint64_t code) {
        code *= 0x9e3779b97f4a7c15u;
        return code ^ code >> 32;
    }

    void grow() {
        std::vector<std::int32_t> wider(slots_.size() * 2, -1);
        const std::size_t mask = wider.size() - 1;
        for (std::size_t column = 0; column < codes_.size(); ++column) {
            std::size_t slot = scramble(static_cast<std::uint64_t>(codes_[column])) & mask;
            while (wider[slot] >= 0) slot = (slot + 1) & mask;
            wider[slot] = static_cast<std::int32_t>(column);
        }
        slots_ = std::move(wider);
    }

    std::vector<std::int32_t> slots_;  // column, or -1
    std::vector<std::int64_t> codes_;
    std::vector<std::int32_t> counts_;
    std::vector<std::pair<std::int64_t, std::int32_t>> touched_;
};

}  // namespace egonet
