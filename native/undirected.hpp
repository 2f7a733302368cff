// Whether compressed rows are an undirected graph as every algorithm wants it, found in one pass.
#pragma once

#include <cstdint>

namespace egonet::input {

// indptr       rising
// first, last  the rows looked at: first ... last - 1
// cursor       last - first numbers of scratch
// returns      whether every row rises strictly within first ... last - 1, lists no loop, and every arc has its opposite
//
// The opposites of the arcs of the first row, the second and so on must stand in the rows they point at in just that
// order: cursor[v - first] is the place of the first neighbour of v that no earlier row has met. Every arc moves one
// cursor on inside its row, and there are as many arcs as places, so that no place is left over at the end.
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

}  // namespace egonet::input
