// Numbers the columns of all workers by their codes: the smallest code is column 0.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/keys.hpp"
#include "core/parallel.hpp"

namespace egonet {

// Column c of a worker has the code list[c] of its list.
using CodeLists = std::vector<std::vector<std::int64_t>>;

struct ColumnNumbers {
    std::vector<std::int64_t> codes;             // that occur, increasing
    std::vector<Buffer<std::int32_t>> renumber;  // by worker: column → place of its code in `codes`
};

inline std::int64_t checked_columns(std::int64_t count) {
    if (count > std::numeric_limits<std::int32_t>::max()) throw TooLarge(too_many_keys);
    return count;
}

// For workers whose columns are codes: their lists are increasing, and `renumber` has one list for all of them.
inline ColumnNumbers number_marked(Job& job, const CodeLists& lists) {
    constexpr std::int64_t length = std::int64_t{1} << 15;
    std::int64_t range = 0;
    for (const auto& list : lists) range = std::max(range, list.empty() ? 0 : list.back() + 1);
    const std::int64_t num_parts = (range + length - 1) / length;
    std::vector<std::uint64_t> marks(range / 64 + 1);  // bit c: code c occurs
    std::vector<std::int64_t> first(num_parts);
    const auto end_of = [&](std::int64_t part) {
        return std::min<std::int64_t>(std::ssize(marks), (part + 1) * length / 64);
    };
    ColumnNumbers found;
    found.renumber.push_back(make_buffer<std::int32_t>(range));
    for_parts(job, num_parts > 8, num_parts, [&](std::int64_t part) {
        for (const auto& list : lists) {
            auto at = std::lower_bound(list.begin(), list.end(), part * length);
            for (; at != list.end() && *at < (part + 1) * length; ++at)
                marks[*at >> 6] |= std::uint64_t{1} << (*at & 63);
        }
        for (std::int64_t word = part * length / 64; word < end_of(part); ++word)
            first[part] += std::popcount(marks[word]);
    });
    found.codes.resize(checked_columns(sum_before(first)));
    for_parts(job, num_parts > 8, num_parts, [&](std::int64_t part) {
        auto number = static_cast<std::int32_t>(first[part]);
        for (std::int64_t word = part * length / 64; word < end_of(part); ++word)
            for (std::uint64_t bits = marks[word]; bits; bits &= bits - 1) {
                const std::int64_t code = 64 * word + std::countr_zero(bits);
                found.codes[number] = code;
                found.renumber[0][code] = number++;
            }
    });
    return found;
}

// For lists in any order.
inline ColumnNumbers number_sorted(Job& job, const CodeLists& lists) {
    struct Item {
        std::int64_t code;
        std::int32_t worker, column;
    };
    std::vector<std::int64_t> begin;  // of each list among all columns
    for (const auto& list : lists) begin.push_back(std::ssize(list));
    const std::int64_t size = sum_before(begin);
    auto items = make_buffer<Item>(size);
    ColumnNumbers found;
    for (const auto& list : lists) found.renumber.push_back(make_buffer<std::int32_t>(std::ssize(list)));
    for_parts(job, size > 1 << 14, std::ssize(lists), [&](std::int64_t worker) {
        for (std::int32_t column = 0; column < std::ssize(lists[worker]); ++column)
            items[begin[worker] + column] = {lists[worker][column], static_cast<std::int32_t>(worker), column};
    });
    const SortedParts sorted(job, std::move(items), size, 2048,
                             [](const Item& a, const Item& b) { return a.code < b.code; });
    found.codes.resize(checked_columns(sorted.num_distinct()));
    sorted.for_items([&](const Item& item, std::int64_t number) {
        found.codes[number] = item.code;
        found.renumber[item.worker][item.column] = static_cast<std::int32_t>(number);
    });
    return found;
}

}  // namespace egonet
