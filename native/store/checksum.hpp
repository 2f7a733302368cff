// A checksum at the speed of memory: four CRC-32C over every fourth word of 8 bytes, 128 bits together.
//
// Four chains keep the CRC unit of the processor busy, which one chain leaves idle two cycles of three. A CRC finds every
// change of up to 32 neighboring bits of its chain; other damage passes all four with a chance far below 2^-32.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && !defined(_MSC_VER)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace egonet {

struct Checksum {
    std::array<std::uint32_t, 4> chains{~0u, ~0u, ~0u, ~0u};
    std::uint64_t size = 0;

    // The length is part of the sum: zeros at the end are not lost.
    std::array<std::uint32_t, 4> value() const {
        auto result = chains;
        result[0] ^= static_cast<std::uint32_t>(size);
        result[1] ^= static_cast<std::uint32_t>(size >> 32);
        return result;
    }
};

// One step without the instruction: eight bits at a time, from a table of the reversed polynomial.
inline std::uint32_t crc_word_portable(std::uint32_t crc, std::uint64_t word) {
    static const auto table = [] {
        std::array<std::uint32_t, 256> made{};
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            std::uint32_t value = byte;
            for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82f63b78u : 0u);
            made[byte] = value;
        }
        return made;
    }();
    for (int byte = 0; byte < 8; ++byte, word >>= 8) crc = crc >> 8 ^ table[(crc ^ word) & 255];
    return crc;
}

// Adds groups of four 8-byte blocks. Step is one CRC step of 8 bytes.
template <class Step>
inline void add_groups(Checksum& sum, const unsigned char* data, std::size_t groups, Step step) {
    auto [a, b, c, d] = sum.chains;
    // After every step the chains are the CRCs of all blocks before `data`.
    for (std::size_t group = 0; group < groups; ++group, data += 32) {
        std::uint64_t blocks[4];
        std::memcpy(blocks, data, 32);
        a = step(a, blocks[0]), b = step(b, blocks[1]), c = step(c, blocks[2]), d = step(d, blocks[3]);
    }
    sum.chains = {a, b, c, d};
}

#if defined(__x86_64__) && !defined(_MSC_VER)
__attribute__((target("sse4.2"))) inline void add_groups_sse(Checksum& sum, const unsigned char* data,
                                                             std::size_t groups) {
    std::uint64_t a = sum.chains[0], b = sum.chains[1], c = sum.chains[2], d = sum.chains[3];
    // After every step the chains are the CRCs of all blocks before `data`.
    for (std::size_t group = 0; group < groups; ++group, data += 32) {
        std::uint64_t blocks[4];
        std::memcpy(blocks, data, 32);
        a = _mm_crc32_u64(a, blocks[0]), b = _mm_crc32_u64(b, blocks[1]);
        c = _mm_crc32_u64(c, blocks[2]), d = _mm_crc32_u64(d, blocks[3]);
    }
    sum.chains = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(c),
                  static_cast<std::uint32_t>(d)};
}
#endif

// Adds bytes; every call but the last has a multiple of 32 of them. What is missing in the last group counts as zeros.
inline void add_bytes(Checksum& sum, const unsigned char* data, std::size_t size, [[maybe_unused]] bool portable) {
    unsigned char tail[32] = {};
    std::memcpy(tail, data + size / 32 * 32, size % 32);
    const auto add = [&](const unsigned char* from, std::size_t groups) {
#if defined(__x86_64__) && !defined(_MSC_VER)
        if (!portable && __builtin_cpu_supports("sse4.2")) return add_groups_sse(sum, from, groups);
#elif defined(__ARM_FEATURE_CRC32)
        if (!portable) return add_groups(sum, from, groups, [](auto crc, auto word) { return __crc32cd(crc, word); });
#endif
        add_groups(sum, from, groups, crc_word_portable);
    };
    add(data, size / 32);
    if (size % 32) add(tail, 1);
    sum.size += size;
}

}  // namespace egonet
