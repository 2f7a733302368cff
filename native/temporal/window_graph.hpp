// A graph of events in a window: edges come and go, and an edge exists while at least one of its events is inside.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "core/adjacency.hpp"
#include "core/buffer.hpp"

namespace egonet {

// Neighbors are sorted, in segments of a pool whose capacities are powers of two. `adjacency()` is what searches read;
// it stays valid, and its numbers change with every event.
class WindowGraph {
public:
    WindowGraph(std::int64_t num_nodes, bool symmetric) : symmetric_(symmetric) { reserve(num_nodes); }

    const Adjacency& adjacency() const { return adjacency_; }
    std::int64_t num_nodes() const { return adjacency_.num_nodes; }
    std::int64_t num_arcs() const { return num_arcs_; }
    // How many events each entry of `adjacency().indices` stands for.
    const std::int32_t* counts() const { return counts_.data(); }
    // The largest degree that any node has had, and the largest number of events.
    std::int64_t largest_degree() const { return largest_degree_; }
    std::int64_t most_events() const { return most_events_; }
    // Entries of the pool: a measure of the memory in use.
    std::int64_t pool_size() const { return static_cast<std::int64_t>(pool_.size()); }

    // Makes space for nodes 0 ... num_nodes - 1; new ones have no neighbors.
    void reserve(std::int64_t num_nodes) {
        if (num_nodes <= adjacency_.num_nodes) return;
        Buffer<Row> wider = make_buffer<Row>(num_nodes);
        std::copy_n(adjacency_.rows.get(), adjacency_.num_nodes, wider.get());
        std::fill(wider.get() + adjacency_.num_nodes, wider.get() + num_nodes, Row{0, 0, 0});
        adjacency_.rows = std::move(wider);
        adjacency_.num_nodes = num_nodes;
        capacity_.resize(num_nodes, 0);
        events_.resize(num_nodes, 0);
    }

    // One event from u to v, which are different nodes.
    void add(std::int32_t u, std::int32_t v) {
        add_arc(u, v);
        if (symmetric_) add_arc(v, u);
    }

    // Takes back one event that was added.
    void remove(std::int32_t u, std::int32_t v) {
        remove_arc(u, v);
        if (symmetric_) remove_arc(v, u);
    }

private:
    static constexpr std::int32_t first_capacity = 4;

    void add_arc(std::int32_t u, std::int32_t v) {
        Row& row = adjacency_.rows[u];
        most_events_ = std::max<std::int64_t>(most_events_, ++events_[u]);
        std::int32_t* begin = pool_.data() + row.begin;
        std::int64_t place = std::lower_bound(begin, begin + row.degree, v) - begin;
        if (place < row.degree && begin[place] == v) {
            ++counts_[row.begin + place];
            return;
        }
        if (row.degree == capacity_[u]) move(u, capacity_[u] ? 2 * capacity_[u] : first_capacity);
        shift(pool_.data() + row.begin + place, row.degree - place, 1);
        shift(counts_.data() + row.begin + place, row.degree - place, 1);
        pool_[row.begin + place] = v;
        counts_[row.begin + place] = 1;
        ++row.degree;
        ++num_arcs_;
        largest_degree_ = std::max<std::int64_t>(largest_degree_, row.degree);
    }

    void remove_arc(std::int32_t u, std::int32_t v) {
        Row& row = adjacency_.rows[u];
        --events_[u];
        std::int32_t* begin = pool_.data() + row.begin;
        const std::int64_t place = std::lower_bound(begin, begin + row.degree, v) - begin;
        if (--counts_[row.begin + place] > 0) return;
        shift(pool_.data() + row.begin + place + 1, row.degree - place - 1, -1);
        shift(counts_.data() + row.begin + place + 1, row.degree - place - 1, -1);
        --row.degree;
        --num_arcs_;
        if (row.degree == 0) {
            free_[std::countr_zero(static_cast<std::uint32_t>(capacity_[u]))].push_back(row.begin);
            capacity_[u] = 0;
        } else if (capacity_[u] > first_capacity && row.degree <= capacity_[u] / 4) {
            move(u, capacity_[u] / 2);
        }
    }

    static void shift(std::int32_t* first, std::int64_t size, std::int64_t by) {
        std::memmove(first + by, first, static_cast<std::size_t>(size) * sizeof(std::int32_t));
    }

    // Moves the neighbors of u to a segment of another capacity; a segment that was given up is used first.
    void move(std::int32_t u, std::int32_t capacity) {
        Row& row = adjacency_.rows[u];
        auto& given_up = free_[std::countr_zero(static_cast<std::uint32_t>(capacity))];
        std::int64_t begin;
        if (given_up.empty()) {
            begin = static_cast<std::int64_t>(pool_.size());
            pool_.resize(pool_.size() + capacity);
            counts_.resize(pool_.size());
            adjacency_.indices = pool_.data();
        } else {
            begin = given_up.back();
            given_up.pop_back();
        }
        std::copy_n(pool_.data() + row.begin, row.degree, pool_.data() + begin);
        std::copy_n(counts_.data() + row.begin, row.degree, counts_.data() + begin);
        if (capacity_[u]) free_[std::countr_zero(static_cast<std::uint32_t>(capacity_[u]))].push_back(row.begin);
        row.begin = begin;
        capacity_[u] = capacity;
    }

    bool symmetric_;
    Adjacency adjacency_{0, make_buffer<Row>(0), nullptr, nullptr, false};
    std::vector<std::int32_t> capacity_;              // of each node's segment; 0: none
    std::vector<std::int32_t> events_;                // of each node
    std::vector<std::int32_t> pool_, counts_;         // neighbors, and how many events each edge has
    std::array<std::vector<std::int64_t>, 32> free_;  // segments that were given up, by the logarithm of capacity
    std::int64_t num_arcs_ = 0, largest_degree_ = 0, most_events_ = 0;
};

// The events of a window as rows of the first end, and also as rows of the second end if `both` asks for them.
class WindowArcs {
public:
    WindowArcs(std::int64_t num_nodes, bool symmetric, bool both) : rows_(num_nodes, symmetric) {
        if (both) others_.emplace(num_nodes, symmetric);
    }

    const Adjacency& rows() const { return rows_.adjacency(); }
    const Adjacency* others() const { return others_ ? &others_->adjacency() : nullptr; }
    const std::int32_t* row_counts() const { return rows_.counts(); }
    const std::int32_t* other_counts() const { return others_->counts(); }
    std::int64_t num_nodes() const { return rows_.num_nodes(); }
    std::int64_t num_arcs() const { return rows_.num_arcs(); }
    std::int64_t pool_size() const { return rows_.pool_size(); }
    std::int64_t largest_degree() const {
        return std::max(rows_.largest_degree(), others_ ? others_->largest_degree() : 0);
    }
    std::int64_t most_events() const { return std::max(rows_.most_events(), others_ ? others_->most_events() : 0); }

    void reserve(std::int64_t num_nodes) {
        rows_.reserve(num_nodes);
        if (others_) others_->reserve(num_nodes);
    }

    void add(std::int32_t u, std::int32_t v) {
        rows_.add(u, v);
        if (others_) others_->add(v, u);
    }

    void remove(std::int32_t u, std::int32_t v) {
        rows_.remove(u, v);
        if (others_) others_->remove(v, u);
    }

private:
    WindowGraph rows_;
    std::optional<WindowGraph> others_;
};

}  // namespace egonet
