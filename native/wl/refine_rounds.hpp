// Color refinement (1-WL) in rounds, by several workers: each node has a sum over its neighbors' colors, and a round splits
// every cell by the sums that the colors of the round before have changed.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/graph.hpp"
#include "core/parallel.hpp"
#include "wl/refine.hpp"

namespace egonet {

// A sum is 64 bits with a secret number for each color, so two different neighborhoods may (almost never) have one sum. Then
// a partition is too coarse, never too fine, and `is_stable` says so.
class RoundRefiner {
public:
    // `graph` lists the neighbors of a node, `reverse` the nodes that count it among their neighbors. Start colors are >= 0.
    RoundRefiner(Job& job, const Graph& graph, const Graph& reverse, const std::int64_t* start)
        : job_(job), graph_(graph), reverse_(reverse) {
        const std::int64_t num_nodes = graph.num_nodes;
        num_colors_ = largest_of(job, num_nodes, [&](std::int64_t v) { return start[v] + 1; });
        const std::int64_t most_colors = num_colors_ + num_nodes;
        color_ = make_touched_buffer<std::int32_t>(job, num_nodes);
        number_ = make_touched_buffer<std::uint64_t>(job, num_nodes);
        sum_ = make_touched_buffer<std::uint64_t>(job, num_nodes);
        state_ = make_zeros<std::uint8_t>(num_nodes);
        cells_ = make_untouched_zeros<Cell>(most_colors, Pages::large);
        std::random_device source;
        secret_ = std::uint64_t{source()} << 32 | source();
        for_nodes(job, num_nodes, [&](std::int32_t v) {
            color_[v] = static_cast<std::int32_t>(start[v]);
            number_[v] = number_of(color_[v]);
        });
        for (std::int64_t v = 0; v < num_nodes; ++v) ++cells_[start[v]].size;
    }

    // Refines until a round splits nothing; false if that takes too many rounds.
    bool run() {
        touched_.resize(graph_.num_nodes);
        for_nodes(job_, graph_.num_nodes, [&](std::int32_t v) {
            sum_[v] = sum_around(v);
            touched_[v] = v;
        });
        // Before each step the nodes of a cell had equal sums at its last split, and touched_ has those whose sums changed since.
        for (int round = 0; round < most_rounds; ++round) {
            group_touched(round == 0);
            split_cells();
            update_sums();
            if (touched_.empty()) return true;
        }
        return false;
    }

    // Whether nodes of one color have equally many neighbors of every color.
    bool is_stable() const {
        const Buffer<std::int32_t> model = make_buffer<std::int32_t>(num_colors_);
        for (std::int64_t v = graph_.num_nodes; v-- > 0;) model[color_[v]] = static_cast<std::int32_t>(v);
        std::atomic<bool> stable{true};
        run_blocks(job_, (graph_.num_nodes + range - 1) / range, [&](int) {
            return [&, left = make_untouched_zeros<std::int32_t>(num_colors_)](std::int64_t block) {
                const std::int64_t last = std::min(graph_.num_nodes, (block + 1) * range);
                for (std::int64_t v = block * range; v < last && stable.load(std::memory_order_relaxed); ++v)
                    if (model[color_[v]] != v && !is_like(v, model[color_[v]], left.get())) stable = false;
            };
        });
        return stable;
    }

    const std::int32_t* colors() const { return color_.get(); }
    std::int64_t num_colors() const { return num_colors_; }

private:
    // In a graph of longer paths than this a round splits a few cells at the ends of paths, which one worker does faster.
    static constexpr int most_rounds = 64;
    static constexpr std::int64_t range = 1024;
    enum State : std::uint8_t { untouched, is_touched, alone };

    struct Cell {
        std::int32_t size;
        std::int32_t num_touched;  // with another sum than before; 0 between rounds
        std::uint64_t sum;         // that all of its nodes had at its last split
        std::uint64_t largest;     // of the groups: size << 32 | begin; 0 between rounds
    };
    struct Item {
        std::int32_t cell, node;
        std::uint64_t sum;
        bool operator<(const Item& other) const { return cell != other.cell ? cell < other.cell : sum < other.sum; }
        bool operator==(const Item& other) const { return cell == other.cell && sum == other.sum; }
    };
    // Nodes of one cell with equal new sums: items_[begin] ... items_[begin + size - 1].
    struct Group {
        std::int32_t begin, size;
        bool is_largest = false;  // of its cell; set by split_cells
    };
    struct Change {
        std::int32_t node;
        std::uint64_t difference;  // of the numbers of its new and its old color
    };

    // The secret number of a color (splitmix64).
    std::uint64_t number_of(std::int32_t color) const {
        std::uint64_t mixed = secret_ + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(color) + 1);
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        return mixed ^ mixed >> 31;
    }

    // Puts the touched nodes into shards by cell and sum, and sorts each shard into groups.
    void group_touched(bool first) {
        const std::int64_t count = std::ssize(touched_);
        // Shards are small enough to be sorted in the cache.
        const int bits = count < 1 << 11 ? 0 : std::min<int>(std::bit_width(static_cast<std::uint64_t>(count)) - 9, 12);
        const std::int64_t num_chunks = bits ? 4 * job_.threads : 1, num_shards = std::int64_t{1} << bits;
        items_.resize(count);
        groups_.resize(num_shards);
        start_.assign(num_shards + 1, count);
        next_.assign(num_chunks * num_shards, 0);
        const auto shard_of = [&](std::int32_t v) {
            const auto cell = static_cast<std::uint64_t>(color_[v]);
            return bits ? (sum_[v] + cell * 0xd1342543de82ef95u) * 0x9e3779b97f4a7c15u >> (64 - bits) : 0;
        };
        const auto for_chunks = [&](auto work) {
            for_ranges(job_, num_chunks, 1, [&](std::int64_t chunk, std::int64_t) {
                for (std::int64_t i = count * chunk / num_chunks; i < count * (chunk + 1) / num_chunks; ++i)
                    work(next_[chunk * num_shards + shard_of(touched_[i])], touched_[i]);
            });
        };
        if (bits) for_chunks([](std::int32_t& next, std::int32_t) { ++next; });
        std::int32_t total = 0;
        for (std::int64_t shard = 0; shard < num_shards; ++shard) {
            start_[shard] = total;
            for (std::int64_t chunk = 0; chunk < num_chunks; ++chunk)
                total += std::exchange(next_[chunk * num_shards + shard], total);
        }
        for_chunks([&](std::int32_t& next, std::int32_t v) {
            items_[next++] = {color_[v], v, sum_[v]};
            state_[v] = untouched;
        });
        for_shards([&](std::int64_t shard) { find_groups(start_[shard], start_[shard + 1], first, groups_[shard]); });
    }

    template <class Work>
    void for_shards(Work work) {
        for_ranges(job_, std::ssize(groups_), 16, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t shard = first; shard < last; ++shard) work(shard);
        });
    }

    // Sorts the items of a shard and tells their cells of the groups; nodes whose sum is what it was are in none.
    void find_groups(std::int64_t begin, std::int64_t end, bool first, std::vector<Group>& groups) {
        groups.clear();
        auto first_item = items_.begin() + begin;
        // A large shard is mostly one group, such as the nodes of degree 1: sorting equal items would take long.
        if (end - begin > 4096)
            first_item =
                std::partition(first_item, items_.begin() + end,
                               [item = items_[(begin + end) / 2]](const Item& other) { return item == other; });
        std::sort(first_item, items_.begin() + end);
        for (std::int64_t from = begin, to; from < end; from = to) {
            const Item& item = items_[from];
            for (to = from + 1; to < end && item == items_[to];) ++to;
            Cell& cell = cells_[item.cell];
            if (!first && item.sum == cell.sum) continue;
            const auto size = static_cast<std::int32_t>(to - from);
            groups.push_back({.begin = static_cast<std::int32_t>(from), .size = size});
            std::atomic_ref(cell.num_touched).fetch_add(size, relaxed);
            const std::uint64_t bid = std::uint64_t(size) << 32 | std::uint64_t(from);
            std::atomic_ref largest(cell.largest);
            std::uint64_t known = largest.load(relaxed);
            while (known < bid && !largest.compare_exchange_weak(known, bid, relaxed)) {
            }
        }
    }

    // Gives new colors: to all groups of a cell if some nodes are in none, else to all but the largest.
    void split_cells() {
        const auto for_groups = [&](auto work) {
            for_shards([&](std::int64_t shard) {
                for (Group& group : groups_[shard]) work(shard, group, items_[group.begin]);
            });
        };
        changes_.resize(groups_.size());
        std::atomic<std::int64_t> num_colors{num_colors_};
        for_groups([&](std::int64_t shard, Group& group, const Item& item) {
            Cell& cell = cells_[item.cell];
            group.is_largest = static_cast<std::uint32_t>(cell.largest) == static_cast<std::uint32_t>(group.begin);
            if (cell.num_touched == cell.size && group.is_largest) {
                cell.sum = item.sum;
                return;
            }
            const auto color = static_cast<std::int32_t>(num_colors.fetch_add(1, relaxed));
            cells_[color].size = group.size;
            cells_[color].sum = item.sum;
            const std::uint64_t number = number_of(color), difference = number - number_of(item.cell);
            for (std::int64_t i = group.begin; i < group.begin + group.size; ++i) {
                const std::int32_t v = items_[i].node;
                color_[v] = color;
                number_[v] = number;
                if (group.size == 1) state_[v] = alone;
                changes_[shard].push_back({v, difference});
            }
        });
        num_colors_ = num_colors;
        // One group of a cell changes it, and the others do not look at it.
        for_groups([&](std::int64_t, const Group& group, const Item& item) {
            if (!group.is_largest) return;
            Cell& cell = cells_[item.cell];
            const std::int32_t rest = cell.size - cell.num_touched;
            cell.size = rest ? rest : group.size;
            cell.num_touched = 0;
            cell.largest = 0;
        });
    }

    std::uint64_t sum_around(std::int64_t v) const {
        std::uint64_t sum = 0;
        for (std::int64_t arc = graph_.indptr[v]; arc < graph_.indptr[v + 1]; ++arc)
            sum += number_[graph_.indices[arc]];
        return sum;
    }

    // Brings the sums up to date and lists the nodes whose sums may have changed.
    void update_sums() {
        std::int64_t num_changes = 0;
        for (const std::vector<Change>& list : changes_) num_changes += std::ssize(list);
        touched_.clear();
        if (!num_changes) return;
        std::vector<std::vector<std::int32_t>> found(job_.threads);
        // Many changes: all sums are made again, in the order of the nodes. Few: each is added where it counts.
        if (num_changes > graph_.num_nodes / 8) sum_again(found);
        else if (num_changes < range) add_changes(found[0]);
        else add_changes_together(found);
        for (const auto& list : found) touched_.insert(touched_.end(), list.begin(), list.end());
        for (std::vector<Change>& list : changes_) list.clear();
    }

    void sum_again(std::vector<std::vector<std::int32_t>>& found) {
        run_blocks(job_, (graph_.num_nodes + range - 1) / range, [&](int worker) {
            return [&, worker](std::int64_t block) {
                const std::int64_t last = std::min(graph_.num_nodes, (block + 1) * range);
                for (std::int64_t v = block * range; v < last; ++v) {
                    if (state_[v] == alone) continue;
                    const std::uint64_t sum = sum_around(v);
                    if (std::exchange(sum_[v], sum) != sum) found[worker].push_back(static_cast<std::int32_t>(v));
                }
            };
        });
    }

    void add_changes(std::vector<std::int32_t>& found) {
        for (const std::vector<Change>& list : changes_)
            for (const Change& change : list)
                add(
                    change, found, [](std::uint64_t& sum, std::uint64_t amount) { sum += amount; },
                    [](std::uint8_t& state) { return std::exchange(state, is_touched); });
    }

    void add_changes_together(std::vector<std::vector<std::int32_t>>& found) {
        run_blocks(job_, std::ssize(changes_), [&](int worker) {
            return [&, worker](std::int64_t shard) {
                for (const Change& change : changes_[shard])
                    add(
                        change, found[worker],
                        [](std::uint64_t& sum, std::uint64_t amount) {
                            std::atomic_ref(sum).fetch_add(amount, relaxed);
                        },
                        [](std::uint8_t& state) { return std::atomic_ref(state).exchange(is_touched, relaxed); });
            };
        });
    }

    template <class Add, class Touch>
    void add(const Change& change, std::vector<std::int32_t>& touched, Add add_to, Touch touch) {
        for (std::int64_t arc = reverse_.indptr[change.node]; arc < reverse_.indptr[change.node + 1]; ++arc) {
            const std::int32_t v = reverse_.indices[arc];
            const std::uint8_t state = std::atomic_ref(state_[v]).load(relaxed);
            if (state == alone) continue;
            add_to(sum_[v], change.difference);
            if (state == untouched && touch(state_[v]) == untouched) touched.push_back(v);
        }
    }

    // Whether two nodes have the same colors around them; `left` is zero for all colors before and after.
    bool is_like(std::int64_t v, std::int64_t model, std::int32_t* left) const {
        if (graph_.degree(v) != graph_.degree(model)) return false;
        const auto for_neighbors = [&](std::int64_t node, auto work) {
            for (std::int64_t arc = graph_.indptr[node]; arc < graph_.indptr[node + 1]; ++arc)
                work(left[color_[graph_.indices[arc]]]);
        };
        bool alike = true;
        for_neighbors(model, [](std::int32_t& count) { ++count; });
        for_neighbors(v, [&](std::int32_t& count) { alike &= --count >= 0; });
        for_neighbors(model, [](std::int32_t& count) { count = 0; });
        if (!alike) for_neighbors(v, [](std::int32_t& count) { count = 0; });
        return alike;
    }

    static constexpr auto relaxed = std::memory_order_relaxed;
    Job& job_;
    const Graph &graph_, &reverse_;
    std::uint64_t secret_;
    std::int64_t num_colors_;
    Buffer<std::int32_t> color_;
    Buffer<std::uint64_t> number_, sum_;  // of the color of each node, and over its neighbors
    Buffer<std::uint8_t> state_;          // as State; a node that is alone in its cell stays so
    Buffer<Cell> cells_;                  // by color
    std::vector<std::int32_t> touched_;
    std::vector<Item> items_;
    std::vector<std::int64_t> start_;  // of the items of each shard
    std::vector<std::int32_t> next_;   // by chunk and shard
    std::vector<std::vector<Group>> groups_;
    std::vector<std::vector<Change>> changes_;
};

// Writes the coarsest stable colors that refine `start`, numbered by first appearance.
inline void refine(Job& job, const Graph& graph, const Graph& reverse, const std::int64_t* start,
                   std::int64_t* colors) {
    // One worker is faster with splitters where nodes have few neighbors.
    if (!graph.num_nodes || (job.threads == 1 && graph.num_arcs() < 8 * graph.num_nodes))
        return Refiner(reverse, start).run(colors);
    RoundRefiner rounds(job, graph, reverse, start);
    const bool is_done = rounds.run() && rounds.is_stable();
    std::copy_n(rounds.colors(), graph.num_nodes, colors);
    if (!is_done)
        return Refiner(reverse, std::vector<std::int64_t>(colors, colors + graph.num_nodes).data()).run(colors);
    number_by_appearance(rounds.num_colors(), colors, graph.num_nodes);
}

}  // namespace egonet
