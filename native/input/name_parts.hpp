// Names as other packages keep them: one after another with offsets (Arrow), or as code points of one width (NumPy).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/parallel.hpp"
#include "input/name_table.hpp"

namespace egonet::input {

constexpr std::int64_t kNamesPerRange = 8192;

// Name i is bytes[offsets[i]] ... bytes[offsets[i + 1] - 1].
struct NameParts {
    Buffer<std::int64_t> offsets;
    Buffer<std::uint8_t> bytes;
};

inline NameParts parts_of(Job& job, const NameTable& table) {
    const auto count = static_cast<std::int64_t>(table.size());
    job.limit_threads(20.0 * static_cast<double>(count));
    NameParts parts{make_buffer<std::int64_t>(count + 1), nullptr};
    const auto for_names = [&](auto work) {
        for_ranges(job, count, kNamesPerRange, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) work(i, table[i]);
        });
    };
    parts.offsets[0] = 0;
    for_names([&](std::int64_t i, std::string_view name) { parts.offsets[i + 1] = std::ssize(name); });
    sum_up(job, parts.offsets.get() + 1, count);
    parts.bytes = make_buffer<std::uint8_t>(parts.offsets[count]);
    for_names([&](std::int64_t i, std::string_view name) {
        std::copy(name.begin(), name.end(), parts.bytes.get() + parts.offsets[i]);
    });
    return parts;
}

// Reads one code point of UTF-8 and moves `at` behind it; false where the bytes are no UTF-8, or a NUL.
inline bool read_point(const std::uint8_t*& at, const std::uint8_t* end, std::uint32_t& point) {
    const std::uint8_t lead = *at++;
    if (lead < 0x80) {
        point = lead;
        return lead != 0;
    }
    const int rest = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || end - at < rest) return false;
    point = lead & (0x3f >> rest);
    for (int i = 0; i < rest; ++i) {
        if ((at[i] & 0xc0) != 0x80) return false;
        point = point << 6 | (at[i] & 0x3f);
    }
    at += rest;
    // Neither longer than need be, nor half of a pair of UTF-16, nor beyond the last code point.
    return point >= (rest == 1   ? 0x80u
                     : rest == 2 ? 0x800u
                                 : 0x10000u) &&
           point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
}

struct FixedWidth {
    std::int64_t width;
    Buffer<std::uint32_t> points;  // `width` for each name, zeros behind its end
};

// Nothing if a name has a NUL (which is lost at the end of a row) or is no UTF-8, or if most of the rows would be zeros.
inline std::optional<FixedWidth> fixed_width(Job& job, const std::int64_t* offsets, const std::uint8_t* bytes,
                                             std::int64_t count) {
    job.limit_threads(20.0 * static_cast<double>(count));
    std::atomic<std::int64_t> width{0}, total{0};
    std::atomic<bool> plain{true};
    for_ranges(job, count, kNamesPerRange, [&](std::int64_t first, std::int64_t last) {
        std::int64_t most = 0, sum = 0;
        std::uint32_t point;
        for (std::int64_t i = first; i < last; ++i) {
            const std::uint8_t *at = bytes + offsets[i], *end = bytes + offsets[i + 1];
            std::int64_t length = 0;
            for (; at < end; ++length)
                if (!read_point(at, end, point)) {
                    plain = false;
                    return;
                }
            most = std::max(most, length);
            sum += length;
        }
        total += sum;
        std::int64_t known = width.load();
        while (known < most && !width.compare_exchange_weak(known, most)) {
        }
    });
    if (!plain || !width || width > (4 * total + (std::int64_t{1} << 20)) / count) return std::nullopt;
    FixedWidth found{width, make_touched_buffer<std::uint32_t>(job, width * count)};
    for_ranges(job, count, kNamesPerRange, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            const std::uint8_t *at = bytes + offsets[i], *end = bytes + offsets[i + 1];
            std::uint32_t *point = found.points.get() + i * found.width, *const stop = point + found.width;
            while (at < end) read_point(at, end, *point++);
            std::fill(point, stop, 0);
        }
    });
    return found;
}

}  // namespace egonet::input
