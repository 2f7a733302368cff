// The rows of pairs of nodes in a graph.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/adjacency.hpp"
#include "core/graph.hpp"
#include "core/parallel.hpp"
#include "core/searched_rows.hpp"
#include "encode/in_out.hpp"
#include "pairs/pair_codec.hpp"
#include "pairs/pair_search.hpp"

namespace egonet {

// Pairs (first[i], second[i]) of different nodes, in the order of the rows.
struct PairList {
    const std::int64_t* ends;  // first[0], second[0], first[1], ...
    std::int64_t count;

    std::int32_t first(std::int64_t row) const { return static_cast<std::int32_t>(ends[2 * row]); }
    std::int32_t second(std::int64_t row) const { return static_cast<std::int32_t>(ends[2 * row + 1]); }
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

// The costliest pairs come first, so that all workers finish together: by powers of two of the cost, and otherwise in the
// order given, in which neighboring pairs often share an end. `work` becomes the cost of all pairs.
inline std::vector<std::int64_t> order_pairs(Job& job, const Graph& graph, std::int64_t radius, const PairList& pairs,
                                             double& work) {
    const std::vector<double> reads = predict_reads(job, graph, radius);
    std::vector<std::uint8_t> power(pairs.count);
    std::array<std::int64_t, 65> begin{};
    for (std::int64_t row = 0; row < pairs.count; ++row) {
        const double cost = reads[pairs.first(row)] + reads[pairs.second(row)];
        work += cost;
        power[row] = static_cast<std::uint8_t>(64 - std::bit_width(static_cast<std::uint64_t>(cost)));
        ++begin[power[row]];
    }
    std::int64_t before = 0;
    for (std::int64_t& count : begin) before += std::exchange(count, before);
    std::vector<std::int64_t> order(pairs.count);
    for (std::int64_t row = 0; row < pairs.count; ++row) order[begin[power[row]]++] = row;
    return order;
}

// The rows of all pairs; the same bytes for any number of threads.
inline Result encode_pairs(Job& job, const Graph& graph, const PairSettings& settings, const PairList& pairs) {
    double work = 0;
    std::vector<std::int64_t> order = order_pairs(job, graph, settings.largest_radius(), pairs, work);
    job.limit_threads(work);
    if (job.threads == 1) order.clear();
    std::optional<Reversed> reversed;
    std::optional<Adjacency> others;
    std::int64_t largest = KeyCodec::largest_degree_of(job, graph);
    if (settings.degrees == Degrees::in_out) {
        reversed.emplace(graph);
        others.emplace(make_adjacency(job, reversed->graph(), false));
        largest = std::max(largest, KeyCodec::largest_degree_of(job, reversed->graph()));
    }
    const Adjacency rows = make_adjacency(job, graph, false);
    const std::int64_t largest_label =
        settings.labels
            ? largest_of(job, graph.num_nodes, [&](std::int64_t v) { return std::int64_t{settings.labels[v]}; })
            : 0;
    const PairCodec codec(largest, graph.num_nodes, settings, largest_label);
    const PairGraph lists{&rows, others ? &*others : nullptr, graph.num_arcs()};
    const std::int64_t block_size = std::clamp<std::int64_t>(pairs.count / (64 * job.threads), 1, 64);
    return collect_rows(job, codec, {pairs.count, block_size, std::move(order)}, 4096 + 4 * graph.num_arcs(),
                        [&]<class Tally>(Collector& collector) {
                            with_pair_search<Tally>(codec, [&]<class Search>() {
                                search_rows<Tally>(job, collector, codec.range(), [&](Tally& tally) {
                                    return [&pairs,
                                            search = Search(lists, settings, codec, tally)](std::int64_t row) mutable {
                                        search(pairs.first(row), pairs.second(row));
                                    };
                                });
                            });
                        });
}

}  // namespace egonet
