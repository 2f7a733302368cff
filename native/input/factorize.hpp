// Numbers values by first appearance: the first value is 0, the next new one 1, and so on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace egonet::input {

constexpr std::int32_t kNoCode = -1;

// A secret of this process: without it nobody can choose ids that all fall on one slot.
struct HashKey {
    std::uint64_t first, second;
};

inline const HashKey& hash_key() {
    static const HashKey key = [] {
        std::random_device source;
        const auto word = [&] { return std::uint64_t{source()} << 32 | source(); };
        return HashKey{word(), word()};
    }();
    return key;
}

// SipHash-1-3 (Aumasson and Bernstein 2012): one round a word, three at the end.
class SipHash {
public:
    SipHash()
        : v0_(hash_key().first ^ 0x736f6d6570736575ull),
          v1_(hash_key().second ^ 0x646f72616e646f6dull),
          v2_(hash_key().first ^ 0x6c7967656e657261ull),
          v3_(hash_key().second ^ 0x7465646279746573ull) {}

    void add(std::uint64_t word) {
        v3_ ^= word;
        round();
        v0_ ^= word;
    }

    std::uint64_t finish() {
        v2_ ^= 0xff;
        for (int i = 0; i < 3; ++i) round();
        return v0_ ^ v1_ ^ v2_ ^ v3_;
    }

private:
    void round() {
        v0_ += v1_, v2_ += v3_;
        v1_ = std::rotl(v1_, 13) ^ v0_, v3_ = std::rotl(v3_, 16) ^ v2_;
        v0_ = std::rotl(v0_, 32);
        v2_ += v1_, v0_ += v3_;
        v1_ = std::rotl(v1_, 17) ^ v2_, v3_ = std::rotl(v3_, 21) ^ v0_;
        v2_ = std::rotl(v2_, 32);
    }

    std::uint64_t v0_, v1_, v2_, v3_;
};

inline std::int32_t checked_code(std::size_t count) {
    if (count >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("a graph has at most 2,147,483,647 nodes.");
    }
    return static_cast<std::int32_t>(count);
}

// Numbers byte strings; keeps its own copy of each distinct one.
class ByteTable {
public:
    ByteTable() : slots_(1024) {}

    std::size_t size() const { return hashes_.size(); }
    std::string_view operator[](std::size_t code) const {
        return {arena_.data() + starts_[code], starts_[code + 1] - starts_[code]};
    }

    std::int32_t number(std::string_view key) { return number(key, hash_of(key)); }

    // Numbers up to kBatch keys. Their memory is prefetched in stages, so that the waits overlap.
    static constexpr std::size_t kBatch = 64;
    void number_batch(const std::string_view* keys, std::size_t count, std::int32_t* codes) {
        std::uint64_t hashes[kBatch];
        for (std::size_t i = 0; i < count; ++i) {
            hashes[i] = hash_of(keys[i]);
            __builtin_prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            codes[i] = slots_[hashes[i] & (slots_.size() - 1)].code;
            if (codes[i] != kNoCode) __builtin_prefetch(&starts_[codes[i]]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (codes[i] != kNoCode) __builtin_prefetch(arena_.data() + starts_[codes[i]]);
        }
        for (std::size_t i = 0; i < count; ++i) codes[i] = number(keys[i], hashes[i]);
    }

private:
    std::int32_t number(std::string_view key, std::uint64_t hash) {
        std::size_t slot = hash & (slots_.size() - 1);
        // Ends at the key's slot or at the first free one; at most half of the slots are taken.
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        while (slots_[slot].code != kNoCode) {
            const std::int32_t code = slots_[slot].code;
            if (slots_[slot].tag == tag && (*this)[code] == key) return code;
            slot = (slot + 1) & (slots_.size() - 1);
        }
        const std::int32_t code = checked_code(size());
        slots_[slot] = {tag, code};
        hashes_.push_back(hash);
        arena_.append(key);
        starts_.push_back(arena_.size());
        if (2 * size() > slots_.size()) grow();
        return code;
    }

    static std::uint64_t hash_of(std::string_view key) {
        SipHash hash;
        std::size_t at = 0;
        // Every whole word before `at` is in the hash.
        for (; at + 8 <= key.size(); at += 8) {
            std::uint64_t word;
            std::memcpy(&word, key.data() + at, 8);
            hash.add(word);
        }
        std::uint64_t rest = std::uint64_t{key.size()} << 56;
        std::memcpy(&rest, key.data() + at, key.size() - at);
        hash.add(rest);
        return hash.finish();
    }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{});
        // Every code below the current one has a slot again.
        for (std::size_t code = 0; code < hashes_.size(); ++code) {
            std::size_t slot = hashes_[code] & (slots_.size() - 1);
            while (slots_[slot].code != kNoCode) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = {static_cast<std::uint32_t>(hashes_[code] >> 32), static_cast<std::int32_t>(code)};
        }
    }

    // The tag is the upper half of the hash: most different keys are distinguished without reading them.
    struct Slot {
        std::uint32_t tag = 0;
        std::int32_t code = kNoCode;
    };

    std::vector<Slot> slots_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::size_t> starts_{0};
    std::string arena_;
};

// Numbers whole numbers through a hash table of (value, code) slots.
class NumberTable {
public:
    explicit NumberTable(std::vector<std::int64_t>& ids) : ids_(ids), slots_(1024) {}

    std::int32_t number(std::int64_t value) {
        std::size_t slot = hash_of(value) & (slots_.size() - 1);
        // Ends at the value's slot or at the first free one; at most half of the slots are taken.
        while (slots_[slot].code != kNoCode) {
            if (slots_[slot].value == value) return slots_[slot].code;
            slot = (slot + 1) & (slots_.size() - 1);
        }
        const std::int32_t code = checked_code(ids_.size());
        slots_[slot] = {value, code};
        ids_.push_back(value);
        if (2 * ids_.size() > slots_.size()) grow();
        return code;
    }

private:
    static std::uint64_t hash_of(std::int64_t value) {
        SipHash hash;
        hash.add(static_cast<std::uint64_t>(value));
        return hash.finish();
    }

    struct Slot {
        std::int64_t value = 0;
        std::int32_t code = kNoCode;
    };

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{});
        // Every id below the current one has a slot again.
        for (std::size_t code = 0; code < ids_.size(); ++code) {
            std::size_t slot = hash_of(ids_[code]) & (slots_.size() - 1);
            while (slots_[slot].code != kNoCode) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = {ids_[code], static_cast<std::int32_t>(code)};
        }
    }

    std::vector<std::int64_t>& ids_;
    std::vector<Slot> slots_;
};

// Writes the code of every value and returns the distinct values in order of first appearance.
inline std::vector<std::int64_t> number_values(const std::int64_t* values, std::size_t count, std::int32_t* codes) {
    std::vector<std::int64_t> ids;
    if (count == 0) return ids;
    const auto [low, high] = std::minmax_element(values, values + count);
    if (*low >= 0 && static_cast<std::uint64_t>(*high) < 4 * count + 1024) {
        // Dense ids: the value itself is the slot, which costs at most eight bytes per value seen.
        std::vector<std::int32_t> code_of(static_cast<std::size_t>(*high) + 1, kNoCode);
        for (std::size_t i = 0; i < count; ++i) {
            std::int32_t& code = code_of[static_cast<std::size_t>(values[i])];
            if (code == kNoCode) {
                code = checked_code(ids.size());
                ids.push_back(values[i]);
            }
            codes[i] = code;
        }
        return ids;
    }
    NumberTable table(ids);
    for (std::size_t i = 0; i < count; ++i) codes[i] = table.number(values[i]);
    return ids;
}

// Numbers keys done ... done + some - 1; `first` has the position of each distinct key's first appearance.
inline void number_some(ByteTable& table, const std::string_view* keys, std::size_t some, std::size_t done,
                        std::int32_t* codes, std::vector<std::int64_t>& first) {
    table.number_batch(keys, some, codes + done);
    // A code that has no position yet is the next new one: new codes rise by one each.
    for (std::size_t i = done; i < done + some; ++i) {
        if (codes[i] == static_cast<std::int32_t>(first.size())) first.push_back(static_cast<std::int64_t>(i));
    }
}

// The same for `count` rows of `width` bytes each; returns the position of each distinct row's first appearance.
inline std::vector<std::int64_t> number_rows(const char* bytes, std::size_t count, std::size_t width,
                                             std::int32_t* codes) {
    ByteTable table;
    std::vector<std::int64_t> first;
    std::string_view keys[ByteTable::kBatch];
    // Rows before `done` have their codes.
    for (std::size_t done = 0; done < count; done += ByteTable::kBatch) {
        const std::size_t some = std::min(ByteTable::kBatch, count - done);
        for (std::size_t i = 0; i < some; ++i) keys[i] = {bytes + (done + i) * width, width};
        number_some(table, keys, some, done, codes, first);
    }
    return first;
}

}  // namespace egonet::input
