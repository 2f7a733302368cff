// One row per pair of nodes: a breadth-first search from each end, then the degrees inside what both found.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/adjacency.hpp"
#include "core/graph.hpp"
#include "core/searched_rows.hpp"
#include "encode/in_out.hpp"
#include "pairs/pair_codec.hpp"

namespace egonet {

// The arcs that a search reads: `rows` as the direction of the settings says and, for degrees in_out, `others` with the
// same arcs listed by their other end. The first `num_arcs` places of the indices of both have nodes; 0 if there may be
// others between rows.
struct PairGraph {
    const Adjacency* rows;
    const Adjacency* others;
    std::int64_t num_arcs = 0;
};

// One search from each end serves every radius. A Distance is a byte where all radii fit one, so that the numbers of
// more nodes fit the fastest cache.
template <class Distance, class Tally>
class PairSearch {
public:
    PairSearch(const PairGraph& graph, const PairSettings& settings, const PairCodec& codec, Tally& tally)
        : settings_(settings), codec_(codec), tally_(tally) {
        const std::int64_t num_nodes = graph.rows->num_nodes;
        num_arcs_ = graph.num_arcs;
        lists_[0].adjacency = graph.rows;
        lists_[0].cut_first = settings.direction != Direction::in;
        lists_[0].cut_second = settings.direction != Direction::out;
        if (settings.degrees == Degrees::in_out) {
            lists_[1].adjacency = graph.others;
            lists_[1].cut_first = !lists_[0].cut_first;
            lists_[1].cut_second = !lists_[0].cut_second;
            const int out = settings.direction == Direction::in ? 1 : 0;
            lists_[1 - out].followed = settings.follow != Follow::out;
            lists_[out].followed = settings.follow != Follow::in;
            out_ = out;
        }
        for (const auto& block : codec.blocks()) rising_.push_back(&block);
        std::sort(rising_.begin(), rising_.end(), [](const auto* a, const auto* b) { return a->radius < b->radius; });
        depth_ = rising_.back()->radius;
        for (Ball& ball : balls_) {
            ball.distance.resize(num_nodes, unseen);
            ball.nodes.resize(num_nodes + 1);
        }
        if (settings.degrees == Degrees::total || settings.degrees == Degrees::in_out) {
            inside_.resize(num_nodes);
        } else {
            near_.resize(num_nodes, unseen);
            steps_.resize(num_nodes);
        }
    }

    void operator()(std::int32_t u, std::int32_t v) {
        u_ = u;
        v_ = v;
        cut_edge();
        search(u, balls_[0]);
        search(v, balls_[1]);
        if (settings_.degrees == Degrees::total) count_total();
        else if (settings_.degrees == Degrees::in_out) count_in_out();
        else count_layered();
        for (Ball& ball : balls_)
            for (std::int64_t i = 0; i < ball.size; ++i) ball.distance[ball.nodes[i]] = unseen;
    }

    // Larger radii do not fit a Distance: its highest bit is that of nodes not found.
    static constexpr std::int64_t most = std::numeric_limits<Distance>::max() / 2;

private:
    static constexpr Distance unseen = std::numeric_limits<Distance>::max();
    using Nodes = std::span<const std::int32_t>;

    // Lists of neighbors. The rows of u and v may be copies without what `without_edge` leaves out, of which the row of u
    // has a part if `cut_first`, and the row of v if `cut_second`.
    struct List {
        const Adjacency* adjacency = nullptr;
        bool cut_first = false, cut_second = false, followed = true;
        Nodes first, second;
        std::vector<std::int32_t> first_copy, second_copy;

        Nodes listed(std::int32_t x) const {
            const Row& row = adjacency->rows[x];
            return {adjacency->indices + row.begin, static_cast<std::size_t>(row.degree)};
        }
    };

    // The nodes found from one end, in order of distance, and where each ring ends.
    struct Ball {
        std::vector<Distance> distance;
        std::vector<std::int32_t> nodes;
        std::vector<std::int64_t> ends;
        std::int64_t size = 0;

        std::int64_t end(std::int64_t radius) const { return radius < std::ssize(ends) ? ends[radius] : size; }
    };

    std::span<List> lists() { return {lists_.data(), settings_.degrees == Degrees::in_out ? 2u : 1u}; }

    static bool lists_node(Nodes row, std::int32_t x) { return std::binary_search(row.begin(), row.end(), x); }

    // Afterwards `first` and `second` of every list are the rows of u and v without the edge.
    void cut_edge() {
        gone_.clear();
        if (settings_.without_edge && settings_.divided) find_edge_nodes();
        for (List& list : lists()) {
            list.first = cut(list, u_, v_, list.cut_first, list.first_copy);
            list.second = cut(list, v_, u_, list.cut_second, list.second_copy);
        }
    }

    // The nodes of the edges between u and v, increasing: those that one end lists and whose row lists the other.
    void find_edge_nodes() {
        const List& list = lists_[0];
        const std::int32_t from = list.cut_first ? u_ : v_, to = list.cut_first ? v_ : u_;
        for (std::int32_t e : list.listed(from))
            if (lists_node(list.listed(e), to)) gone_.push_back(e);
    }

    Nodes cut(const List& list, std::int32_t from, std::int32_t to, bool has_part, std::vector<std::int32_t>& copy) {
        const Nodes row = list.listed(from);
        if (!has_part || !settings_.without_edge) return row;
        if (!settings_.divided) gone_.assign(lists_node(row, to), to);
        if (gone_.empty()) return row;
        copy.clear();
        std::set_difference(row.begin(), row.end(), gone_.begin(), gone_.end(), std::back_inserter(copy));
        return copy;
    }

    Nodes row(const List& list, std::int32_t x) const {
        return x == u_ ? list.first : x == v_ ? list.second : list.listed(x);
    }

    void search(std::int32_t root, Ball& ball) {
        std::int32_t* const nodes = ball.nodes.data();
        Distance* const distance = ball.distance.data();
        nodes[0] = root;
        distance[root] = 0;
        std::int64_t begin = 0, size = 1;
        ball.ends.clear();
        // Before each step nodes[begin ...] is the ring at `here`, and everything nearer comes before it.
        for (std::int64_t here = 0; here < depth_ && begin < size; ++here) {
            const std::int64_t end = size;
            const auto next = static_cast<Distance>(here + 1);
            ball.ends.push_back(end);
            for (const List& list : lists()) {
                if (!list.followed) continue;
                for (std::int64_t i = begin; i < end; ++i) {
                    if (i + 4 < end) prefetch(list, nodes[i + 4]);
                    size = discover(row(list, nodes[i]), next, distance, nodes, size);
                }
            }
            begin = end;
        }
        ball.ends.push_back(size);
        ball.size = size;
    }

    // Appends the nodes of a row that are new, at distance `next`; returns how many nodes there are then.
    static std::int64_t discover(Nodes row, Distance next, Distance* distance, std::int32_t* nodes, std::int64_t size) {
        constexpr Distance mark = most + 1;
        // Without a branch: whether one node is new cannot be predicted.
        const auto visit = [&](std::int32_t w) {
            const bool is_new = distance[w] == unseen;
            nodes[size] = w;
            distance[w] = is_new ? next : distance[w];
            size += is_new;
        };
        std::size_t k = 0;
        // In dense graphs most nodes are known: four at once are passed over.
        for (; k + 4 <= row.size(); k += 4) {
            if (!((distance[row[k]] | distance[row[k + 1]] | distance[row[k + 2]] | distance[row[k + 3]]) & mark))
                continue;
            for (std::size_t place = k; place < k + 4; ++place) visit(row[place]);
        }
        for (; k < row.size(); ++k) visit(row[k]);
        return size;
    }

    static void prefetch(const List& list, std::int32_t x) {
        __builtin_prefetch(list.adjacency->indices + list.adjacency->rows[x].begin);
    }

    // Calls add(x, from_u, from_v) for every node within the radius of one end, each once.
    template <class Add>
    void for_nodes_within(std::int64_t radius, Add add) const {
        const Ball &one = balls_[0], &other = balls_[1];
        const std::int64_t end = one.end(radius), other_end = other.end(radius);
        for (std::int64_t i = 0; i < end; ++i) {
            const std::int32_t x = one.nodes[i];
            if (i + 4 < end) prefetch(lists_[0], one.nodes[i + 4]);
            add(x, one.distance[x], other.distance[x]);
        }
        for (std::int64_t i = 0; i < other_end; ++i) {
            const std::int32_t x = other.nodes[i];
            if (i + 4 < other_end) prefetch(lists_[0], other.nodes[i + 4]);
            if (one.distance[x] > radius) add(x, one.distance[x], other.distance[x]);
        }
    }

    // Calls count(block) for every radius, the smallest first; `inside_` then has the nodes within it.
    template <class Count>
    void for_radii(Count count) {
        std::array<std::int64_t, 2> done{};
        for (const auto* block : rising_) {
            for (int end = 0; end < 2; ++end)
                for (; done[end] < balls_[end].end(block->radius); ++done[end])
                    inside_[balls_[end].nodes[done[end]]] = 1;
            count(*block);
        }
        for (int end = 0; end < 2; ++end)
            for (std::int64_t i = 0; i < done[end]; ++i) inside_[balls_[end].nodes[i]] = 0;
    }

    // The last nodes of a row are read eight at once, and what is read beyond its end does not count: most rows are short,
    // and where a short one ends cannot be predicted. `readable` is how many nodes may be read from the row on.
    std::int32_t count_inside(Nodes row, std::int64_t readable) const {
        const std::uint8_t* const inside = inside_.data();
        const std::int32_t* w = row.data();
        const std::int32_t* const end = w + row.size();
        std::int32_t even = 0, odd = 0;
        for (; end - w >= 8; w += 4) {
            even += inside[w[0]] + inside[w[2]];
            odd += inside[w[1]] + inside[w[3]];
        }
        if (w == end) return 0;
        if (readable - (w - row.data()) >= 8) {
            std::uint64_t flags = 0;
            for (int k = 0; k < 8; ++k) flags |= std::uint64_t{inside[w[k]]} << (8 * k);
            flags &= ~std::uint64_t{0} >> (8 * (8 - (end - w)));
            return even + odd + static_cast<std::int32_t>(flags * 0x0101010101010101u >> 56);
        }
        for (; w < end; ++w) even += inside[*w];
        return even + odd;
    }

    // The neighbors inside of a node; nearer than the radius, every neighbor on the way of the search is inside.
    std::int32_t degree(const List& list, std::int32_t x, bool is_nearer) const {
        const Nodes listed = row(list, x);
        if (list.followed && is_nearer) return static_cast<std::int32_t>(listed.size());
        const bool is_copy = x == u_ || x == v_;
        return count_inside(listed, is_copy ? std::ssize(listed) : num_arcs_ - list.adjacency->rows[x].begin);
    }

    void count_total() {
        for_radii([&](const PairCodec::Block& block) {
            for_nodes_within(block.radius, [&](std::int32_t x, Distance from_u, Distance from_v) {
                const bool is_nearer = std::min(from_u, from_v) < block.radius;
                tally_.add(codec_.code(block, x, from_u, from_v, degree(lists_[0], x, is_nearer)));
            });
        });
    }

    void count_in_out() {
        const List &in = lists_[1 - out_], &out = lists_[out_];
        for_radii([&](const PairCodec::Block& block) {
            for_nodes_within(block.radius, [&](std::int32_t x, Distance from_u, Distance from_v) {
                const bool is_nearer = std::min(from_u, from_v) < block.radius;
                tally_.add(codec_.code(block, x, from_u, from_v, degree(in, x, is_nearer), degree(out, x, is_nearer)));
            });
        });
    }

    // How many neighbors are closer or as near does not depend on the radius; farther ones are inside before the last ring.
    void count_layered() {
        for_nodes_within(
            depth_, [&](std::int32_t x, Distance from_u, Distance from_v) { near_[x] = std::min(from_u, from_v); });
        for_nodes_within(depth_, [&](std::int32_t x, Distance, Distance) {
            Steps found{0, 0};
            for (std::int32_t w : row(lists_[0], x)) {
                found.closer += near_[w] < near_[x];
                found.same += near_[w] == near_[x];
            }
            steps_[x] = found;
        });
        for (const auto& block : codec_.blocks())
            for_nodes_within(block.radius, [&](std::int32_t x, Distance from_u, Distance from_v) {
                const auto [closer, same] = steps_[x];
                const auto all = static_cast<std::int32_t>(row(lists_[0], x).size());
                const std::int32_t farther = near_[x] < block.radius ? all - closer - same : 0;
                if (settings_.degrees == Degrees::layered)
                    tally_.add(codec_.code(block, x, from_u, from_v, same, farther));
                else tally_.add(codec_.code(block, x, from_u, from_v, closer, same, farther));
            });
        for_nodes_within(depth_, [&](std::int32_t x, Distance, Distance) { near_[x] = unseen; });
    }

    struct Steps {
        std::int32_t closer, same;
    };

    const PairSettings& settings_;
    const PairCodec& codec_;
    Tally& tally_;
    std::array<List, 2> lists_;
    std::array<Ball, 2> balls_;
    std::vector<const PairCodec::Block*> rising_;  // the radii, the smallest first
    std::vector<std::uint8_t> inside_;             // 1: within the radius of an end; not for layered and full degrees
    std::vector<Distance> near_;                   // the distance from the nearer end; for layered and full degrees
    std::vector<Steps> steps_;                     // of the nodes found; likewise
    std::vector<std::int32_t> gone_;               // what `without_edge` leaves out of the row of an end
    std::int64_t depth_ = 0, num_arcs_ = 0;
    std::int32_t u_ = 0, v_ = 0;
    int out_ = 0;  // which list has the targets of arcs
};

// Calls run<Search>() with the search whose distances fit.
template <class Tally, class Run>
void with_pair_search(const PairCodec& codec, const Run& run) {
    using Small = PairSearch<std::uint8_t, Tally>;
    std::int64_t depth = 0;
    for (const auto& block : codec.blocks()) depth = std::max(depth, block.radius);
    if (depth <= Small::most) run.template operator()<Small>();
    else run.template operator()<PairSearch<std::uint32_t, Tally>>();
}

}  // namespace egonet
