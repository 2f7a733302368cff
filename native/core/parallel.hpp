// Loops over long arrays, shared by the workers of a job.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
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

}  // namespace egonet
