// Vectors of floats and of whole numbers, as wide as a register; compiled for each instruction set as EGONET_LEVEL.
#pragma once

#include <cstdint>
#include <cstring>

namespace egonet::EGONET_LEVEL {

namespace {

#if defined(__AVX512F__)
constexpr int num_lanes = 16;
#elif defined(__AVX2__)
constexpr int num_lanes = 8;
#else
constexpr int num_lanes = 4;
#endif

#if !defined(EGONET_PORTABLE)
typedef float Lanes __attribute__((vector_size(num_lanes * 4)));
typedef std::int32_t IntLanes __attribute__((vector_size(num_lanes * 4)));

inline Lanes choose(const IntLanes& mask, const Lanes& yes, const Lanes& no) { return mask ? yes : no; }
inline Lanes all(float value) { return value - Lanes{}; }
inline IntLanes all(std::int32_t value) { return value - IntLanes{}; }
inline IntLanes bits_of(const Lanes& lanes) { return (IntLanes)lanes; }
inline Lanes from_bits(const IntLanes& bits) { return (Lanes)bits; }
#else
// The same without vectors of the compiler. Comparisons give -1 where they hold, like those of the compiler's vectors.
template <class T>
struct LaneArray {
    T lane[num_lanes];
    T& operator[](std::int64_t i) { return lane[i]; }
    T operator[](std::int64_t i) const { return lane[i]; }
};
using Lanes = LaneArray<float>;
using IntLanes = LaneArray<std::int32_t>;

template <class Result, class Each>
inline Result each_lane(Each each) {
    Result result;
    for (int i = 0; i < num_lanes; ++i) result.lane[i] = each(i);
    return result;
}
#define EGONET_EACH(Result, expression) each_lane<Result>([&](int i) { return expression; })
template <class T>
inline LaneArray<T> operator+(const LaneArray<T>& a, const LaneArray<T>& b) {
    return EGONET_EACH(LaneArray<T>, a[i] + b[i]);
}
template <class T>
inline LaneArray<T> operator-(const LaneArray<T>& a, const LaneArray<T>& b) {
    return EGONET_EACH(LaneArray<T>, a[i] - b[i]);
}
template <class T>
inline LaneArray<T>& operator+=(LaneArray<T>& a, const LaneArray<T>& b) {
    return a = a + b;
}
template <class T>
inline LaneArray<T>& operator-=(LaneArray<T>& a, const LaneArray<T>& b) {
    return a = a - b;
}
template <class T>
inline IntLanes operator<(const LaneArray<T>& a, const LaneArray<T>& b) {
    return EGONET_EACH(IntLanes, a[i] < b[i] ? -1 : 0);
}
template <class T>
inline IntLanes operator==(const LaneArray<T>& a, const LaneArray<T>& b) {
    return EGONET_EACH(IntLanes, a[i] == b[i] ? -1 : 0);
}
inline IntLanes operator|(const IntLanes& a, const IntLanes& b) { return EGONET_EACH(IntLanes, a[i] | b[i]); }
inline IntLanes operator<<(const IntLanes& a, int by) {
    return EGONET_EACH(IntLanes, static_cast<std::int32_t>(static_cast<std::uint32_t>(a[i]) << by));
}
inline Lanes operator-(const Lanes& a) { return EGONET_EACH(Lanes, -a[i]); }
inline Lanes operator*(const Lanes& a, const Lanes& b) { return EGONET_EACH(Lanes, a[i] * b[i]); }
inline Lanes operator/(const Lanes& a, const Lanes& b) { return EGONET_EACH(Lanes, a[i] / b[i]); }
inline Lanes& operator*=(Lanes& a, const Lanes& b) { return a = a * b; }

inline Lanes choose(const IntLanes& mask, const Lanes& yes, const Lanes& no) {
    return EGONET_EACH(Lanes, mask[i] ? yes[i] : no[i]);
}
inline Lanes all(float value) { return EGONET_EACH(Lanes, (static_cast<void>(i), value)); }
inline IntLanes all(std::int32_t value) { return EGONET_EACH(IntLanes, (static_cast<void>(i), value)); }
inline IntLanes bits_of(const Lanes& lanes) {
    IntLanes bits;
    std::memcpy(&bits, &lanes, sizeof bits);
    return bits;
}
inline Lanes from_bits(const IntLanes& bits) {
    Lanes lanes;
    std::memcpy(&lanes, &bits, sizeof lanes);
    return lanes;
}
#undef EGONET_EACH
#endif

inline Lanes load(const float* place) {
    Lanes lanes;
    std::memcpy(&lanes, place, sizeof lanes);
    return lanes;
}

inline void store(float* place, const Lanes& lanes) { std::memcpy(place, &lanes, sizeof lanes); }

inline float sum(const Lanes& lanes) {
    float parts[num_lanes];
    store(parts, lanes);
    for (int width = num_lanes / 2; width > 0; width /= 2)
        for (int lane = 0; lane < width; ++lane) parts[lane] += parts[lane + width];
    return parts[0];
}

}  // namespace

}  // namespace egonet::EGONET_LEVEL
