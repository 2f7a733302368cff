// Sums lane by lane, kept as bit slices; compiled for each instruction set as EGONET_LEVEL.
#pragma once

#include "bitwise/bitwise_lanes.hpp"

namespace egonet::EGONET_LEVEL {

namespace {

constexpr int max_slices = 32;

// Sums of up to 2^num_slices - 1 vectors, one sum a lane.
struct Sums {
    Word slice[max_slices];
    int num_slices;
};

// Adds a word of weight 2^from.
EGONET_INLINE void carry_up(Sums& sums, Word carry, int from) {
    for (int j = from; j < sums.num_slices && any(carry); ++j) {
        const Word both = sums.slice[j] & carry;
        sums.slice[j] ^= carry;
        carry = both;
    }
}

// Sums word(k) over k = 0 ... count - 1. Before each step of the first loop one, two, four and the slices from 3 on
// are the sums of the vectors read so far.
template <class WordAt>
EGONET_INLINE void add_words(Sums& sums, std::int32_t count, WordAt word) {
    sums.num_slices = 32 - __builtin_clz(static_cast<unsigned>(count) | 1);
    for (int j = 0; j < (sums.num_slices < 4 ? 4 : sums.num_slices); ++j) sums.slice[j] = Word{};
    Word one{}, two{}, four{}, a, b, c, d;
    std::int32_t k = 0;
    for (; k + 8 <= count; k += 8) {
        sum3(one, word(k), word(k + 1), one, a);
        sum3(one, word(k + 2), word(k + 3), one, b);
        sum3(two, a, b, two, c);
        sum3(one, word(k + 4), word(k + 5), one, a);
        sum3(one, word(k + 6), word(k + 7), one, b);
        sum3(two, a, b, two, d);
        sum3(four, c, d, four, a);
        carry_up(sums, a, 3);
    }
    for (; k < count; ++k) {
        const Word next = word(k);
        a = one & next;
        one ^= next;
        b = two & a;
        two ^= a;
        c = four & b;
        four ^= b;
        carry_up(sums, c, 3);
    }
    sums.slice[0] = one;
    sums.slice[1] = two;
    sums.slice[2] = four;
}

// The lanes whose sum is `value`, among `lanes`.
EGONET_INLINE Word lanes_with(const Sums& sums, const Word& lanes, std::int32_t value) {
    Word equal = lanes;
    for (int j = 0; j < sums.num_slices; ++j) equal &= (value >> j & 1) ? sums.slice[j] : ~sums.slice[j];
    return equal;
}

// Turns 8 rows of 8 bits into 8 columns: bit r of byte c of the result is bit c of byte r.
EGONET_INLINE std::uint64_t transpose8(std::uint64_t x) {
    std::uint64_t t = (x ^ x >> 7) & 0x00AA00AA00AA00AAu;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000CCCC0000CCCCu;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000F0F0F0F0u;
    return x ^ t ^ t << 28;
}

// The sums of `width` neighboring lanes as numbers, which is how they become keys.
#if defined(__AVX512BW__)
struct Values {
    static constexpr int width = 32;
    std::uint32_t value[width];

    EGONET_INLINE Values of(const Sums& sums, int part) {
        Values values;
        for (int half = 0; half < 2; ++half) {
            __m512i packed = _mm512_setzero_si512();
            for (int j = 0; j < sums.num_slices; ++j) {
                const std::uint64_t word = lanes_from(sums.slice[j], part >> 1);
                const auto bits = static_cast<__mmask16>(word >> (32 * (part & 1) + 16 * half));
                packed = _mm512_mask_or_epi32(packed, bits, packed, _mm512_set1_epi32(1 << j));
            }
            _mm512_storeu_si512(values.value + 16 * half, packed);
        }
        return values;
    }
    std::uint32_t operator[](int i) const { return value[i]; }
};
#else
struct Values {
    static constexpr int width = 8;
    std::uint64_t bytes[4];  // byte i of bytes[b] is byte b of the sum of lane i
    int num_bytes;

    EGONET_INLINE Values of(const Sums& sums, int part) {
        Values values;
        values.num_bytes = (sums.num_slices + 7) / 8;
        for (int low = 0; low < sums.num_slices; low += 8) {
            const int high = sums.num_slices - low < 8 ? sums.num_slices - low : 8;
            std::uint64_t rows = 0;
            for (int j = 0; j < high; ++j)
                rows |= (lanes_from(sums.slice[low + j], part >> 3) >> (8 * (part & 7)) & 255) << (8 * j);
            values.bytes[low >> 3] = transpose8(rows);
        }
        return values;
    }
    std::uint32_t operator[](int i) const {
        std::uint32_t value = bytes[0] >> (8 * i) & 255;
        for (int b = 1; b < num_bytes; ++b) value |= static_cast<std::uint32_t>(bytes[b] >> (8 * i) & 255) << (8 * b);
        return value;
    }
};
#endif

// The lanes of a word in the part with that number, from bit 0 on.
EGONET_INLINE std::uint32_t lanes_of_part(const Word& lanes, int part) {
    constexpr int parts = 64 / Values::width;
    return static_cast<std::uint32_t>(lanes_from(lanes, part / parts) >> (part % parts * Values::width)) &
           static_cast<std::uint32_t>((std::uint64_t{1} << Values::width) - 1);
}

}  // namespace

}  // namespace egonet::EGONET_LEVEL
