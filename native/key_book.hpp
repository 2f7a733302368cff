// Keys to columns: those of an encoding keep their numbers, new ones are numbered after them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

namespace egonet {

// Radius, distance, up to three degree fields, label; unused places at the end are 0.
using Key = std::array<std::int64_t, 6>;

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        std::uint64_t state = 0x9e3779b97f4a7c15u;
        for (std::int64_t field : key) {
            state = (state ^ static_cast<std::uint64_t>(field)) * 0xff51afd7ed558ccdu;
            state ^= state >> 32;
        }
        return state;
    }
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
                if (known[middle * width] == radius)
                    low = middle + 1;
                else
                    high = middle;
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
        const auto found = columns_.find(key);
        if (found != columns_.end()) return found->second;
        const std::int64_t place = place_of(key);
        if (place < num_known_ && equal(place, key)) return columns_[key] = static_cast<std::int32_t>(place);
        return add(key);
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
        extra_.push_back(key);
        return columns_[key] = static_cast<std::int32_t>(num_known_ + extra_.size() - 1);
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
            else
                high = middle;
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
    std::unordered_map<Key, std::int32_t, KeyHash> columns_;
};

}  // namespace egonet
