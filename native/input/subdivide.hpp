// A node on every edge: typed edges become nodes that have the type as a label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace egonet::input {

struct Subdivided {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> indices;
    std::vector<std::int32_t> types;  // of the nodes num_nodes ... that stand for edges
};

// first, second, types  count numbers each; loops are dropped, repeats of one type merged
// both_ways             edges are undirected: both ends and the node between them are neighbors; otherwise `first`
//                       lists the node, and the node lists `second`
inline Subdivided subdivide(const std::int32_t* first, const std::int32_t* second, const std::int32_t* types,
                            std::int64_t count, std::int64_t num_nodes, bool both_ways) {
    struct Edge {
        std::int32_t end, type;
        auto operator<=>(const Edge&) const = default;
    };
    const auto from = [&](std::int64_t i) { return both_ways ? std::min(first[i], second[i]) : first[i]; };
    const auto to = [&](std::int64_t i) { return both_ways ? std::max(first[i], second[i]) : second[i]; };
    // Edges by their first end, then sorted: afterwards edges[start[v]] ... edges[last[v] - 1] are distinct.
    std::vector<std::int64_t> start(num_nodes + 1, 0);
    for (std::int64_t i = 0; i < count; ++i) start[from(i) + 1] += first[i] != second[i];
    for (std::int64_t v = 0; v < num_nodes; ++v) start[v + 1] += start[v];
    std::vector<Edge> edges(start[num_nodes]);
    std::vector<std::int64_t> last(start.begin(), start.end() - 1);
    for (std::int64_t i = 0; i < count; ++i)
        if (first[i] != second[i]) edges[last[from(i)]++] = {to(i), types[i]};
    std::int64_t num_edges = 0;
    for (std::int64_t v = 0; v < num_nodes; ++v) {
        std::sort(edges.begin() + start[v], edges.begin() + last[v]);
        last[v] = std::unique(edges.begin() + start[v], edges.begin() + last[v]) - edges.begin();
        num_edges += last[v] - start[v];
    }
    Subdivided out;
    out.types.reserve(num_edges);
    out.indptr.assign(num_nodes + num_edges + 1, 0);
    for (std::int64_t v = 0; v < num_nodes; ++v) {
        out.indptr[v + 1] += last[v] - start[v];
        if (both_ways)
            for (std::int64_t at = start[v]; at < last[v]; ++at) ++out.indptr[edges[at].end + 1];
    }
    for (std::int64_t e = 0; e < num_edges; ++e) out.indptr[num_nodes + e + 1] = both_ways ? 2 : 1;
    for (std::int64_t v = 0; v < num_nodes + num_edges; ++v) out.indptr[v + 1] += out.indptr[v];
    out.indices.resize(out.indptr.back());
    std::vector<std::int64_t> next(out.indptr.begin(), out.indptr.begin() + num_nodes);
    // Edges are numbered in increasing order, so that every row ends sorted.
    auto edge = static_cast<std::int32_t>(num_nodes);
    for (std::int64_t v = 0; v < num_nodes; ++v)
        for (std::int64_t at = start[v]; at < last[v]; ++at, ++edge) {
            out.types.push_back(edges[at].type);
            out.indices[next[v]++] = edge;
            std::int64_t place = out.indptr[edge];
            if (both_ways) {
                out.indices[place++] = static_cast<std::int32_t>(v);
                out.indices[next[edges[at].end]++] = edge;
            }
            out.indices[place] = edges[at].end;
        }
    return out;
}

}  // namespace egonet::input
