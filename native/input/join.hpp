// Many graphs as one: their rows side by side, every number looked at as it is copied.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/buffer.hpp"
#include "input/undirected.hpp"

namespace egonet::input {

// Numbers in somebody else's memory.
struct View {
    enum class Kind { whole, natural, real };
    const void* data = nullptr;
    std::int64_t size = 0;
    Kind kind = Kind::whole;
    int bytes = 0;  // of each number
};

// Prefetches the first numbers of a view, or all if they are few.
[[gnu::always_inline]] inline void prefetch(const View& view) {
    constexpr std::int64_t line = 64, most = 512;
    const char* data = static_cast<const char*>(view.data);
    for (std::int64_t at = 0; at < std::min(most, view.size * view.bytes); at += line) __builtin_prefetch(data + at);
}

// Calls with the view's numbers as what they are; false if they are of no kind known here.
template <class Call>
bool with_numbers(const View& view, Call call) {
    const auto as = [&]<class T>(const T*) { return call(static_cast<const T*>(view.data)); };
    const auto sized = [&](auto* one, auto* two, auto* four, auto* eight) {
        switch (view.bytes) {
            case 1: return as(one);
            case 2: return as(two);
            case 4: return as(four);
            case 8: return as(eight);
            default: return false;
        }
    };
    switch (view.kind) {
        case View::Kind::whole:
            return sized((std::int8_t*)nullptr, (std::int16_t*)nullptr, (std::int32_t*)nullptr, (std::int64_t*)nullptr);
        case View::Kind::natural:
            return sized((std::uint8_t*)nullptr, (std::uint16_t*)nullptr, (std::uint32_t*)nullptr,
                         (std::uint64_t*)nullptr);
        case View::Kind::real:
            if (view.bytes == 4) return as((float*)nullptr);
            return view.bytes == 8 && as((double*)nullptr);
    }
    return false;
}

// Calls with indptr or indices, which have 32 or 64 bits.
template <class Call>
bool with_indices(const View& view, Call call) {
    if (view.kind != View::Kind::whole) return false;
    if (view.bytes == 4) return call(static_cast<const std::int32_t*>(view.data));
    return view.bytes == 8 && call(static_cast<const std::int64_t*>(view.data));
}

// The rows of the graphs added so far, one after another.
class JoinedRows {
public:
    Buffer<std::int64_t> indptr;
    Buffer<std::int32_t> indices;
    std::int64_t num_nodes = 0, num_arcs = 0;  // so far
    bool weighted = false;                     // some value is not 1

    // Capacity for this many nodes and arcs; more must not be added.
    JoinedRows(std::int64_t nodes, std::int64_t arcs)
        : indptr(make_buffer<std::int64_t>(nodes + 1)), indices(make_buffer<std::int32_t>(arcs + 1)) {
        indptr[0] = 0;
    }

    // What adds returns false, and leaves the rows worthless, if something about the graph needs a closer look.

    // A graph of `starts.size - 1` nodes, at least 0. Its rows must lie within their arrays and name its own nodes.
    bool add(const View& starts, const View& columns) {
        const std::int64_t size = starts.size - 1;
        return with_indices(starts, [&](auto* from) { return add_starts(from, size, columns.size); }) &&
               with_indices(columns, [&](auto* from) { return add_columns(from, columns.size, size); }) &&
               end_graph(size, columns.size);
    }

    // The same, if it is undirected, sorted and without loops.
    bool add_undirected(const View& starts, const View& columns) {
        if (!add(starts, columns)) return false;
        if (columns.size <= few_arcs) write_sources(columns.size);
        return last_is_undirected(columns.size);
    }

    // The same from arcs in the order of their sources, then targets.
    bool add_undirected(const std::int64_t* sources, const std::int64_t* targets, std::int64_t count,
                        std::int64_t size) {
        if (!add_sources(sources, count, size) || !add_columns(targets, count, size)) return false;
        if (count <= few_arcs) {
            const auto shift = static_cast<std::int32_t>(num_nodes);
            std::int32_t* rows = sources_of(count);
            for (std::int64_t arc = 0; arc < count; ++arc) rows[arc] = static_cast<std::int32_t>(sources[arc]) + shift;
        }
        return end_graph(size, count) && last_is_undirected(count);
    }

    // Records whether values are weights; zeros are invalid, since they are no edges.
    bool add_values(const View& values) {
        return with_numbers(values, [&]<class T>(const T* value) {
            if (are_ones(value, values.size)) return true;
            weighted = true;
            bool zeros = false;
            for (std::int64_t i = 0; i < values.size; ++i) zeros |= value[i] == T{0};
            return !zeros;
        });
    }

private:
    // With more arcs a loop per row costs nothing, and a buffer of sources would.
    static constexpr std::int64_t few_arcs = 1 << 12;
    // This many sources are written, even if the row has fewer.
    static constexpr std::int64_t at_once = 8;

    // Compares bits: the compiler takes numbers with a point one at a time.
    template <class T>
    static bool are_ones(const T* value, std::int64_t count) {
        using Bits = std::tuple_element_t<std::bit_width(sizeof(T)) - 1,
                                          std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
        const Bits one = std::bit_cast<Bits>(T{1});
        Bits different = 0;
        for (std::int64_t i = 0; i < count; ++i) different |= std::bit_cast<Bits>(value[i]) ^ one;
        return different == 0;
    }

    template <class Index>
    bool add_starts(const Index* from, std::int64_t size, std::int64_t count) {
        std::int64_t* to = indptr.get() + num_nodes;
        Index before = from[0];
        bool valid = before == 0;
        for (std::int64_t v = 1; v <= size; ++v) {
            const Index start = from[v];
            valid &= before <= start;
            to[v] = static_cast<std::int64_t>(std::uint64_t(num_arcs) + std::uint64_t(start));
            before = start;
        }
        return valid && before == count;
    }

    bool add_sources(const std::int64_t* from, std::int64_t count, std::int64_t size) {
        bool falls = false;
        for (std::int64_t arc = 1; arc < count; ++arc) falls |= from[arc] < from[arc - 1];
        if (falls || (count && (from[0] < 0 || from[count - 1] >= size))) return false;
        std::int64_t* ends = indptr.get() + num_nodes + 1;
        std::fill_n(ends, size, num_arcs);
        for (std::int64_t arc = 0; arc < count; ++arc) ends[from[arc]] = num_arcs + arc + 1;
        // Rows without arcs end where the row before them does.
        for (std::int64_t v = 1; v < size; ++v) ends[v] = std::max(ends[v], ends[v - 1]);
        return true;
    }

    template <class Index>
    bool add_columns(const Index* from, std::int64_t count, std::int64_t size) {
        std::int32_t* to = indices.get() + num_arcs;
        const auto shift = static_cast<std::uint32_t>(num_nodes);
        Index least = 0, most = 0;
        for (std::int64_t arc = 0; arc < count; ++arc) {
            least = std::min(least, from[arc]);
            most = std::max(most, from[arc]);
            to[arc] = static_cast<std::int32_t>(static_cast<std::uint32_t>(from[arc]) + shift);
        }
        return least >= 0 && (most < size || !count);
    }

    bool end_graph(std::int64_t size, std::int64_t count) {
        num_nodes += size;
        num_arcs += count;
        last_size_ = size;
        return true;
    }

    std::int32_t* sources_of(std::int64_t count) {
        if (static_cast<std::int64_t>(sources_.size()) < count + at_once) sources_.resize(2 * count + at_once);
        return sources_.data();
    }

    // Writes the row of every arc of the graph added last.
    void write_sources(std::int64_t count) {
        std::int32_t* rows = sources_of(count);
        for (std::int64_t v = num_nodes - last_size_; v < num_nodes; ++v) {
            const std::int64_t degree = indptr[v + 1] - indptr[v];
            for (std::int64_t i = 0; i < at_once; ++i) rows[i] = static_cast<std::int32_t>(v);
            if (degree > at_once) std::fill_n(rows + at_once, degree - at_once, static_cast<std::int32_t>(v));
            rows += degree;
        }
    }

    bool last_is_undirected(std::int64_t count) {
        if (static_cast<std::int64_t>(cursor_.size()) < last_size_) cursor_.resize(2 * last_size_);
        const auto last = static_cast<std::int32_t>(num_nodes), first = last - static_cast<std::int32_t>(last_size_);
        if (count > few_arcs) return is_undirected(indptr.get(), indices.get(), first, last, cursor_.data());
        indices[num_arcs] = -1;
        return is_undirected(indptr.get(), indices.get(), sources_.data(), first, last, cursor_.data());
    }

    std::int64_t last_size_ = 0;
    std::vector<std::int64_t> cursor_;
    std::vector<std::int32_t> sources_;
};

}  // namespace egonet::input
