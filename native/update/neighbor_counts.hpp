// For roots around a node: how many of that node's neighbors are one hop closer to the root, or no farther.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "update/patched_graph.hpp"

namespace egonet {

// Searches from 512 neighbors of the center at once, a bit each. With d the distance of a root v from the center:
// closer(v) neighbors of the center are within d - 1 hops of v, and within(v) are within d hops.
class NeighborCounts {
public:
    std::int32_t closer(std::size_t place) const { return closer_[place]; }
    std::int32_t within(std::size_t place) const { return within_[place]; }

    // ball    the nodes around the center, to `radius` hops or more
    // wanted  positions in the ball, increasing; at the last distance only these are counted
    void count(const PatchedGraph& graph, const Ball& ball, std::int64_t radius, std::span<const std::size_t> wanted) {
        const auto nodes = ball.nodes();
        closer_.assign(nodes.size(), 0);
        within_.assign(nodes.size(), 0);
        if (wanted.empty()) return;
        radius = std::min(radius, ball.distance_at(wanted.back()));
        const auto neighbors = graph.neighbors(nodes[0]);
        for (std::size_t first = 0; first < neighbors.size(); first += 64 * max_words)
            count_some(graph, ball, radius, wanted,
                       neighbors.subspan(first, std::min(64 * max_words, neighbors.size() - first)));
    }

private:
    static constexpr std::size_t max_words = 8;

    void count_some(const PatchedGraph& graph, const Ball& ball, std::int64_t radius,
                    std::span<const std::size_t> wanted, std::span<const std::int32_t> sources) {
        const auto nodes = ball.nodes();
        words_ = (sources.size() + 63) / 64;
        reached_.assign(nodes.size() * words_, 0);
        full_.assign(words_, ~std::uint64_t{0});
        if (sources.size() % 64) full_.back() = (std::uint64_t{1} << sources.size() % 64) - 1;
        // After this loop the word of v says which sources are within one hop of v.
        for (std::size_t i = 0; i < sources.size(); ++i) {
            set(ball.place(sources[i]), i);
            closer_[ball.place(sources[i])] += 1;
            for (std::int32_t w : graph.neighbors(sources[i]))
                if (const std::int32_t place = ball.place(w); place != NodeMap::none) set(place, i);
        }
        record(ball, 1, radius, wanted);
        // After each step the word of v says which sources are within `hops` of v.
        for (std::int64_t hops = 2; hops <= radius; ++hops) {
            next_ = reached_;
            if (hops == radius)
                for (std::size_t place : wanted) gather(graph, ball, place);
            else
                for (std::size_t place = 0; place < nodes.size() && ball.distance_at(place) <= hops + 1; ++place)
                    gather(graph, ball, place);
            reached_.swap(next_);
            record(ball, hops, radius, wanted);
        }
    }

    void set(std::size_t place, std::size_t bit) {
        reached_[place * words_ + bit / 64] |= std::uint64_t{1} << bit % 64;
    }

    void gather(const PatchedGraph& graph, const Ball& ball, std::size_t place) {
        std::uint64_t sum[max_words];
        std::copy_n(&reached_[place * words_], words_, sum);
        std::int32_t until_check = 8;
        for (std::int32_t w : graph.neighbors(ball.nodes()[place])) {
            const std::int32_t there = ball.place(w);
            if (there == NodeMap::none) continue;
            const std::uint64_t* theirs = &reached_[there * words_];
            for (std::size_t k = 0; k < words_; ++k) sum[k] |= theirs[k];
            if (--until_check) continue;
            if (std::equal(sum, sum + words_, full_.begin())) break;
            until_check = 8;
        }
        std::copy_n(sum, words_, &next_[place * words_]);
    }

    void record(const Ball& ball, std::int64_t hops, std::int64_t radius, std::span<const std::size_t> wanted) {
        for (std::size_t place : wanted) {
            const std::int64_t distance = ball.distance_at(place);
            if (distance == hops) within_[place] += population(place);
            if (distance == hops + 1 && distance <= radius) closer_[place] += population(place);
        }
    }

    std::int32_t population(std::size_t place) const {
        std::int32_t bits = 0;
        for (std::size_t k = 0; k < words_; ++k) bits += std::popcount(reached_[place * words_ + k]);
        return bits;
    }

    std::size_t words_ = 1;
    std::vector<std::uint64_t> reached_, next_, full_;
    std::vector<std::int32_t> closer_, within_;
};

}  // namespace egonet
