// Numbers byte strings by first appearance, by several workers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "input/hash.hpp"

namespace egonet::input {

constexpr std::int32_t kNoCode = -1;

inline std::int32_t checked_code(std::size_t count) {
    if (count >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("a graph has at most 2,147,483,647 nodes.");
    }
    return static_cast<std::int32_t>(count);
}

// Numbers byte strings one after another; keeps its own copy of each distinct one.
class ByteTable {
public:
    std::size_t size() const { return hashes_.size(); }
    std::string_view operator[](std::size_t code) const {
        return {arena_.data() + starts_[code], starts_[code + 1] - starts_[code]};
    }

    // Numbers up to kBatch keys. Their memory is prefetched in stages, so that the waits overlap.
    static constexpr std::size_t kBatch = 64;
    void number_batch(const std::string_view* keys, const std::uint64_t* hashes, std::size_t count,
                      std::int32_t* codes) {
        for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
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

    std::vector<Slot> slots_{16};
    std::vector<std::uint64_t> hashes_;
    std::vector<std::size_t> starts_{0};
    std::string arena_;
};

// A byte string in somebody else's memory, and the line it is from, counted from some first line.
struct Key {
    const char* text;
    std::uint32_t size, line;
    std::string_view view() const { return {text, size}; }
};

// Consecutive keys, and where their codes go.
struct KeyRun {
    const Key* keys;
    std::size_t count;
    std::int32_t* codes;
    std::int64_t first_line = 0;
};

// Numbers byte strings by first appearance. Each is in the shard that its hash chooses, and each shard is filled by one
// worker in the order of the keys; so the numbers are the same for any number of threads.
class NameTable {
public:
    std::size_t size() const { return places_.size(); }
    std::string_view operator[](std::size_t code) const {
        return shards_[places_[code].shard].table[places_[code].entry];
    }
    std::int64_t line(std::size_t code) const { return lines_[code]; }  // of the first appearance

    void number(Job& job, std::span<const KeyRun> runs) {
        std::vector<Grouped> groups(runs.size());
        const auto for_runs = [&](auto work) {
            for_ranges(job, std::ssize(runs), 1, [&](std::int64_t i, std::int64_t) { work(runs[i], groups[i]); });
        };
        for_runs([](const KeyRun& run, Grouped& group) { group.make(run); });
        for_ranges(job, num_shards, 1, [&](std::int64_t shard, std::int64_t) {
            for (std::size_t i = 0; i < runs.size(); ++i) enter(shards_[shard].table, runs[i], groups[i], shard);
            shards_[shard].code_of.resize(shards_[shard].table.size());
        });
        // Codes are numbers within a shard here; new entries get the next numbers in the order of their keys.
        std::size_t total = size();
        for (Grouped& group : groups) total += group.num_new.exchange(total);
        if (total) checked_code(total - 1);
        places_.resize(total);
        lines_.resize(total);
        for_runs([&](const KeyRun& run, Grouped& group) {
            std::size_t next = group.num_new;
            for (std::size_t i = 0; i < run.count; ++i) {
                if (!group.is_new[i]) continue;
                const std::size_t code = next++;
                const std::size_t shard = shard_of(group.hashes[i]);
                shards_[shard].code_of[run.codes[i]] = static_cast<std::int32_t>(code);
                places_[code] = {static_cast<std::int32_t>(shard), run.codes[i]};
                lines_[code] = run.first_line + run.keys[i].line;
            }
        });
        for_runs([&](const KeyRun& run, Grouped& group) {
            for (std::size_t i = 0; i < run.count; ++i)
                run.codes[i] = shards_[shard_of(group.hashes[i])].code_of[run.codes[i]];
        });
    }

private:
    static constexpr int num_shards = 64;
    static std::size_t shard_of(std::uint64_t hash) { return hash >> 58; }

    // The keys of a run by shard, in their order within each.
    struct Grouped {
        std::vector<std::uint64_t> hashes;
        std::vector<std::uint32_t> order;
        std::array<std::uint32_t, num_shards + 1> start{};
        std::vector<std::uint8_t> is_new;
        std::atomic<std::size_t> num_new{0};

        void make(const KeyRun& run) {
            hashes.resize(run.count);
            order.resize(run.count);
            is_new.resize(run.count);
            for (std::size_t i = 0; i < run.count; ++i) {
                hashes[i] = hash_of(run.keys[i].view());
                ++start[shard_of(hashes[i]) + 1];
            }
            for (int shard = 0; shard < num_shards; ++shard) start[shard + 1] += start[shard];
            auto next = start;
            for (std::size_t i = 0; i < run.count; ++i)
                order[next[shard_of(hashes[i])]++] = static_cast<std::uint32_t>(i);
        }
    };

    // Enters the keys of a run that belong to a shard, and notes which are new.
    static void enter(ByteTable& table, const KeyRun& run, Grouped& group, std::int64_t shard) {
        std::string_view keys[ByteTable::kBatch];
        std::uint64_t hashes[ByteTable::kBatch];
        std::int32_t codes[ByteTable::kBatch];
        std::size_t num_new = 0;
        for (std::size_t done = group.start[shard]; done < group.start[shard + 1];) {
            const std::size_t some = std::min<std::size_t>(ByteTable::kBatch, group.start[shard + 1] - done);
            for (std::size_t i = 0; i < some; ++i) {
                keys[i] = run.keys[group.order[done + i]].view();
                hashes[i] = group.hashes[group.order[done + i]];
            }
            auto next_new = static_cast<std::int32_t>(table.size());
            table.number_batch(keys, hashes, some, codes);
            for (std::size_t i = 0; i < some; ++i, ++done) {
                run.codes[group.order[done]] = codes[i];
                // New codes rise by one each.
                if (codes[i] != next_new) continue;
                group.is_new[group.order[done]] = 1;
                ++next_new;
                ++num_new;
            }
        }
        group.num_new += num_new;
    }

    struct Shard {
        ByteTable table;
        std::vector<std::int32_t> code_of;  // entry of the table → code
    };
    struct Place {
        std::int32_t shard, entry;
    };

    std::array<Shard, num_shards> shards_;
    std::vector<Place> places_;  // code → entry of a table
    std::vector<std::int64_t> lines_;
};

// As many threads as keys pay for.
inline void limit_to_keys(Job& job, std::int64_t count) { job.limit_threads(100.0 * static_cast<double>(count)); }

// Numbers keys 0 ... count - 1, some at a time so that they take little memory.
template <class MakeKey>
void number_keys(Job& job, NameTable& table, std::int64_t count, MakeKey make_key, std::int32_t* codes) {
    constexpr std::int64_t most = std::int64_t{1} << 17;
    std::vector<std::vector<Key>> keys(2 * job.threads);
    std::vector<KeyRun> runs(keys.size());
    // Keys before `done` have their codes.
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t some = std::min(count - done, most * std::ssize(runs));
        for_ranges(job, std::ssize(runs), 1, [&](std::int64_t i, std::int64_t) {
            const std::int64_t first = done + some * i / std::ssize(runs);
            const std::int64_t last = done + some * (i + 1) / std::ssize(runs);
            keys[i].resize(last - first);
            for (std::int64_t k = first; k < last; ++k) keys[i][k - first] = make_key(k);
            runs[i] = {keys[i].data(), keys[i].size(), codes + first};
        });
        table.number(job, runs);
        done += some;
    }
}

}  // namespace egonet::input
