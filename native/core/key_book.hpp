// Keys to columns: those of an encoding keep their numbers, new ones are numbered after them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace egonet {

// Radius, distance, up to three degree fields, label; unused fields at the end are 0.
using Key = std::array<std::int64_t, 6>;

// Key → column, by open addressing, at most half full.
class KeyTable {
public:
    static constexpr std::int32_t none = -1;

    KeyTable() : slots_(32) {}

    std::int32_t find(const Key& key) const { return slots_[slot_of(key)].column; }

    // The key must be new.
    void add(const Key& key, std::int32_t column) {
        slots_[slot_of(key)] = {key, column};
        if (2 * ++size_ > slots_.size()) grow();
    }

private:
    struct Slot {
        Key key{};
        std::int32_t column = none;
    };

    static std::uint64_t hash(const Key& key) {
        constexpr std::uint64_t odd[6] = {0x9e3779b97f4a7c15u, 0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u,
                                          0xd6e8feb86659fd93u, 0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu};
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < key.size(); ++i) sum += static_cast<std::uint64_t>(key[i]) * odd[i];
        return (sum ^ sum >> 29) * 0xbf58476d1ce4e5b9u >> 32;
    }

    // An explicit loop, because == calls memcmp, which takes longer than the rest of a lookup.
    static bool differ(const Key& a, const Key& b) {
        std::int64_t bits = 0;
        for (std::size_t i = 0; i < a.size(); ++i) bits |= a[i] ^ b[i];
        return bits != 0;
    }

    // The slot that holds the key, or the empty one where it belongs.
    std::size_t slot_of(const Key& key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash(key) & mask;
        while (slots_[slot].column != none && differ(slots_[slot].key, key)) slot = (slot + 1) & mask;
        return slot;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.column != none) slots_[slot_of(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

class KeyBook {
public:
    // known  (num_known, width): blocks of equal radius in the order of `radii`, each block sorted
    // extra  (num_extra, width): columns num_known ..., in any order
    KeyBook(const std::int64_t* known, std::int64_t num_known, const std::int64_t* extra, std::int64_t num_extra,
            int width, std::span<const std::int64_t> radii)
        : known_(known), num_known_(num_known), width_(width), radii_(radii) {
        std::int64_t begin = 0;
        // Before each step the blocks of the radii already met end at `begin`.
        for (std::int64_t radius : radii) {
            block_begin_.push_back(begin);
            std::int64_t low = begin, high = num_known;
            while (low < high) {
                const std::int64_t middle = (low + high) / 2;
                if (known[middle * width] == radius) low = middle + 1;
                else high = middle;
            }
            begin = low;
        }
        block_begin_.push_back(begin);
        for (std::int64_t i = 0; i < num_extra; ++i) {
            Key key{};
            std::copy_n(extra + i * width, width, key.begin());
            add(key);
        }
    }

    std::int32_t column(const Key& key) {
        if (const std::int32_t found = columns_.find(key); found != KeyTable::none) return found;
        const auto place = static_cast<std::int32_t>(place_of(key));
        if (place >= num_known_ || !equal(place, key)) return add(key);
        columns_.add(key, place);
        return place;
    }

    const std::vector<Key>& extra() const { return extra_; }
    std::size_t block(std::int32_t column) const {
        return block_of(column < num_known_ ? known_[column * width_] : extra_[column - num_known_][0]);
    }

    // Called when all columns are known: after it, ranks order columns as their keys.
    void rank_columns() {
        std::vector<std::size_t> order(extra_.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            const std::size_t block_a = block_of(extra_[a][0]), block_b = block_of(extra_[b][0]);
            return block_a != block_b ? block_a < block_b : extra_[a] < extra_[b];
        });
        extra_ranks_.resize(extra_.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            extra_ranks_[order[i]] = place_of(extra_[order[i]]) << 32 | static_cast<std::int64_t>(i);
    }

    // Extra columns come before the known column they sort before, among themselves by their keys.
    std::int64_t rank(std::int32_t column) const {
        return column < num_known_ ? std::int64_t{column} << 32 | 0xffffffff : extra_ranks_[column - num_known_];
    }

private:
    std::int32_t add(const Key& key) {
        const auto column = static_cast<std::int32_t>(num_known_ + extra_.size());
        extra_.push_back(key);
        columns_.add(key, column);
        return column;
    }

    std::size_t block_of(std::int64_t radius) const {
        return static_cast<std::size_t>(std::find(radii_.begin(), radii_.end(), radius) - radii_.begin());
    }

    bool equal(std::int64_t place, const Key& key) const {
        return std::equal(known_ + place * width_, known_ + (place + 1) * width_, key.begin());
    }

    // The first place of the key's block whose key is not smaller, or the end of the block.
    std::int64_t place_of(const Key& key) const {
        const std::size_t block = block_of(key[0]);
        std::int64_t low = block_begin_[block], high = block_begin_[block + 1];
        while (low < high) {
            const std::int64_t middle = (low + high) / 2;
            const std::int64_t* there = known_ + middle * width_;
            if (std::lexicographical_compare(there, there + width_, key.begin(), key.begin() + width_))
                low = middle + 1;
            else high = middle;
        }
        return low;
    }

    const std::int64_t* known_;
    std::int64_t num_known_;
    int width_;
    std::span<const std::int64_t> radii_;
    std::vector<std::int64_t> block_begin_;
    std::vector<Key> extra_;
    std::vector<std::int64_t> extra_ranks_;
    KeyTable columns_;
};

}  // namespace egonet
