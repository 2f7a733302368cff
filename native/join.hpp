// Many graphs as one: their rows side by side, every number looked at as it is copied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "undirected.hpp"

namespace egonet::input {

// Numbers in somebody else's memory.
struct View {
    enum class Kind { whole, natural, real };
    const void* data = nullptr;
    std::int64_t size = 0;
    Kind kind = Kind::whole;
    int bytes = 0;  // of each number
};

// Asks for the first numbers of a view; all of them, if they are few.
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

    // Room for so many vertices and arcs; more must not be added.
    JoinedRows(std::int64_t nodes, std::int64_t arcs)
        : indptr(make_buffer<std::int64_t>(nodes + 1)), indices(make_buffer<std::int32_t>(arcs)) {
        indptr[0] = 0;
    }

    // What adds returns false, and leaves the rows worthless, if something about the graph needs a closer look.

    // A graph of `starts.size - 1` vertices, at least 0. Its rows must lie within their arrays and name its own vertices.
    bool add(const View& starts, const View& columns) {
        const std::int64_t size = starts.size - 1;
        return with_indices(starts, [&](auto* from) { return add_starts(from, size, columns.size); }) &&
               with_indices(columns, [&](auto* from) { return add_columns(from, columns.size, size); }) &&
               end_graph(size, columns.size);
    }

    // The same from arcs in the order of their sources, then targets.
    bool add_arcs(const std::int64_t* sources, const std::int64_t* targets, std::int64_t count, std::int64_t size) {
        std::int64_t* starts = indptr.get() + num_nodes;
        std::int64_t row = 0;
        // Before each step the rows up to `row` begin at the arcs where they should.
        for (std::int64_t arc = 0; arc < count; ++arc) {
            if (sources[arc] < row || sources[arc] >= size) return false;
            while (row < sources[arc]) starts[++row] = num_arcs + arc;
        }
        while (row < size) starts[++row] = num_arcs + count;
        return add_columns(targets, count, size) && end_graph(size, count);
    }

    // Whether the graph added last is undirected, sorted and without loops.
    bool last_is_undirected() {
        if (static_cast<std::int64_t>(cursor_.size()) < last_size_) cursor_.resize(2 * last_size_);
        const auto end = static_cast<std::int32_t>(num_nodes);
        return is_undirected(indptr.get(), indices.get(), end - static_cast<std::int32_t>(last_size_), end,
                             cursor_.data());
    }

    // Notes whether values are weights; refuses zeros, which are no edges.
    bool add_values(const View& values) {
        return with_numbers(values, [&]<class T>(const T* value) {
            const auto count_of = [&](T wanted) {
                std::int64_t found = 0;
                for (std::int64_t i = 0; i < values.size; ++i) found += value[i] == wanted;
                return found;
            };
            if (count_of(T{1}) == values.size) return true;
            weighted = true;
            return count_of(T{0}) == 0;
        });
    }

private:
    template <class Index>
    bool add_starts(const Index* from, std::int64_t size, std::int64_t count) {
        bool good = from[0] == 0 && from[size] == count;
        for (std::int64_t v = 0; v < size; ++v) {
            good &= from[v] <= from[v + 1];
            indptr[num_nodes + v + 1] = static_cast<std::int64_t>(std::uint64_t(num_arcs) + std::uint64_t(from[v + 1]));
        }
        return good;
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

    std::int64_t last_size_ = 0;
    std::vector<std::int64_t> cursor_;
};

}  // namespace egonet::input
