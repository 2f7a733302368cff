// Canonical forms of graphs of up to 64 nodes: isomorphic graphs, and only those, have equal forms.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace egonet {

// Individualise and refine; the form is the smallest adjacency matrix over the leaves of the search tree.
// A graph is one 64-bit row of adjacency bits a node.
class Canonical {
public:
    explicit Canonical(int num_nodes) : n_(num_nodes), best_(num_nodes), trial_(num_nodes) {}

    // Replaces the rows by the canonical form.
    void operator()(std::uint64_t* rows) {
        rows_ = rows;
        found_ = false;
        Colors colors{};
        search(colors, n_ > 0 ? 1 : 0);
        std::copy(best_.begin(), best_.end(), rows);
    }

private:
    using Colors = std::array<std::uint8_t, 64>;
    struct Signature {
        std::array<std::uint8_t, 65> counts;  // own color, then the number of neighbors of each color
        int node;
    };

    // Refines to an ordered equitable partition that does not depend on the numbering of the nodes.
    int refine(Colors& colors, int num_colors) {
        std::array<Signature, 64> signatures;
        std::array<std::uint64_t, 64> members;
        for (int before = 0; before != num_colors && num_colors < n_;) {
            before = num_colors;
            members.fill(0);
            for (int v = 0; v < n_; ++v) members[colors[v]] |= std::uint64_t{1} << v;
            for (int v = 0; v < n_; ++v) {
                signatures[v].node = v;
                signatures[v].counts[0] = colors[v];
                for (int c = 0; c < num_colors; ++c)
                    signatures[v].counts[c + 1] = static_cast<std::uint8_t>(std::popcount(rows_[v] & members[c]));
            }
            const auto order = [&](const Signature& a, const Signature& b) {
                return std::memcmp(a.counts.data(), b.counts.data(), before + 1);
            };
            std::sort(signatures.begin(), signatures.begin() + n_,
                      [&](const Signature& a, const Signature& b) { return order(a, b) < 0; });
            num_colors = 0;
            for (int i = 0; i < n_; ++i) {
                if (i > 0 && order(signatures[i - 1], signatures[i]) != 0) ++num_colors;
                colors[signatures[i].node] = static_cast<std::uint8_t>(num_colors);
            }
            ++num_colors;
        }
        return num_colors;
    }

    void search(Colors colors, int num_colors) {
        num_colors = refine(colors, num_colors);
        if (num_colors == n_) return leaf(colors);
        std::array<int, 64> sizes{};
        for (int v = 0; v < n_; ++v) ++sizes[colors[v]];
        int cell = -1;
        for (int c = 0; c < num_colors; ++c)
            if (sizes[c] > 1 && (cell < 0 || sizes[c] < sizes[cell])) cell = c;
        std::uint64_t tried = 0;
        for (int v = 0; v < n_; ++v) {
            if (colors[v] != cell || has_tried_twin(v, tried)) continue;
            tried |= std::uint64_t{1} << v;
            Colors next = colors;
            // v goes before the rest of its cell; colors behind it move up by one.
            for (int u = 0; u < n_; ++u) next[u] = static_cast<std::uint8_t>(colors[u] + (colors[u] >= cell));
            next[v] = static_cast<std::uint8_t>(cell);
            search(next, num_colors + 1);
        }
    }

    // Exchanging two nodes with the same other neighbors maps the graph to itself: one of them is enough.
    bool has_tried_twin(int v, std::uint64_t tried) const {
        for (; tried; tried &= tried - 1) {
            const int u = std::countr_zero(tried);
            const std::uint64_t both = std::uint64_t{1} << u | std::uint64_t{1} << v;
            if ((rows_[u] & ~both) == (rows_[v] & ~both)) return true;
        }
        return false;
    }

    void leaf(const Colors& colors) {
        for (int v = 0; v < n_; ++v) {
            std::uint64_t row = 0;
            for (std::uint64_t rest = rows_[v]; rest; rest &= rest - 1)
                row |= std::uint64_t{1} << colors[std::countr_zero(rest)];
            trial_[colors[v]] = row;
        }
        if (!found_ || trial_ < best_) best_ = trial_;
        found_ = true;
    }

    int n_;
    std::uint64_t* rows_ = nullptr;
    bool found_ = false;
    std::vector<std::uint64_t> best_, trial_;
};

// Appends a node with each of the given neighborhoods to a graph of n nodes and writes the canonical forms:
// neighborhoods.size() graphs of n + 1 rows each.
inline void extend_by_node(const std::uint64_t* rows, int n, const std::uint64_t* neighborhoods,
                             std::int64_t count, std::uint64_t* extended) {
    Canonical canonical(n + 1);
    for (std::int64_t i = 0; i < count; ++i) {
        std::uint64_t* graph = extended + i * (n + 1);
        for (int v = 0; v < n; ++v)
            graph[v] = rows[v] | (neighborhoods[i] >> v & 1) << n;
        graph[n] = neighborhoods[i];
        canonical(graph);
    }
}

}  // namespace egonet
