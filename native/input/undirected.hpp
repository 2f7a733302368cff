// Whether compressed rows are a valid undirected graph, checked in one pass.
#pragma once

#include <cstdint>

namespace egonet::input {

// indptr       increasing
// first, last  the rows looked at: first ... last - 1
// cursor       last - first numbers of scratch
// returns      whether every row rises strictly within first ... last - 1, lists no loop, and every arc has its opposite
//
// The opposites of the arcs of the first row, the second and so on must be in the rows they point at in exactly that
// order: cursor[v - first] is the place of the first neighbor of v that no earlier row has met. Every arc moves one
// cursor on inside its row, and there are as many arcs as positions, so that every position is filled at the end.
inline bool is_undirected(const std::int64_t* indptr, const std::int32_t* indices, std::int32_t first,
                          std::int32_t last, std::int64_t* cursor) {
    for (std::int32_t v = first; v < last; ++v) cursor[v - first] = indptr[v];
    for (std::int32_t u = first; u < last; ++u) {
        std::int32_t before = first - 1;
        for (std::int64_t arc = indptr[u]; arc < indptr[u + 1]; ++arc) {
            const std::int32_t v = indices[arc];
            if (v <= before || v >= last || v == u) return false;
            std::int64_t& place = cursor[v - first];
            if (place == indptr[v + 1] || indices[place] != u) return false;
            ++place;
            before = v;
        }
    }
    return true;
}

// The same where every arc says its row, without a loop per row: where rows are as short as those of molecules, the
// processor guesses the end of nearly every one of them wrongly.
//
// indptr, indices  as above; each index in first ... last - 1, and -1 after the last of them
// sources          the row of every arc of those rows
//
// A cursor may leave its row for the next ones, but not the array, because no row is called -1; it is then too far at
// the end. Sources come in increasing order, and so do the arcs that match them; equal ones are therefore adjacent.
inline bool is_undirected(const std::int64_t* indptr, const std::int32_t* indices, const std::int32_t* sources,
                          std::int32_t first, std::int32_t last, std::int64_t* cursor) {
    for (std::int32_t v = first; v < last; ++v) cursor[v - first] = indptr[v];
    const std::int32_t* targets = indices + indptr[first];
    const std::int64_t count = indptr[last] - indptr[first];
    bool loops = false, repeats = false, misses = false;
    for (std::int64_t arc = 0; arc < count; ++arc) {
        const std::int32_t u = sources[arc], v = targets[arc];
        if (indices[cursor[v - first]++] != u) return false;
        loops |= u == v;
    }
    for (std::int64_t arc = 1; arc < count; ++arc)
        repeats |= (sources[arc - 1] == sources[arc]) & (targets[arc - 1] == targets[arc]);
    for (std::int32_t v = first; v < last; ++v) misses |= cursor[v - first] != indptr[v + 1];
    return !(loops | repeats | misses);
}

}  // namespace egonet::input
