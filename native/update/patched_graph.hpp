// A graph with some neighbor lists replaced: the arrays of the first version stay as they are and are shared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/graph.hpp"

namespace egonet {

// Node → number, for a few nodes of a graph of any size. Small graphs have a table with a slot per node; for
// large ones the cost must not grow with the graph: open addressing, at most half full.
class NodeMap {
public:
    static constexpr std::int32_t none = -1;
    static constexpr std::int64_t small = std::int64_t{1} << 16;

    explicit NodeMap(std::int64_t num_nodes) {
        if (num_nodes <= small) table_.assign(num_nodes, none);
        else slots_.assign(64, {none, none});
    }

    std::int32_t operator[](std::int32_t v) const { return slots_.empty() ? table_[v] : slots_[slot_of(v)].second; }

    // How many of some nodes have a number.
    std::int64_t count(std::span<const std::int32_t> nodes) const {
        std::int64_t found = 0;
        if (slots_.empty())
            for (std::int32_t v : nodes) found += table_[v] != none;
        else
            for (std::int32_t v : nodes) found += slots_[slot_of(v)].first != none;
        return found;
    }

    void set(std::int32_t v, std::int32_t number) {
        if (slots_.empty()) {
            table_[v] = number;
            return;
        }
        auto& slot = slots_[slot_of(v)];
        size_ += slot.first == none;
        slot = {v, number};
        if (2 * size_ > slots_.size()) grow();
    }

    void clear() {
        std::fill(table_.begin(), table_.end(), none);
        std::fill(slots_.begin(), slots_.end(), std::pair{none, none});
        size_ = 0;
    }

private:
    // The slot that holds v, or the empty one where it belongs.
    std::size_t slot_of(std::int32_t v) const {
        const std::size_t mask = slots_.size() - 1;
        const std::uint64_t mixed = static_cast<std::uint64_t>(v) * 0x9e3779b97f4a7c15u;
        std::size_t slot = (mixed >> 32) & mask;
        while (slots_[slot].first != v && slots_[slot].first != none) slot = (slot + 1) & mask;
        return slot;
    }

    void grow() {
        std::vector<std::pair<std::int32_t, std::int32_t>> old(slots_.size() * 2, {none, none});
        old.swap(slots_);
        for (const auto& slot : old)
            if (slot.first != none) slots_[slot_of(slot.first)] = slot;
    }

    std::vector<std::int32_t> table_;
    std::vector<std::pair<std::int32_t, std::int32_t>> slots_;
    std::size_t size_ = 0;
};

class PatchedGraph {
public:
    using List = std::vector<std::int32_t>;

    // Nodes from base.num_nodes on are new and have no neighbors yet.
    PatchedGraph(const Graph& base, std::int64_t num_nodes) : base_(base), num_nodes_(num_nodes), places_(num_nodes) {}

    std::int64_t num_nodes() const { return num_nodes_; }

    std::span<const std::int32_t> neighbors(std::int32_t v) const {
        if (!lists_.empty())
            if (const std::int32_t list = places_[v]; list != NodeMap::none) return lists_[list];
        if (v >= base_.num_nodes) return {};
        return {base_.indices + base_.indptr[v], static_cast<std::size_t>(base_.degree(v))};
    }
    std::int32_t degree(std::int32_t v) const { return static_cast<std::int32_t>(neighbors(v).size()); }

    // Replaces the list of a node that has not been replaced before.
    void replace(std::int32_t v, List list) {
        places_.set(v, static_cast<std::int32_t>(lists_.size()));
        lists_.push_back(std::move(list));
        owners_.push_back(v);
    }

    void insert(std::int32_t a, std::int32_t b) {
        for (auto [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
            List& list = own(from);
            list.insert(std::lower_bound(list.begin(), list.end(), to), to);
        }
    }

    void erase(std::int32_t a, std::int32_t b) {
        for (auto [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
            List& list = own(from);
            list.erase(std::lower_bound(list.begin(), list.end(), to));
        }
    }

    // The nodes whose lists are replaced, increasing.
    std::vector<std::int32_t> owners() const {
        std::vector<std::int32_t> sorted = owners_;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }

private:
    List& own(std::int32_t v) {
        if (places_[v] == NodeMap::none) {
            const auto list = neighbors(v);
            replace(v, List(list.begin(), list.end()));
        }
        return lists_[places_[v]];
    }

    Graph base_;
    std::int64_t num_nodes_;
    NodeMap places_;  // of the node's list in lists_
    std::vector<List> lists_;
    std::vector<std::int32_t> owners_;
};

// The nodes within some hops of a few sources, in order of discovery; one object can run many searches.
class Ball {
public:
    static constexpr std::int64_t beyond = std::int64_t{1} << 40;

    explicit Ball(std::int64_t num_nodes) : places_(num_nodes) {
        queue_.reserve(first_capacity);
        distances_.reserve(first_capacity);
    }

    void search(const PatchedGraph& graph, std::span<const std::int32_t> sources, std::int64_t depth) {
        places_.clear();
        queue_.clear();
        distances_.clear();
        for (std::int32_t v : sources) discover(v, 0);
        // Before each step everything the nodes before `i` reach in one step is in the queue, nearest first.
        for (std::size_t i = 0; i < queue_.size() && distances_[i] < depth; ++i) {
            const std::int64_t next = distances_[i] + 1;
            for (std::int32_t w : graph.neighbors(queue_[i])) discover(w, next);
        }
    }

    std::span<const std::int32_t> nodes() const { return queue_; }
    std::int64_t distance_at(std::size_t place) const { return distances_[place]; }
    // The place of a node, or NodeMap::none.
    std::int32_t place(std::int32_t v) const { return places_[v]; }
    std::int64_t count_inside(std::span<const std::int32_t> nodes) const { return places_.count(nodes); }
    std::int64_t distance(std::int32_t v) const {
        const std::int32_t place = places_[v];
        return place == NodeMap::none ? beyond : distances_[place];
    }

private:
    // Enough for most balls of graphs whose balls are small, where taking memory is a large part of the time.
    static constexpr std::size_t first_capacity = 64;

    void discover(std::int32_t v, std::int64_t distance) {
        if (places_[v] != NodeMap::none) return;
        places_.set(v, static_cast<std::int32_t>(queue_.size()));
        queue_.push_back(v);
        distances_.push_back(distance);
    }

    NodeMap places_;  // in queue_
    std::vector<std::int32_t> queue_;
    std::vector<std::int64_t> distances_;
};

}  // namespace egonet
