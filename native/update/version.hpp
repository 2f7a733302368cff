// Versions of an encoding: the arrays it started from, shared by all, and what differs from them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "update/row_patch.hpp"

namespace egonet {

// What all versions share.
struct Start {
    Graph graph;
    RowTable table;
    std::span<const std::int64_t> radii;
    Settings each;  // the radius is set in turn
    bool log_bins;
    const std::int64_t* keys;  // (num_keys, width): a sorted block per radius
    std::int64_t num_keys;
    int width;
    std::optional<std::span<const std::int64_t>> roots;  // the node of every row; none if row v is node v
    std::int64_t limit;  // an update gives up after this many visited roots, repeats counted
};

// Neighbor lists that replace those of the graph; `owners` is increasing, and nodes past the graph's last are new.
struct ListPatch {
    std::vector<std::int32_t> owners;
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;

    std::span<const std::int32_t> list(std::size_t place) const {
        return {indices.data() + indptr[place], indices.data() + indptr[place + 1]};
    }
};

using Edges = std::span<const std::pair<std::int32_t, std::int32_t>>;

struct Version {
    std::int64_t num_nodes;
    ListPatch lists;
    RowPatch rows;
    std::vector<std::int64_t> extra_keys;  // of the columns past the start's last, in no order

    // Whether two nodes that are there are neighbors.
    bool has_edge(const Start& start, std::int32_t a, std::int32_t b) const {
        const auto at = std::lower_bound(lists.owners.begin(), lists.owners.end(), a);
        if (at != lists.owners.end() && *at == a) return has(lists.list(at - lists.owners.begin()), b);
        if (a >= start.graph.num_nodes) return false;
        const std::int32_t* first = start.graph.indices + start.graph.indptr[a];
        return has({first, static_cast<std::size_t>(start.graph.degree(a))}, b);
    }

    KeyBook book(const Start& start) const {
        return KeyBook(start.keys, start.num_keys, extra_keys.data(),
                       static_cast<std::int64_t>(extra_keys.size()) / start.width, start.width, start.radii);
    }

    // The version after some edges, which are there, were removed and then others, which are not, added, and nodes
    // up to new_num_nodes; none if that is too much work. `labels` are those of all nodes, or null.
    std::optional<Version> changed(const Start& start, Edges removed, Edges added, std::int64_t new_num_nodes,
                                   const std::int32_t* labels, int threads) const {
        PatchedGraph graph(start.graph, new_num_nodes);
        for (std::size_t i = 0; i < lists.owners.size(); ++i) {
            const auto list = lists.list(i);
            graph.replace(lists.owners[i], {list.begin(), list.end()});
        }
        UpdateSettings settings{start.radii, start.each, start.log_bins};
        settings.each.labels = labels;
        KeyBook keys = book(start);
        Update update(graph, settings, keys);
        for (std::int64_t v = num_nodes; v < new_num_nodes; ++v) update.renew(static_cast<std::int32_t>(v));
        for (const auto& [a, b] : removed)
            if (update.num_touched() <= start.limit) update.erase(a, b);
        for (const auto& [a, b] : added)
            if (update.num_touched() <= start.limit) update.insert(a, b);
        if (update.num_touched() > start.limit) return std::nullopt;
        update.finish(threads);
        Version next{
            new_num_nodes, lists_of(graph), PatchedTable(start.table, rows).after(update, keys, start.roots), {}};
        for (const Key& key : keys.extra())
            next.extra_keys.insert(next.extra_keys.end(), key.begin(), key.begin() + start.width);
        return next;
    }

private:
    static bool has(std::span<const std::int32_t> list, std::int32_t node) {
        return std::binary_search(list.begin(), list.end(), node);
    }

    static ListPatch lists_of(const PatchedGraph& graph) {
        ListPatch lists;
        lists.owners = graph.owners();
        for (std::int32_t v : lists.owners) {
            const auto list = graph.neighbors(v);
            lists.indices.insert(lists.indices.end(), list.begin(), list.end());
            lists.indptr.push_back(static_cast<std::int64_t>(lists.indices.size()));
        }
        return lists;
    }
};

}  // namespace egonet
