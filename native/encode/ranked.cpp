#include "encode/ranked.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"

namespace egonet {

namespace {

// Degrees from here on are not counted one by one but sorted: few nodes have them.
constexpr std::int64_t large_degree = 1024;

using Cuts = std::vector<std::int64_t>;

// A stable counting sort: afterwards ranks rise with the degree, and with the node number among equal degrees. The
// nodes are counted in chunks, so that each worker knows the positions of its chunks. Returns the first rank of every
// degree up to the largest one or `large_degree`, and the number of nodes behind them.
Cuts rank_by_degree(Job& job, const Graph& graph, std::int64_t largest_degree, RankedGraph& ranked) {
    const std::int64_t num_bins = std::min(largest_degree, large_degree) + 1;
    const std::int64_t num_chunks =
        job.threads == 1 ? 1 : std::min<std::int64_t>(2 * job.threads, graph.num_nodes / 8192 + 1);
    const std::int64_t stride = (num_bins + 31) / 32 * 32;  // no two chunks share a cache line
    std::vector<std::int32_t> next(num_chunks * stride);
    const auto for_pieces = [&](auto work) {
        for_ranges(job, num_chunks, 1, [&](std::int64_t chunk, std::int64_t) {
            std::int32_t* bins = &next[chunk * stride];
            const std::int64_t last = graph.num_nodes * (chunk + 1) / num_chunks;
            for (std::int64_t v = graph.num_nodes * chunk / num_chunks; v < last; ++v)
                work(bins[std::min<std::int64_t>(graph.degree(v), num_bins - 1)], static_cast<std::int32_t>(v));
        });
    };
    for_pieces([](std::int32_t& count, std::int32_t) { ++count; });
    Cuts start(num_bins + 1);
    std::int32_t rank = 0;
    for (std::int64_t bin = 0; bin < num_bins; ++bin) {
        start[bin] = rank;
        for (std::int64_t chunk = 0; chunk < num_chunks; ++chunk)
            rank += std::exchange(next[chunk * stride + bin], rank);
    }
    start[num_bins] = rank;
    for_pieces([&](std::int32_t& place, std::int32_t v) {
        const std::int32_t rank = place++;
        ranked.rank[v] = rank;
        ranked.node[rank] = v;
    });
    if (largest_degree > large_degree) {
        const auto by_degree = [&](std::int32_t v) { return std::pair(graph.degree(v), v); };
        std::sort(ranked.node.get() + start[large_degree], ranked.node.get() + graph.num_nodes,
                  [&](std::int32_t a, std::int32_t b) { return by_degree(a) < by_degree(b); });
        for (std::int64_t i = start[large_degree]; i < graph.num_nodes; ++i)
            ranked.rank[ranked.node[i]] = static_cast<std::int32_t>(i);
    }
    return start;
}

// Blocks of ranks that have about the same number of arcs; a rank itself counts as eight.
Cuts cut_by_arcs(const Graph& graph, const RankedGraph& ranked, const Cuts& start, std::int64_t num_blocks) {
    const std::int64_t share = (graph.num_arcs() + 8 * graph.num_nodes) / num_blocks + 1;
    Cuts cuts{0};
    std::int64_t filled = 0;
    const auto take = [&](std::int64_t rank, std::int64_t last, std::int64_t degree) {
        // Before each step the ranks from cuts.back() to `rank` cost `filled`, which is less than a share.
        while (rank < last) {
            const std::int64_t taken = std::min(last - rank, (share - filled) / (degree + 8) + 1);
            rank += taken;
            filled += taken * (degree + 8);
            if (filled < share) continue;
            cuts.push_back(rank);
            filled = 0;
        }
    };
    const auto num_bins = static_cast<std::int64_t>(start.size()) - 1;
    for (std::int64_t degree = 0; degree < std::min(num_bins, large_degree); ++degree)
        take(start[degree], start[degree + 1], degree);
    if (num_bins > large_degree)
        for (std::int64_t rank = start[large_degree]; rank < graph.num_nodes; ++rank)
            take(rank, rank + 1, graph.degree(ranked.node[rank]));
    if (cuts.back() < graph.num_nodes) cuts.push_back(graph.num_nodes);
    return cuts;
}

// Blocks of ranks that have about the same number of edges to higher ranks; a rank itself counts as one.
Cuts cut_by_edges(Job& job, const RankedGraph& ranked) {
    const std::int64_t cost = ranked.num_edges + ranked.num_nodes;
    const std::int64_t num_blocks =
        std::clamp<std::int64_t>(cost / 512, 1, std::max<std::int64_t>(128 * job.threads, cost >> 20));
    Cuts cuts(num_blocks + 1);
    for_ranges(job, num_blocks, 128, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block) {
            const std::int64_t target = cost * block / num_blocks;
            std::int64_t low = 0, high = ranked.num_nodes;
            // All ranks below `low` are before the cut, all from `high` on after it.
            while (low < high) {
                const std::int64_t middle = (low + high) / 2;
                if (ranked.begin[middle] + middle < target) low = middle + 1;
                else high = middle;
            }
            cuts[block] = low;
        }
    });
    cuts[num_blocks] = ranked.num_nodes;
    return cuts;
}

// Writes the lists of ranks first ... last - 1 from higher[place] on and returns where they end. `higher` needs
// one more element than num_edges: each neighbor is written, and the position advances only if its rank is higher.
std::int64_t fill_higher(const Graph& graph, RankedGraph& ranked, std::int64_t first, std::int64_t last,
                         std::int32_t* higher, std::int64_t place) {
    for (std::int64_t rank = first; rank < last; ++rank) {
        if (rank + 4 < last) __builtin_prefetch(graph.indices + graph.indptr[ranked.node[rank + 4]]);
        const std::int32_t v = ranked.node[rank];
        ranked.begin[rank] = place;
        for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1] && place < ranked.num_edges; ++arc) {
            const std::int32_t neighbor = ranked.rank[graph.indices[arc]];
            higher[place] = neighbor;
            place += neighbor > rank;
        }
    }
    return place;
}

// By several workers: each writes the lists of its blocks one after another into separate memory, of which it
// touches only what it fills; once the sizes of all blocks are known they are copied to their positions.
void fill_higher_together(Job& job, const Graph& graph, const Cuts& cuts, RankedGraph& ranked) {
    struct Chunk {
        const std::int32_t* from;
        std::int64_t size;
    };
    const auto num_blocks = static_cast<std::int64_t>(cuts.size()) - 1;
    std::vector<Chunk> chunks(num_blocks);
    std::vector<Buffer<std::int32_t>> memory(job.threads);
    run_blocks(job, num_blocks, [&](int worker) {
        memory[worker] = make_buffer<std::int32_t>(ranked.num_edges + 1);
        return [&, higher = memory[worker].get(), place = std::int64_t{0}](std::int64_t block) mutable {
            const std::int64_t end = fill_higher(graph, ranked, cuts[block], cuts[block + 1], higher, place);
            chunks[block] = {higher + place, end - place};
            // Counted from the block's own start until that is known.
            for (std::int64_t rank = cuts[block]; rank < cuts[block + 1]; ++rank) ranked.begin[rank] -= place;
            place = end;
        };
    });
    Cuts start(num_blocks + 1);
    for (std::int64_t block = 0; block < num_blocks; ++block) start[block + 1] = start[block] + chunks[block].size;
    run_blocks(job, num_blocks, [&](int) {
        return [&](std::int64_t block) {
            std::copy_n(chunks[block].from, chunks[block].size, ranked.higher.get() + start[block]);
            for (std::int64_t rank = cuts[block]; rank < cuts[block + 1]; ++rank) ranked.begin[rank] += start[block];
        };
    });
}

}  // namespace

RankedGraph rank_graph(Job& job, const Graph& graph, std::int64_t largest_degree) {
    const std::int64_t num_nodes = graph.num_nodes, num_edges = graph.num_arcs() / 2;
    RankedGraph ranked;
    ranked.num_nodes = num_nodes;
    ranked.num_edges = num_edges;
    ranked.node = make_touched_buffer<std::int32_t>(job, num_nodes);
    ranked.rank = make_touched_buffer<std::int32_t>(job, num_nodes);
    ranked.begin = make_touched_buffer<std::int64_t>(job, num_nodes + 1);
    ranked.begin[num_nodes] = num_edges;
    ranked.higher = make_touched_buffer<std::int32_t>(job, num_edges + 1);
    const Cuts start = rank_by_degree(job, graph, largest_degree, ranked);
    if (job.threads == 1) fill_higher(graph, ranked, 0, num_nodes, ranked.higher.get(), 0);
    else fill_higher_together(job, graph, cut_by_arcs(graph, ranked, start, 32 * job.threads), ranked);
    ranked.cuts = cut_by_edges(job, ranked);
    return ranked;
}

}  // namespace egonet
