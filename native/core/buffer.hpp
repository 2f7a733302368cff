// Large arrays of plain numbers: not initialized, and on large pages where the system has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace egonet {

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Buffer = std::unique_ptr<T[], Free>;

// Large pages save most of the time of first touching memory and of finding it again in random order; small ones
// are right for memory that is filled here and there while other memory is given back.
enum class Pages { large, small };

inline void* take_memory(std::size_t bytes, Pages pages) {
    constexpr std::size_t page = std::size_t{2} << 20;
    if (pages == Pages::small || bytes < 2 * page) {
        // Aligned for the widest vectors.
        const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + 63) / 64 * 64;
        void* memory = std::aligned_alloc(64, rounded);
        if (!memory) throw std::bad_alloc();
        return memory;
    }
    const std::size_t rounded = (bytes + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, rounded);
    if (!memory) throw std::bad_alloc();
#if defined(__linux__)
    madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return memory;
}

template <class T>
Buffer<T> make_buffer(std::int64_t size, Pages pages = Pages::large) {
    std::size_t bytes;
    if (__builtin_mul_overflow(static_cast<std::size_t>(size), sizeof(T), &bytes)) throw std::bad_alloc();
    return Buffer<T>(static_cast<T*>(take_memory(bytes, pages)));
}

template <class T>
Buffer<T> make_zeros(std::int64_t size) {
    Buffer<T> buffer = make_buffer<T>(size);
    std::fill_n(buffer.get(), size, T{});
    return buffer;
}

// Zeros that cost nothing until they are written to, where the system hands out memory that way.
template <class T>
Buffer<T> make_untouched_zeros(std::int64_t size) {
    void* memory = std::calloc(std::max<std::int64_t>(size, 1), sizeof(T));
    if (!memory) throw std::bad_alloc();
    return Buffer<T>(static_cast<T*>(memory));
}

}  // namespace egonet
