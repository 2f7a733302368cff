// Vectors of 512 one-bit lanes, in as many registers as they need; compiled for each instruction set as EGONET_LEVEL.
#pragma once

#include "bitwise/bitwise_pass.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define EGONET_INLINE static __forceinline
#else
#define EGONET_INLINE static inline __attribute__((always_inline))
#endif

namespace egonet::EGONET_LEVEL {

namespace {

#if defined(__AVX512F__)
typedef std::uint64_t Word __attribute__((vector_size(64), may_alias));
EGONET_INLINE bool any(const Word& a) { return _mm512_test_epi64_mask((__m512i)a, (__m512i)a) != 0; }
EGONET_INLINE int count_lanes(const Word& a) {
    return static_cast<int>(_mm512_reduce_add_epi64(_mm512_popcnt_epi64((__m512i)a)));
}
EGONET_INLINE void sum3(const Word& a, const Word& b, const Word& c, Word& sum, Word& carry) {
    const Word odd = (Word)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
    carry = (Word)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xE8);
    sum = odd;
}
EGONET_INLINE std::uint64_t lanes_from(const Word& a, int word) { return a[word]; }
#else
#if defined(__AVX2__)
typedef std::uint64_t Part __attribute__((vector_size(32), may_alias));
struct __attribute__((may_alias)) Word {
    Part part[2];
};
#define EGONET_EACH_PART(expression)     \
    Word {                               \
        {                                \
            expression(0), expression(1) \
        }                                \
    }
EGONET_INLINE bool any(const Word& a) {
    const Part all = a.part[0] | a.part[1];
    return !_mm256_testz_si256((__m256i)all, (__m256i)all);
}
#else
#if defined(EGONET_PORTABLE)
struct __attribute__((may_alias)) Part {
    std::uint64_t half[2];
    std::uint64_t operator[](int i) const { return half[i]; }
};
EGONET_INLINE Part operator&(const Part& a, const Part& b) { return {{a[0] & b[0], a[1] & b[1]}}; }
EGONET_INLINE Part operator|(const Part& a, const Part& b) { return {{a[0] | b[0], a[1] | b[1]}}; }
EGONET_INLINE Part operator^(const Part& a, const Part& b) { return {{a[0] ^ b[0], a[1] ^ b[1]}}; }
EGONET_INLINE Part operator~(const Part& a) { return {{~a[0], ~a[1]}}; }
#else
typedef std::uint64_t Part __attribute__((vector_size(16), may_alias));
#endif
struct __attribute__((may_alias)) Word {
    Part part[4];
};
#define EGONET_EACH_PART(expression)                                   \
    Word {                                                             \
        {                                                              \
            expression(0), expression(1), expression(2), expression(3) \
        }                                                              \
    }
EGONET_INLINE bool any(const Word& a) {
    const Part all = a.part[0] | a.part[1] | a.part[2] | a.part[3];
    return (all[0] | all[1]) != 0;
}
#endif
// Written out part by part: the compiler keeps such vectors in registers, and 64-byte vectors in memory.
#define EGONET_AND(i) a.part[i] & b.part[i]
#define EGONET_OR(i) a.part[i] | b.part[i]
#define EGONET_XOR(i) a.part[i] ^ b.part[i]
#define EGONET_NOT(i) ~a.part[i]
EGONET_INLINE Word operator&(const Word& a, const Word& b) { return EGONET_EACH_PART(EGONET_AND); }
EGONET_INLINE Word operator|(const Word& a, const Word& b) { return EGONET_EACH_PART(EGONET_OR); }
EGONET_INLINE Word operator^(const Word& a, const Word& b) { return EGONET_EACH_PART(EGONET_XOR); }
EGONET_INLINE Word operator~(const Word& a) { return EGONET_EACH_PART(EGONET_NOT); }
EGONET_INLINE Word& operator&=(Word& a, const Word& b) { return a = a & b; }
EGONET_INLINE Word& operator|=(Word& a, const Word& b) { return a = a | b; }
EGONET_INLINE Word& operator^=(Word& a, const Word& b) { return a = a ^ b; }
EGONET_INLINE std::uint64_t lanes_from(const Word& a, int word) {
    typedef std::uint64_t Bits __attribute__((may_alias));
    return reinterpret_cast<const Bits*>(&a)[word];
}
EGONET_INLINE int count_lanes(const Word& a) {
    int count = 0;
    for (int word = 0; word < 8; ++word) count += __builtin_popcountll(lanes_from(a, word));
    return count;
}
EGONET_INLINE void sum3(const Word& a, const Word& b, const Word& c, Word& sum, Word& carry) {
    const Word half = a ^ b;
    const Word both = (a & b) | (c & half);
    sum = half ^ c;
    carry = both;
}
#endif

EGONET_INLINE Word& word_at(Lanes* lanes, std::int64_t node) { return reinterpret_cast<Word*>(lanes)[node]; }

// Calls with each lane of the word, increasing.
template <class Visit>
EGONET_INLINE void for_lanes(const Word& lanes, Visit visit) {
    for (int word = 0; word < 8; ++word)
        for (std::uint64_t bits = lanes_from(lanes, word); bits; bits &= bits - 1)
            visit(word * 64 + __builtin_ctzll(bits));
}

}  // namespace

}  // namespace egonet::EGONET_LEVEL
