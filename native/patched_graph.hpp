// A graph with some neighbour lists replaced: the arrays of the first version stay as they are and are shared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "graph.hpp"
#include "rows.hpp"

namespace egonet {

// Zeros that the system hands out as they are touched, so that a table over all vertices costs what is used of it.
template <class T>
Buffer<T> make_zeros(std::int64_t size) {
    void* memory = std::calloc(std::max<std::size_t>(static_cast<std::size_t>(size), 1), sizeof(T));
    if (!memory) throw std::bad_alloc();
    return Buffer<T>(static_cast<T*>(memory));
}

class PatchedGraph {
public:
    using List = std::vector<std::int32_t>;

    // Vertices from base.num_nodes on are new and have no neighbours yet.
    PatchedGraph(const Graph& base, std::int64_t num_nodes)
        : base_(base), num_nodes_(num_nodes), slots_(make_zeros<std::int32_t>(num_nodes)) {}

    std::int64_t num_nodes() const { return num_nodes_; }
    std::int64_t num_base_nodes() const { return base_.num_nodes; }

    std::span<const std::int32_t> neighbours(std::int32_t v) const {
        if (slots_[v]) return lists_[slots_[v] - 1];
        if (v >= base_.num_nodes) return {};
        return {base_.indices + base_.indptr[v], static_cast<std::size_t>(base_.degree(v))};
    }
    std::int32_t degree(std::int32_t v) const { return static_cast<std::int32_t>(neighbours(v).size()); }

    // Replaces the list of a vertex that has not been replaced before.
    void replace(std::int32_t v, List list) {
        lists_.push_back(std::move(list));
        owners_.push_back(v);
        slots_[v] = static_cast<std::int32_t>(lists_.size());
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

    // The vertices whose lists are replaced, rising.
    std::vector<std::int32_t> owners() const {
        std::vector<std::int32_t> sorted = owners_;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }

private:
    List& own(std::int32_t v) {
        if (!slots_[v]) {
            const auto list = neighbours(v);
            replace(v, List(list.begin(), list.end()));
        }
        return lists_[slots_[v] - 1];
    }

    Graph base_;
    std::int64_t num_nodes_;
    Buffer<std::int32_t> slots_;  // 1 + place in lists_, or 0
    std::vector<List> lists_;
    std::vector<std::int32_t> owners_;
};

// The vertices within some hops of a few sources, in order of discovery; one object serves many searches.
class Ball {
public:
    static constexpr std::int64_t beyond = std::int64_t{1} << 40;

    explicit Ball(std::int64_t num_nodes) : places_(make_zeros<std::int32_t>(num_nodes)) {}

    void search(const PatchedGraph& graph, std::span<const std::int32_t> sources, std::int64_t depth) {
        for (std::int32_t v : queue_) places_[v] = 0;
        queue_.clear();
        distances_.clear();
        for (std::int32_t v : sources) discover(v, 0);
        // Before each step everything the vertices before `i` reach in one step is in the queue, nearest first.
        for (std::size_t i = 0; i < queue_.size() && distances_[i] < depth; ++i) {
            const std::int64_t next = distances_[i] + 1;
            for (std::int32_t w : graph.neighbours(queue_[i])) discover(w, next);
        }
    }

    std::span<const std::int32_t> vertices() const { return queue_; }
    std::int64_t distance_at(std::size_t place) const { return distances_[place]; }
    bool has(std::int32_t v) const { return places_[v] != 0; }
    std::size_t place(std::int32_t v) const { return static_cast<std::size_t>(places_[v]) - 1; }
    std::int64_t distance(std::int32_t v) const { return has(v) ? distances_[place(v)] : beyond; }

private:
    void discover(std::int32_t v, std::int64_t distance) {
        if (places_[v]) return;
        queue_.push_back(v);
        distances_.push_back(distance);
        places_[v] = static_cast<std::int32_t>(queue_.size());
    }

    Buffer<std::int32_t> places_;  // 1 + place in queue_, or 0
    std::vector<std::int32_t> queue_;
    std::vector<std::int64_t> distances_;
};

}  // namespace egonet
