// Numbers values by first appearance: the first value is 0, the next new one 1, and so on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "input/name_table.hpp"

namespace egonet::input {

// The position of the first appearance of each code; codes are numbered by it.
inline std::vector<std::int64_t> first_positions(const std::int32_t* codes, std::int64_t count) {
    std::vector<std::int64_t> first;
    for (std::int64_t i = 0; i < count; ++i)
        if (codes[i] == std::ssize(first)) first.push_back(i);
    return first;
}

// Numbers whole numbers by first appearance, over several calls.
class NumberTable {
public:
    std::size_t size() const { return table_.size(); }

    void number(Job& job, const std::int64_t* values, std::int64_t count, std::int32_t* codes) {
        const auto make_key = [&](std::int64_t i) {
            return Key{reinterpret_cast<const char*>(values + i), sizeof(std::int64_t), 0};
        };
        number_keys(job, table_, count, make_key, codes);
    }

    std::vector<std::int64_t> ids() const {
        std::vector<std::int64_t> ids(size());
        for (std::size_t code = 0; code < ids.size(); ++code)
            std::memcpy(&ids[code], table_[code].data(), sizeof(std::int64_t));
        return ids;
    }

private:
    NameTable table_;
};

// Numbers whole numbers 0 ... largest by first appearance, with a table over all of them.
inline std::vector<std::int64_t> number_dense(Job& job, const std::int64_t* values, std::int64_t count,
                                              std::int64_t largest, std::int32_t* codes) {
    std::vector<std::int64_t> ids;
    constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    const Buffer<std::uint32_t> table = make_touched_buffer<std::uint32_t>(job, largest + 1);
    constexpr std::int64_t length = std::int64_t{1} << 16;
    for_ranges(job, largest + 1, length,
               [&](std::int64_t first, std::int64_t last) { std::fill(&table[first], &table[last], none); });
    if (job.threads == 1) {
        for (std::int64_t i = 0; i < count; ++i) {
            std::uint32_t& code = table[values[i]];
            if (code == none) {
                code = static_cast<std::uint32_t>(checked_code(ids.size()));
                ids.push_back(values[i]);
            }
            codes[i] = static_cast<std::int32_t>(code);
        }
        return ids;
    }
    const auto at = [&](std::int64_t i) { return std::atomic_ref(table[values[i]]); };
    constexpr auto relaxed = std::memory_order_relaxed;
    // First the table has the position of each value's first appearance.
    for_ranges(job, count, length, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            std::uint32_t known = at(i).load(relaxed);
            while (static_cast<std::uint32_t>(i) < known && !at(i).compare_exchange_weak(known, i, relaxed)) {
            }
        }
    });
    const std::int64_t num_ranges = (count + length - 1) / length;
    std::vector<std::vector<std::int64_t>> fresh(num_ranges);
    for_ranges(job, count, length, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            if (at(i).load(relaxed) == i) fresh[first / length].push_back(values[i]);
    });
    std::vector<std::int64_t> begin(num_ranges + 1);
    for (std::int64_t range = 0; range < num_ranges; ++range)
        begin[range + 1] = begin[range] + std::ssize(fresh[range]);
    ids.resize(begin.back());
    if (!ids.empty()) checked_code(ids.size() - 1);
    // Then its code.
    for_ranges(job, num_ranges, 1, [&](std::int64_t range, std::int64_t) {
        std::copy(fresh[range].begin(), fresh[range].end(), ids.begin() + begin[range]);
        for (std::int64_t code = begin[range]; code < begin[range + 1]; ++code)
            table[ids[code]] = static_cast<std::uint32_t>(code);
    });
    for_ranges(job, count, length, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) codes[i] = static_cast<std::int32_t>(table[values[i]]);
    });
    return ids;
}

// Writes the code of every value and returns the distinct values in order of first appearance.
inline std::vector<std::int64_t> number_values(Job& job, const std::int64_t* values, std::int64_t count,
                                               std::int32_t* codes) {
    job.limit_threads(15.0 * static_cast<double>(count));
    // A negative number is larger than all others here.
    std::atomic<std::uint64_t> largest{0};
    for_ranges(job, count, std::int64_t{1} << 16, [&](std::int64_t first, std::int64_t last) {
        std::uint64_t most = 0;
        for (std::int64_t i = first; i < last; ++i) most = std::max(most, static_cast<std::uint64_t>(values[i]));
        std::uint64_t known = largest.load();
        while (known < most && !largest.compare_exchange_weak(known, most)) {
        }
    });
    // The table costs at most 16 bytes per value; positions have 32 bits.
    if (largest < 4 * static_cast<std::uint64_t>(count) + 1024 && count < std::numeric_limits<std::uint32_t>::max())
        return number_dense(job, values, count, static_cast<std::int64_t>(largest.load()), codes);
    NumberTable table;
    table.number(job, values, count, codes);
    return table.ids();
}

// The same for `count` rows of `width` bytes each; returns the position of each distinct row's first appearance.
inline std::vector<std::int64_t> number_rows(Job& job, const char* bytes, std::int64_t count, std::int64_t width,
                                             std::int32_t* codes) {
    NameTable table;
    limit_to_keys(job, count);
    const auto make_key = [&](std::int64_t i) { return Key{bytes + i * width, static_cast<std::uint32_t>(width), 0}; };
    number_keys(job, table, count, make_key, codes);
    return first_positions(codes, count);
}

}  // namespace egonet::input
