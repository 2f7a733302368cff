// Graphs of a few hundred nodes: neighborhoods as 64-bit blocks, counted directly into a dense table.
//
// If all nodes fit into a few 64-bit blocks, a ring is the union of the neighborhoods before it, and the degree of
// a node inside an ego-network the number of bits its neighborhood shares with it. Nothing is sorted, and loops,
// repeats and missing opposites vanish as the bits are set.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace egonet {

// Arcs in somebody else's memory; nodes count from `first`.
struct ArcList {
    const std::int64_t* sources;
    const std::int64_t* targets;
    std::int64_t count;
    std::int64_t first = 0;

    // Whether every arc stays within num_nodes nodes.
    bool stays_within(std::int64_t num_nodes) const {
        const auto base = static_cast<std::uint64_t>(first), size = static_cast<std::uint64_t>(num_nodes);
        bool strays = false;
        for (std::int64_t arc = 0; arc < count; ++arc)
            strays |= (static_cast<std::uint64_t>(sources[arc]) - base >= size) |
                      (static_cast<std::uint64_t>(targets[arc]) - base >= size);
        return !strays;
    }

    // Whether every arc has its opposite. Sums of hashes that cancel show it for lists without repeats, in one pass;
    // two lists of arcs that differ cancel once in 2**64.
    bool is_mutual() const {
        std::uint64_t balance = 0;
        for (std::int64_t arc = 0; arc < count; ++arc)
            balance += mix(sources[arc], targets[arc]) - mix(targets[arc], sources[arc]);
        return balance == 0 || is_mutual_set();
    }

private:
    static std::uint64_t mix(std::int64_t from, std::int64_t to) {
        std::uint64_t bits = static_cast<std::uint64_t>(from) << 32 ^ static_cast<std::uint64_t>(to);
        bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
        return bits ^ bits >> 31;
    }

    bool is_mutual_set() const {
        std::vector<std::pair<std::int64_t, std::int64_t>> arcs;
        for (std::int64_t arc = 0; arc < count; ++arc) arcs.emplace_back(sources[arc], targets[arc]);
        std::sort(arcs.begin(), arcs.end());
        return std::all_of(arcs.begin(), arcs.end(), [&](const auto& arc) {
            return std::binary_search(arcs.begin(), arcs.end(), std::pair(arc.second, arc.first));
        });
    }
};

// The number of bits, for processors of which nothing is known: the compiler would call a function.
inline std::int32_t count_bits(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<std::int32_t>(bits * 0x0101010101010101u >> 56);
}

template <int num_words>
class MaskSearch {
public:
    static constexpr std::int64_t most_nodes = 64 * num_words;

    // The arcs must stay within num_nodes nodes, and they be at most `most_nodes`.
    MaskSearch(const ArcList& arcs, std::int64_t num_nodes) : num_nodes_(num_nodes) {
        std::fill_n(near_.begin(), num_nodes, Mask{});
        for (std::int64_t arc = 0; arc < arcs.count; ++arc) {
            const std::int64_t u = arcs.sources[arc] - arcs.first, v = arcs.targets[arc] - arcs.first;
            insert(near_[u], v);
            insert(near_[v], u);
        }
        for (std::int64_t v = 0; v < num_nodes; ++v) {
            near_[v][v / 64] &= ~(std::uint64_t{1} << v % 64);
            degree_[v] = shared(near_[v], near_[v]);
        }
    }

    // Calls add(root, distance, degree) for every node within `radius` of every root.
    template <class Add>
    void operator()(std::int64_t radius, bool frontier_edges, Add add) const {
        for (std::int64_t root = 0; root < num_nodes_; ++root) search(root, radius, frontier_edges, add);
    }

private:
    using Mask = std::array<std::uint64_t, num_words>;

    static void insert(Mask& mask, std::int64_t v) { mask[v / 64] |= std::uint64_t{1} << v % 64; }

    static std::int32_t shared(const Mask& a, const Mask& b) {
        std::int32_t count = 0;
        for (int word = 0; word < num_words; ++word) count += count_bits(a[word] & b[word]);
        return count;
    }

    template <class Visit>
    static void visit_all(const Mask& mask, Visit visit) {
        for (int word = 0; word < num_words; ++word)
            for (std::uint64_t bits = mask[word]; bits; bits &= bits - 1) visit(64 * word + std::countr_zero(bits));
    }

    template <class Add>
    void search(std::int64_t root, std::int64_t radius, bool frontier_edges, Add add) const {
        Mask ring{}, inside{};  // the ring at `distance`, and all nodes up to it
        insert(ring, root);
        inside = ring;
        // Before each step everything nearer than `distance` has been added. Inside the ball a degree is whole.
        for (std::int64_t distance = 0; distance < radius; ++distance) {
            Mask next{};
            visit_all(ring, [&](std::int64_t v) {
                add(root, distance, degree_[v]);
                for (int word = 0; word < num_words; ++word) next[word] |= near_[v][word];
            });
            std::uint64_t any = 0;
            for (int word = 0; word < num_words; ++word) {
                ring[word] = next[word] & ~inside[word];
                any |= ring[word];
            }
            if (!any) return;
            if (distance + 1 < radius || frontier_edges)
                for (int word = 0; word < num_words; ++word) inside[word] |= ring[word];
        }
        // By definition the lone root of radius 0 keeps its degree.
        visit_all(ring, [&](std::int64_t v) { add(root, radius, radius ? shared(near_[v], inside) : degree_[v]); });
    }

    std::int64_t num_nodes_;
    std::array<Mask, most_nodes> near_;
    std::array<std::int32_t, most_nodes> degree_;
};

}  // namespace egonet
