// Numbers for integer sequences, by first appearance: equal sequences have equal numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace egonet {

// A hash finds the candidates; equality is always checked on the sequences.
class SequenceTable {
public:
    std::int32_t size() const { return static_cast<std::int32_t>(hashes_.size()); }
    std::span<const std::int32_t> operator[](std::int32_t number) const {
        return {words_.data() + begin_[number], static_cast<std::size_t>(begin_[number + 1] - begin_[number])};
    }
    // Words of all sequences before this one.
    std::int64_t begin(std::int64_t number) const { return begin_[number]; }
    std::int64_t num_words() const { return begin_.back(); }

    std::int32_t intern(std::span<const std::int32_t> sequence) {
        if (2 * hashes_.size() >= slots_.size()) grow();
        const std::uint64_t hash = hash_of(sequence);
        std::size_t slot = hash & (slots_.size() - 1);
        // Known sequences are in the run of full slots that begins at their hash.
        for (; slots_[slot].number >= 0; slot = (slot + 1) & (slots_.size() - 1))
            if (slots_[slot].tag == static_cast<std::uint32_t>(hash >> 32) && equal(slots_[slot].number, sequence))
                return slots_[slot].number;
        const std::int32_t number = size();
        slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), number};
        hashes_.push_back(hash);
        words_.insert(words_.end(), sequence.begin(), sequence.end());
        begin_.push_back(static_cast<std::int64_t>(words_.size()));
        return number;
    }

private:
    struct Slot {
        std::uint32_t tag = 0;
        std::int32_t number = -1;
    };

    static std::uint64_t hash_of(std::span<const std::int32_t> sequence) {
        std::uint64_t state = 0x9e3779b97f4a7c15u + sequence.size();
        std::size_t i = 0;
        for (; i + 2 <= sequence.size(); i += 2) {
            std::uint64_t both;
            std::memcpy(&both, sequence.data() + i, sizeof both);
            state = mix(state, both);
        }
        if (i < sequence.size()) state = mix(state, static_cast<std::uint32_t>(sequence[i]));
        return state ^ state >> 31;
    }

    static std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
        state = (state ^ word) * 0xff51afd7ed558ccdu;
        return state ^ state >> 32;
    }

    bool equal(std::int32_t number, std::span<const std::int32_t> sequence) const {
        const std::span<const std::int32_t> known = (*this)[number];
        if (known.size() != sequence.size()) return false;
        // Nothing equals nothing; memcmp must not be given the null pointers of empty spans.
        return sequence.empty() || std::memcmp(known.data(), sequence.data(), sequence.size_bytes()) == 0;
    }

    void grow() {
        slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), Slot{});
        for (std::int32_t number = 0; number < size(); ++number) {
            std::size_t slot = hashes_[number] & (slots_.size() - 1);
            while (slots_[slot].number >= 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = {static_cast<std::uint32_t>(hashes_[number] >> 32), number};
        }
    }

    std::vector<std::int32_t> words_;
    std::vector<std::int64_t> begin_{0};
    std::vector<std::uint64_t> hashes_;
    std::vector<Slot> slots_;
};

}  // namespace egonet
