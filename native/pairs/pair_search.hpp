// One row per pair of nodes: two breadth-first searches, then the degrees inside what they found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "core/graph.hpp"
#include "core/searched_rows.hpp"
#include "encode/source.hpp"
#include "pairs/pair_codec.hpp"

namespace egonet {

// Pairs (first[i], second[i]) of different nodes, in the order of the rows.
struct PairList {
    const std::int64_t* ends;  // first[0], second[0], first[1], ...
    std::int64_t count;

    std::int32_t first(std::int64_t row) const { return static_cast<std::int32_t>(ends[2 * row]); }
    std::int32_t second(std::int64_t row) const { return static_cast<std::int32_t>(ends[2 * row + 1]); }
};

template <class Tally>
class PairSearch {
public:
    PairSearch(const Graph& graph, const PairSettings& settings, const PairCodec& codec, Tally& tally)
        : graph_(graph),
          settings_(settings),
          codec_(codec),
          tally_(tally),
          inside_(graph.num_nodes),
          from_u_(graph.num_nodes, unseen),
          from_v_(graph.num_nodes, unseen) {}

    void operator()(std::int32_t u, std::int32_t v) {
        u_ = u;
        v_ = v;
        const bool whole_edges = settings_.without_edge && !settings_.divided;
        gone_from_u_ = whole_edges && !settings_.rows_are_in && has_arc(u, v);
        gone_from_v_ = whole_edges && (settings_.symmetric || settings_.rows_are_in) && has_arc(v, u);
        edge_nodes_.clear();
        if (settings_.without_edge && settings_.divided) find_edge_nodes();
        found_.clear();
        search(u, from_u_);
        search(v, from_v_);
        const auto far = static_cast<std::int32_t>(codec_.radius() + 1);
        for (std::int32_t x : found_) {
            const std::int32_t near_u = from_u_[x] == unseen ? far : from_u_[x];
            const std::int32_t near_v = from_v_[x] == unseen ? far : from_v_[x];
            // Nearer than the radius to one end, every neighbor is inside.
            const bool whole = std::min(near_u, near_v) < codec_.radius();
            tally_.add(codec_.code(x, near_u, near_v, whole ? degree(x) : degree_inside(x)));
        }
        for (std::int32_t x : found_) {
            inside_.drop_word(x);
            from_u_[x] = from_v_[x] = unseen;
        }
    }

private:
    static constexpr std::int32_t unseen = -1;

    bool has_arc(std::int32_t a, std::int32_t b) const {
        return std::binary_search(graph_.indices + graph_.indptr[a], graph_.indices + graph_.indptr[a + 1], b);
    }

    // The neighbor that the row of x lists and the graph without the edge does not have; -1: none.
    std::int32_t gone(std::int32_t x) const {
        if (x == u_ && gone_from_u_) return v_;
        if (x == v_ && gone_from_v_) return u_;
        return -1;
    }

    // The nodes of the edges between u and v, rising: those that the row of one end lists and whose row lists the other.
    void find_edge_nodes() {
        const std::int32_t from = settings_.rows_are_in ? v_ : u_, to = settings_.rows_are_in ? u_ : v_;
        for (std::int64_t arc = graph_.indptr[from]; arc < graph_.indptr[from + 1]; ++arc)
            if (has_arc(graph_.indices[arc], to)) edge_nodes_.push_back(graph_.indices[arc]);
    }

    // Whether w is the node of an edge that is left out.
    bool is_gone(std::int32_t w) const {
        return !edge_nodes_.empty() && std::binary_search(edge_nodes_.begin(), edge_nodes_.end(), w);
    }

    std::int32_t degree(std::int32_t x) const {
        const bool lists_edge_nodes = settings_.symmetric ? x == u_ || x == v_ : x == (settings_.rows_are_in ? v_ : u_);
        const auto edges = lists_edge_nodes ? static_cast<std::int32_t>(edge_nodes_.size()) : 0;
        return graph_.degree(x) - (gone(x) >= 0) - edges;
    }

    std::int32_t degree_inside(std::int32_t x) const {
        std::int32_t found = 0;
        for (std::int64_t arc = graph_.indptr[x]; arc < graph_.indptr[x + 1]; ++arc)
            found += inside_.has(graph_.indices[arc]);
        // Both ends are inside, so that the neighbor that is gone was counted.
        return found - (gone(x) >= 0);
    }

    // Writes the distances of all nodes within the radius, and appends those that are new to `found_`.
    void search(std::int32_t root, std::vector<std::int32_t>& distance) {
        queue_.assign(1, root);
        distance[root] = 0;
        // Before each step the nodes before `next` have had their neighbors looked at.
        for (std::size_t next = 0; next < queue_.size() && distance[queue_[next]] < codec_.radius(); ++next) {
            const std::int32_t x = queue_[next], left_out = gone(x);
            for (std::int64_t arc = graph_.indptr[x]; arc < graph_.indptr[x + 1]; ++arc) {
                const std::int32_t w = graph_.indices[arc];
                if (distance[w] != unseen || w == left_out || is_gone(w)) continue;
                distance[w] = distance[x] + 1;
                queue_.push_back(w);
            }
        }
        for (std::int32_t x : queue_) {
            if (inside_.has(x)) continue;
            inside_.insert(x);
            found_.push_back(x);
        }
    }

    const Graph& graph_;
    const PairSettings& settings_;
    const PairCodec& codec_;
    Tally& tally_;
    NodeSet inside_;
    std::vector<std::int32_t> from_u_, from_v_, queue_, found_, edge_nodes_;
    std::int32_t u_ = 0, v_ = 0;
    bool gone_from_u_ = false, gone_from_v_ = false;
};

// The arcs that a search of `radius` hops reads from each node, at most; paths that meet are counted several times.
inline std::vector<double> predict_reads(Job& job, const Graph& graph, std::int64_t radius) {
    const auto most = static_cast<double>(graph.num_arcs());
    std::vector<double> reads(graph.num_nodes), next(graph.num_nodes);
    for_nodes(job, graph.num_nodes, [&](std::int32_t v) { reads[v] = graph.degree(v); });
    // Longer walks than this say nothing more: they read every arc.
    for (std::int64_t hop = 0; hop < std::min<std::int64_t>(radius, 3); ++hop) {
        for_nodes(job, graph.num_nodes, [&](std::int32_t v) {
            double sum = graph.degree(v);
            for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1]; ++arc) sum += reads[graph.indices[arc]];
            next[v] = std::min(sum, most);
        });
        reads.swap(next);
    }
    return reads;
}

// The costliest pairs come first, so that all workers finish together.
inline std::vector<std::int64_t> order_pairs(Job& job, const Graph& graph, const PairSettings& settings,
                                             const PairList& pairs, double& work) {
    const std::vector<double> reads = predict_reads(job, graph, settings.radius);
    std::vector<std::int64_t> order(pairs.count);
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> cost(pairs.count);
    for (std::int64_t row = 0; row < pairs.count; ++row) {
        cost[row] = reads[pairs.first(row)] + reads[pairs.second(row)];
        work += cost[row];
    }
    std::sort(order.begin(), order.end(),
              [&](std::int64_t a, std::int64_t b) { return cost[a] != cost[b] ? cost[a] > cost[b] : a < b; });
    return order;
}

// The rows of all pairs; the same bytes for any number of threads.
inline Result encode_pairs(Job& job, const Graph& graph, const PairSettings& settings, const PairList& pairs) {
    const PairCodec codec(job, graph, settings);
    double work = 0;
    std::vector<std::int64_t> order = order_pairs(job, graph, settings, pairs, work);
    job.limit_threads(work);
    const std::int64_t block_size = std::clamp<std::int64_t>(pairs.count / (64 * job.threads), 1, 64);
    return collect_rows(job, codec, {pairs.count, block_size, std::move(order)}, 4096 + 4 * graph.num_arcs(),
                        [&]<class Tally>(Collector& collector) {
                            search_rows<Tally>(job, collector, codec.range(), [&](Tally& tally) {
                                return [&pairs, search = PairSearch<Tally>(graph, settings, codec, tally)](
                                           std::int64_t row) mutable { search(pairs.first(row), pairs.second(row)); };
                            });
                        });
}

}  // namespace egonet
