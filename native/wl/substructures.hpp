// How many triangles, 4-, 5- and 6-cycles, 4- and 5-cliques pass through every node of a small graph.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/graph.hpp"

namespace egonet {

// Counts subgraphs, not only induced ones, inside one graph of a union: the nodes first ... first + n - 1.
// Needs n² numbers of scratch. Writes six counts a node: C3, C4, C5, C6, K4, K5.
class Substructures {
public:
    static constexpr int num_kinds = 6;

    Substructures(const Graph& graph, std::int64_t first, std::int64_t n)
        : n_(n), words_((n + 63) / 64), adjacent_(n * words_), neighbors_(n), common_(n * n) {
        for (std::int64_t v = 0; v < n; ++v)
            for (std::int64_t arc = graph.indptr[first + v]; arc < graph.indptr[first + v + 1]; ++arc) {
                const std::int64_t u = graph.indices[arc] - first;
                neighbors_[v].push_back(u);
                adjacent_[v * words_ + u / 64] |= std::uint64_t{1} << (u % 64);
            }
        for (std::int64_t v = 0; v < n; ++v)
            for (const std::int64_t a : neighbors_[v])
                for (const std::int64_t w : neighbors_[a]) ++common_[v * n + w];
    }

    void count(std::int64_t* counts) const {
        for (std::int64_t v = 0; v < n_; ++v) {
            counts[v * num_kinds] = triangles(v);
            counts[v * num_kinds + 1] = four_cycles(v);
            counts[v * num_kinds + 2] = five_cycles(v);
            counts[v * num_kinds + 3] = six_cycles(v);
            cliques(v, counts[v * num_kinds + 4], counts[v * num_kinds + 5]);
        }
    }

private:
    bool has_edge(std::int64_t u, std::int64_t v) const { return adjacent_[u * words_ + v / 64] >> (v % 64) & 1; }
    std::int64_t common(std::int64_t u, std::int64_t v) const { return common_[u * n_ + v]; }

    std::int64_t triangles(std::int64_t v) const {
        std::int64_t twice = 0;
        for (const std::int64_t u : neighbors_[v]) twice += common(v, u);
        return twice / 2;
    }

    std::int64_t four_cycles(std::int64_t v) const {
        std::int64_t found = 0;
        for (std::int64_t w = 0; w < n_; ++w)
            if (w != v) found += common(v, w) * (common(v, w) - 1) / 2;
        return found;
    }

    // v-a-x-y-b: for each edge xy the choices of a and b, less those with a = b, which are the triangles axy
    // at neighbors a of v.
    std::int64_t five_cycles(std::int64_t v) const {
        std::int64_t found = 0;
        for (std::int64_t x = 0; x < n_; ++x)
            for (const std::int64_t y : neighbors_[x])
                if (x < y && x != v && y != v)
                    found += (common(v, x) - has_edge(v, y)) * (common(v, y) - has_edge(v, x));
        for (const std::int64_t a : neighbors_[v]) found -= triangles(a) - common(v, a);
        return found;
    }

    // v-a-x-w-y-b: for each opposite w the pairs of paths v-a-x-w and v-b-y-w without a common inner node.
    std::int64_t six_cycles(std::int64_t v) const {
        std::int64_t found = 0;
        for (std::int64_t w = 0; w < n_; ++w) {
            if (w == v) continue;
            const std::int64_t linked = has_edge(v, w);
            std::int64_t paths = 0, same_first = 0, same_second = 0, crossed = 0, reversed = 0;
            for (const std::int64_t a : neighbors_[v]) {
                if (a == w) continue;
                const std::int64_t through = common(a, w) - linked;
                paths += through;
                same_first += through * through;
                if (!has_edge(a, w)) continue;
                crossed += through * (common(v, a) - linked);
                for (const std::int64_t x : neighbors_[v]) reversed += x != w && has_edge(a, x) && has_edge(x, w);
            }
            for (const std::int64_t x : neighbors_[w])
                if (x != v) same_second += (common(v, x) - linked) * (common(v, x) - linked);
            // Ordered pairs that share a node, by inclusion and exclusion.
            const std::int64_t meeting = same_first + same_second + 2 * crossed - paths - reversed;
            found += (paths * paths - meeting) / 2;
        }
        return found;
    }

    void cliques(std::int64_t v, std::int64_t& four, std::int64_t& five) const {
        four = five = 0;
        const std::vector<std::int64_t>& around = neighbors_[v];
        for (std::size_t i = 0; i < around.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (!has_edge(around[i], around[j])) continue;
                for (std::size_t k = 0; k < j; ++k) {
                    if (!has_edge(around[i], around[k]) || !has_edge(around[j], around[k])) continue;
                    ++four;
                    for (std::size_t l = 0; l < k; ++l)
                        five += has_edge(around[i], around[l]) && has_edge(around[j], around[l]) &&
                                has_edge(around[k], around[l]);
                }
            }
    }

    std::int64_t n_, words_;
    std::vector<std::uint64_t> adjacent_;
    std::vector<std::vector<std::int64_t>> neighbors_;
    std::vector<std::int32_t> common_;  // common_[u * n + v]: common neighbors of u and v
};

}  // namespace egonet
