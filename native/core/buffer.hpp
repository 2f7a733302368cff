// Large arrays of plain numbers: not initialized, and on large pages where the system has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(_WIN32)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace egonet {

// Memory of any alignment, a power of 2. Windows has another function to free it, so only free_memory may.
inline void* aligned_memory(std::size_t alignment, std::size_t bytes) {
#if defined(_WIN32)
    void* memory = _aligned_malloc(bytes, alignment);
#else
    void* memory = std::aligned_alloc(alignment, bytes);
#endif
    if (!memory) throw std::bad_alloc();
    return memory;
}

inline void free_memory(void* memory) {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
}

struct Free {
    void operator()(void* memory) const { free_memory(memory); }
};
template <class T>
using Buffer = std::unique_ptr<T[], Free>;

// Large pages save most of the time of first touching memory and of finding it again in random order; small ones
// are right for memory that is filled here and there while other memory is given back.
enum class Pages { large, small };
constexpr std::size_t large_page = std::size_t{2} << 20;

inline void* take_memory(std::size_t bytes, Pages pages) {
    if (pages == Pages::small || bytes < 2 * large_page) {
        // Aligned for the widest vectors.
        const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + 63) / 64 * 64;
        return aligned_memory(64, rounded);
    }
    const std::size_t rounded = (bytes + large_page - 1) / large_page * large_page;
    void* memory = aligned_memory(large_page, rounded);
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
Buffer<T> make_untouched_zeros(std::int64_t size, [[maybe_unused]] Pages pages = Pages::small) {
#if defined(_WIN32)
    return make_zeros<T>(size);
#else
    void* memory = std::calloc(std::max<std::int64_t>(size, 1), sizeof(T));
    if (!memory) throw std::bad_alloc();
#if defined(__linux__)
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + large_page - 1) / large_page * large_page;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + size * sizeof(T)) / large_page * large_page;
    if (pages == Pages::large && end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
    return Buffer<T>(static_cast<T*>(memory));
#endif
}

}  // namespace egonet
