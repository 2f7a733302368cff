// Loops over long arrays and sorting of long lists, shared by the workers of a job.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/workers.hpp"

namespace egonet {

// Calls work(first, last) for ranges of 0 ... size - 1.
template <class Work>
void for_ranges(Job& job, std::int64_t size, std::int64_t length, Work work) {
    run_blocks(job, (size + length - 1) / length, [&](int) {
        return [&](std::int64_t block) { work(block * length, std::min(size, (block + 1) * length)); };
    });
}

// Calls work(i) for i = 0 ... count - 1: by all workers if the work is large, since a round of workers takes microseconds.
template <class Work>
void for_parts(Job& job, bool is_large, std::int64_t count, Work work) {
    if (is_large) for_ranges(job, count, 1, [&](std::int64_t i, std::int64_t) { work(i); });
    else
        for (std::int64_t i = 0; i < count; ++i) work(i);
}

// Calls work(v) for every node.
template <class Work>
void for_nodes(Job& job, std::int64_t num_nodes, Work work) {
    const std::int64_t length = std::clamp<std::int64_t>(num_nodes / (4 * job.threads), 64, 4096);
    for_ranges(job, num_nodes, length, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t v = first; v < last; ++v) work(static_cast<std::int32_t>(v));
    });
}

// Afterwards every number is the sum of itself and those before it.
inline void sum_up(Job& job, std::int64_t* numbers, std::int64_t size) {
    const std::int64_t length = job.threads == 1 ? std::max<std::int64_t>(size, 1) : std::int64_t{1} << 15;
    std::vector<std::int64_t> before(size / length + 2);
    // First the sums within each range; then the sum of all earlier ranges is added.
    for_ranges(job, size, length, [&](std::int64_t first, std::int64_t last) {
        std::int64_t sum = 0;
        for (std::int64_t i = first; i < last; ++i) numbers[i] = sum += numbers[i];
        before[first / length + 1] = sum;
    });
    for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
    for_ranges(job, std::max<std::int64_t>(size - length, 0), length, [&](std::int64_t first, std::int64_t last) {
        const std::int64_t sum = before[first / length + 1];
        for (std::int64_t i = first + length; i < last + length; ++i) numbers[i] += sum;
    });
}

// Afterwards every number is the sum of those before it; returns the sum of all.
inline std::int64_t sum_before(std::vector<std::int64_t>& numbers) {
    std::int64_t sum = 0;
    for (std::int64_t& number : numbers) sum += std::exchange(number, sum);
    return sum;
}

// The largest number(i) of i = 0 ... size - 1, or 0.
template <class Number>
std::int64_t largest_of(Job& job, std::int64_t size, Number number) {
    std::atomic<std::int64_t> largest{0};
    for_ranges(job, size, std::int64_t{1} << 16, [&](std::int64_t first, std::int64_t last) {
        std::int64_t most = 0;
        for (std::int64_t i = first; i < last; ++i) most = std::max(most, number(i));
        std::int64_t known = largest.load();
        while (known < most && !largest.compare_exchange_weak(known, most)) {
        }
    });
    return largest;
}

// Memory whose pages the workers have touched, each its own: when several write to one new page at once, the system
// clears it for each of them.
template <class T>
Buffer<T> make_touched_buffer(Job& job, std::int64_t size, Pages pages = Pages::large) {
    Buffer<T> buffer = make_buffer<T>(size, pages);
    auto* bytes = reinterpret_cast<volatile char*>(buffer.get());
    const auto num_bytes = static_cast<std::int64_t>(size * sizeof(T));
    if (job.threads > 1 && pages == Pages::large && num_bytes >= std::int64_t{2 * large_page})
        for_ranges(job, num_bytes, large_page, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t byte = first; byte < last; byte += 4096) bytes[byte] = 0;
        });
    return buffer;
}

// Items in increasing order. They are divided by their values into parts of about `usual` items, and each part is
// sorted in the cache; equal items are in the same part. Fewer than eight parts are left to one worker.
template <class Item, class Less>
class SortedParts {
public:
    SortedParts(Job& job, Buffer<Item> items, std::int64_t size, std::int64_t usual, Less less)
        : job_(job), less_(less), items_(std::move(items)), start_{0, size} {
        const std::int64_t num_parts = std::clamp<std::int64_t>(size / usual, 1, most_parts);
        if (num_parts > 1) scatter(choose_bounds(num_parts));
        first_.resize(start_.size() - 1);
        for_all_parts([&](std::int64_t part) {
            std::sort(items_.get() + start_[part], items_.get() + start_[part + 1], less_);
            for (std::int64_t i = start_[part]; i < start_[part + 1]; ++i) first_[part] += is_new(part, i);
        });
        num_distinct_ = sum_before(first_);
    }

    std::int64_t num_distinct() const { return num_distinct_; }

    // Calls work(item, number) for every item; `number` is how many distinct items are smaller.
    template <class Work>
    void for_items(Work work) const {
        for_all_parts([&](std::int64_t part) {
            std::int64_t number = first_[part] - 1;
            for (std::int64_t i = start_[part]; i < start_[part + 1]; ++i) work(items_[i], number += is_new(part, i));
        });
    }

private:
    static constexpr std::int64_t most_parts = 256;

    bool is_large() const { return start_.size() > 8; }
    bool is_new(std::int64_t part, std::int64_t i) const {
        return i == start_[part] || less_(items_[i - 1], items_[i]);
    }

    template <class Work>
    void for_all_parts(Work work) const {
        for_parts(job_, is_large(), std::ssize(start_) - 1, work);
    }

    // Part p has the items from bounds[p - 1] on.
    std::vector<Item> choose_bounds(std::int64_t num_parts) const {
        std::vector<Item> sample, bounds;
        const std::int64_t step = std::max<std::int64_t>(start_.back() / (16 * num_parts), 1);
        for (std::int64_t i = 0; i < start_.back(); i += step) sample.push_back(items_[i]);
        std::sort(sample.begin(), sample.end(), less_);
        for (std::int64_t part = 1; part < num_parts; ++part)
            bounds.push_back(sample[part * std::ssize(sample) / num_parts]);
        return bounds;
    }

    // Afterwards items_[start_[p]] ... items_[start_[p + 1] - 1] are the items of part p.
    void scatter(const std::vector<Item>& bounds) {
        const std::int64_t size = start_.back(), num_parts = std::ssize(bounds) + 1, num_blocks = 64;
        start_.assign(num_parts + 1, 0);
        const auto part_of = make_buffer<std::uint8_t>(size);
        std::vector<std::int64_t> next(num_blocks * num_parts);
        const auto for_blocks = [&](auto work) {
            for_parts(job_, is_large(), num_blocks, [&](std::int64_t block) {
                for (std::int64_t i = block * size / num_blocks; i < (block + 1) * size / num_blocks; ++i)
                    work(i, next.data() + block * num_parts);
            });
        };
        for_blocks([&](std::int64_t i, std::int64_t* counts) {
            const auto bound = std::upper_bound(bounds.begin(), bounds.end(), items_[i], less_);
            part_of[i] = static_cast<std::uint8_t>(bound - bounds.begin());
            ++counts[part_of[i]];
        });
        std::int64_t total = 0;
        for (std::int64_t part = 0; part < num_parts; ++part) {
            for (std::int64_t block = 0; block < num_blocks; ++block)
                total += std::exchange(next[block * num_parts + part], total);
            start_[part + 1] = total;
        }
        Buffer<Item> scattered = make_buffer<Item>(size);
        for_blocks([&](std::int64_t i, std::int64_t* places) { scattered[places[part_of[i]]++] = items_[i]; });
        items_ = std::move(scattered);
    }

    Job& job_;
    Less less_;
    Buffer<Item> items_;
    std::vector<std::int64_t> start_;  // of each part among the items, and their end
    std::vector<std::int64_t> first_;  // how many distinct items are in earlier parts
    std::int64_t num_distinct_ = 0;
};

}  // namespace egonet
