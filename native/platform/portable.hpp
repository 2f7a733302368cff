// What GCC and Clang have built in, for compilers without it (MSVC). CMake includes this file first in every source file
// there, and with EGONET_PORTABLE, so that this code is tested where MSVC is not.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace egonet::portable {

// Multiplies whole numbers, neither of them negative; returns whether the product does not fit.
template <class A, class B, class T>
bool multiply_overflows(A a, B b, T* product) {
    if (a != 0 && static_cast<T>(b) > std::numeric_limits<T>::max() / static_cast<T>(a)) return true;
    *product = static_cast<T>(a) * static_cast<T>(b);
    return false;
}

// A hint that memory is needed soon; without an instruction for it nothing happens.
template <class... Arguments>
void ignore_hint(Arguments&&...) {}

}  // namespace egonet::portable

#define __builtin_prefetch(...) ::egonet::portable::ignore_hint(__VA_ARGS__)
#define __builtin_expect(value, usual) (value)
#define __builtin_ctz(value) std::countr_zero(static_cast<std::uint32_t>(value))
#define __builtin_ctzll(value) std::countr_zero(static_cast<std::uint64_t>(value))
#define __builtin_clz(value) std::countl_zero(static_cast<std::uint32_t>(value))
#define __builtin_clzll(value) std::countl_zero(static_cast<std::uint64_t>(value))
#define __builtin_popcount(value) std::popcount(static_cast<std::uint32_t>(value))
#define __builtin_popcountll(value) std::popcount(static_cast<std::uint64_t>(value))
#define __builtin_mul_overflow(a, b, product) ::egonet::portable::multiply_overflows((a), (b), (product))

#if defined(_MSC_VER) && !defined(__clang__)
#define __attribute__(what)
#endif
