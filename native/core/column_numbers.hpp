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

// Calls work(i) for i = 0 ... count - 1: by all workers if the work is large, since a round of workers takes microseconds.
template <class Work>
void for_parts(Job& job, bool is_large, std::int64_t count, Work work) {
    if (is_large) for_ranges(job, count, 1, [&](std::int64_t i, std::int64_t) { work(i); });
    else
        for (std::int64_t i = 0; i < count; ++i) work(i);
}

// Afterwards every number is the sum of those before it; returns the sum of all.
inline std::int64_t sum_before(std::vector<std::int64_t>& numbers) {
    std::int64_t sum = 0;
    for (std::int64_t& number : numbers) sum += std::exchange(number, sum);
    if (sum > std::numeric_limits<std::int32_t>::max()) throw TooLarge(too_many_keys);
    return sum;
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
    found.codes.resize(sum_before(first));
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

// For lists in any order: all columns are parted by their codes, and each part is sorted in the cache.
class ColumnSorter {
public:
    ColumnSorter(Job& job, const CodeLists& lists) : job_(job), lists_(lists), begin_(lists.size() + 1) {
        for (std::size_t list = 0; list < lists.size(); ++list)
            begin_[list + 1] = begin_[list] + std::ssize(lists[list]);
        part_codes();
    }

    ColumnNumbers run() {
        scatter();
        std::vector<std::int64_t> first(num_parts());
        for_parts(job_, is_large(), num_parts(), [&](std::int64_t part) {
            std::sort(items_.get() + start_[part], items_.get() + start_[part + 1]);
            for_items(part, [&](bool is_new, const Item&) { first[part] += is_new; });
        });
        ColumnNumbers found{std::vector<std::int64_t>(sum_before(first)), {}};
        for (const auto& list : lists_) found.renumber.push_back(make_buffer<std::int32_t>(std::ssize(list)));
        for_parts(job_, is_large(), num_parts(), [&](std::int64_t part) {
            auto number = static_cast<std::int32_t>(first[part]) - 1;
            for_items(part, [&](bool is_new, const Item& item) {
                number += is_new;
                found.codes[number] = item.code;
                found.renumber[item.worker][item.column] = number;
            });
        });
        return found;
    }

private:
    static constexpr std::int64_t most_parts = 256, usual_part = 2048;

    struct Item {
        std::int64_t code;
        std::int32_t worker, column;
        bool operator<(const Item& other) const { return code < other.code; }
    };

    std::int64_t num_parts() const { return std::ssize(bounds_) + 1; }
    bool is_large() const { return num_parts() > 8; }

    // Afterwards bounds_ parts the codes into parts of about equal size: part p has those from bounds_[p - 1] on.
    void part_codes() {
        const std::int64_t count = std::clamp<std::int64_t>(begin_.back() / usual_part, 1, most_parts);
        if (count == 1) return;
        std::vector<std::int64_t> sample;
        const std::int64_t step = std::max<std::int64_t>(begin_.back() / (16 * count), 1);
        for (const auto& list : lists_)
            for (std::int64_t i = 0; i < std::ssize(list); i += step) sample.push_back(list[i]);
        std::sort(sample.begin(), sample.end());
        for (std::int64_t part = 1; part < count; ++part) bounds_.push_back(sample[part * std::ssize(sample) / count]);
    }

    // Afterwards items_[start_[p]] ... items_[start_[p + 1] - 1] are the columns of part p.
    void scatter() {
        const auto part_of = make_buffer<std::uint8_t>(begin_.back());
        std::vector<std::int64_t> next(lists_.size() * num_parts());
        const auto for_codes = [&](auto work) {
            for_parts(job_, is_large(), std::ssize(lists_), [&](std::int64_t list) {
                for (std::int64_t i = 0; i < std::ssize(lists_[list]); ++i)
                    work(list, i, lists_[list][i], part_of[begin_[list] + i]);
            });
        };
        for_codes([&](std::int64_t list, std::int64_t, std::int64_t code, std::uint8_t& part) {
            part = static_cast<std::uint8_t>(std::upper_bound(bounds_.begin(), bounds_.end(), code) - bounds_.begin());
            ++next[list * num_parts() + part];
        });
        start_.assign(num_parts() + 1, 0);
        std::int64_t total = 0;
        for (std::int64_t part = 0; part < num_parts(); ++part) {
            for (std::int64_t list = 0; list < std::ssize(lists_); ++list)
                total += std::exchange(next[list * num_parts() + part], total);
            start_[part + 1] = total;
        }
        items_ = make_buffer<Item>(total);
        for_codes([&](std::int64_t list, std::int64_t i, std::int64_t code, std::uint8_t part) {
            items_[next[list * num_parts() + part]++] = {code, static_cast<std::int32_t>(list),
                                                         static_cast<std::int32_t>(i)};
        });
    }

    // Calls work(is_new, item) for the sorted columns of a part; is_new if the one before has another code.
    template <class Work>
    void for_items(std::int64_t part, Work work) const {
        for (std::int64_t i = start_[part]; i < start_[part + 1]; ++i)
            work(i == start_[part] || items_[i - 1] < items_[i], items_[i]);
    }

    Job& job_;
    const CodeLists& lists_;
    std::vector<std::int64_t> begin_;   // of each list among all columns
    std::vector<std::int64_t> bounds_;  // codes that part all codes
    std::vector<std::int64_t> start_;   // of each part among the items
    Buffer<Item> items_;
};

}  // namespace egonet
