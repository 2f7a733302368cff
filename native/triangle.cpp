#include "triangle.hpp"

#include <atomic>

namespace egonet {

namespace {

// Ranks are handed out in stretches of this many.
constexpr std::int64_t ranks_per_block = 4096;

// A stable counting sort: afterwards ranks rise with the degree, and with the vertex number among equal degrees.
void rank_by_degree(const Graph& graph, std::int64_t largest_degree, RankedGraph& ranked) {
    std::vector<std::int32_t> next(largest_degree + 2);
    for (std::int64_t v = 0; v < graph.num_nodes; ++v) ++next[graph.degree(v) + 1];
    for (std::int64_t degree = 0; degree <= largest_degree; ++degree) next[degree + 1] += next[degree];
    for (std::int64_t v = 0; v < graph.num_nodes; ++v) {
        const std::int32_t rank = next[graph.degree(v)]++;
        ranked.rank[v] = rank;
        ranked.vertex[rank] = static_cast<std::int32_t>(v);
    }
}

std::int64_t count_higher(const Graph& graph, const RankedGraph& ranked, std::int64_t first, std::int64_t last) {
    std::int64_t found = 0;
    for (std::int64_t rank = first; rank < last; ++rank) {
        const std::int32_t v = ranked.vertex[rank];
        for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1]; ++arc)
            found += ranked.rank[graph.indices[arc]] > rank;
    }
    return found;
}

// Writes the lists of ranks first ... last - 1 from `place` on. `higher` needs one number of room at its end:
// each neighbour is written, and kept by moving on only if its rank is higher.
void fill_higher(const Graph& graph, RankedGraph& ranked, std::int64_t first, std::int64_t last, std::int64_t place,
                 std::int64_t stop) {
    std::int32_t* higher = ranked.higher.get();
    for (std::int64_t rank = first; rank < last; ++rank) {
        if (rank + 4 < last) __builtin_prefetch(graph.indices + graph.indptr[ranked.vertex[rank + 4]]);
        const std::int32_t v = ranked.vertex[rank];
        ranked.begin[rank] = place;
        for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1] && place < stop; ++arc) {
            const std::int32_t neighbour = ranked.rank[graph.indices[arc]];
            higher[place] = neighbour;
            place += neighbour > rank;
        }
    }
}

// Adds one to a number that other threads may be adding to.
struct SharedCount {
    static void add(std::int32_t& number, std::int32_t amount) {
        std::atomic_ref(number).fetch_add(amount, std::memory_order_relaxed);
    }
};
struct PrivateCount {
    static void add(std::int32_t& number, std::int32_t amount) { number += amount; }
};

// Finds the triangles whose lowest rank is in a block of ranks; `support` is the worker's own or shared.
template <class Count>
class TriangleSearch {
public:
    TriangleSearch(const RankedGraph& ranked, std::int32_t* support)
        : ranked_(ranked), support_(support), place_(make_zeros<std::int32_t>(ranked.num_nodes)),
          near_(make_zeros<std::uint64_t>(ranked.num_nodes / 64 + 1)) {}

    void operator()(std::int64_t block) {
        const std::int64_t last = std::min(ranked_.num_nodes, (block + 1) * ranks_per_block);
        for (std::int64_t low = block * ranks_per_block; low < last; ++low)
            if (ranked_.begin[low + 1] - ranked_.begin[low] >= 2) search(ranked_.begin[low], ranked_.begin[low + 1]);
    }

private:
    // The triangles low < middle < high, where begin ... end - 1 are the edges from low upwards. While they are
    // searched, near_ has the bits of their upper ends w, and place_[w] is 1 + the position of w among them, or 0
    // for every other w; opposite_ gathers what
    // the edges low-high gain, so that the inner loop writes to one stretch of `support` only.
    void search(std::int64_t begin, std::int64_t end) {
        const std::int32_t* higher = ranked_.higher.get();
        const std::int64_t* first = ranked_.begin.get();
        std::int64_t num_found = 0, num_scanned = 0;
        if (opposite_.size() < static_cast<std::size_t>(end - begin) + 1) opposite_.resize(2 * (end - begin) + 1);
        for (std::int64_t edge = begin; edge < end; ++edge) {
            const std::int32_t high = higher[edge];
            place_[high] = static_cast<std::int32_t>(edge - begin + 1);
            near_[high >> 6] |= std::uint64_t{1} << (high & 63);
        }
        for (std::int64_t edge = begin; edge < end; ++edge) {
            // Edges of the ranks that follow stand right behind these, so looking ahead never stops at a rank.
            if (edge + 32 < ranked_.num_edges) __builtin_prefetch(first + higher[edge + 32]);
            if (edge + 16 < ranked_.num_edges) __builtin_prefetch(higher + first[higher[edge + 16]]);
            const std::int32_t middle = higher[edge];
            const std::int64_t from = first[middle], to = first[middle + 1];
            const std::int32_t found = hits_are_common_ ? scan_many(from, to) : scan_few(from, to);
            if (found) Count::add(support_[edge], found);
            num_found += found;
            num_scanned += to - from;
        }
        hits_are_common_ = num_found * 32 > num_scanned;
        for (std::int64_t edge = begin; edge < end; ++edge) {
            place_[higher[edge]] = 0;
            near_[higher[edge] >> 6] = 0;
            const std::int32_t gained = std::exchange(opposite_[edge - begin + 1], 0);
            if (gained) Count::add(support_[edge], gained);
        }
    }

    // Both scans look at the edges middle-high in [edge, end) and return how many close a triangle, each counted
    // here and at low-high. Where hits are rare the branch predictor knows, and the bitmap stays in the cache.
    std::int32_t scan_few(std::int64_t edge, std::int64_t end) {
        const std::int32_t* higher = ranked_.higher.get();
        std::int32_t found = 0;
        for (; edge < end; ++edge) {
            const std::int32_t high = higher[edge];
            if (near_[high >> 6] >> (high & 63) & 1) {
                ++found;
                ++opposite_[place_[high]];
                Count::add(support_[edge], 1);
            }
        }
        return found;
    }

    // Where hits are common each would be a coin toss to it: they are first written down, each over the miss
    // before it, and then counted.
    std::int32_t scan_many(std::int64_t edge, std::int64_t end) {
        const std::int32_t* higher = ranked_.higher.get();
        std::int32_t found = 0;
        for (; edge < end; edge += batch) {
            const int size = static_cast<int>(std::min<std::int64_t>(batch, end - edge));
            int hits = 0;
            for (int i = 0; i < size; ++i) {
                const std::int32_t place = place_[higher[edge + i]];
                hit_edge_[hits] = i;
                hit_place_[hits] = place;
                hits += place != 0;
            }
            for (int hit = 0; hit < hits; ++hit) {
                ++opposite_[hit_place_[hit]];
                Count::add(support_[edge + hit_edge_[hit]], 1);
            }
            found += hits;
        }
        return found;
    }

    static constexpr int batch = 256;
    const RankedGraph& ranked_;
    std::int32_t* support_;
    Buffer<std::int32_t> place_;
    Buffer<std::uint64_t> near_;
    std::vector<std::int32_t> opposite_;
    std::int32_t hit_edge_[batch], hit_place_[batch];
    bool hits_are_common_ = false;  // as it was at the vertex before
};

// Afterwards parts[0] holds the sums, and the others are gone.
void add_up(Job& job, std::vector<Buffer<std::int32_t>>& parts, std::int64_t size) {
    constexpr std::int64_t stretch = 1 << 18;
    run_blocks(job, (size + stretch - 1) / stretch, [&](int) {
        return [&](std::int64_t block) {
            for (std::size_t part = 1; part < parts.size(); ++part)
                if (parts[part])
                    for (std::int64_t i = block * stretch; i < std::min(size, (block + 1) * stretch); ++i)
                        parts[0][i] += parts[part][i];
        };
    });
    parts.resize(1);
}

}  // namespace

RankedGraph rank_graph(Job& job, const Graph& graph, std::int64_t largest_degree) {
    const std::int64_t num_nodes = graph.num_nodes, num_edges = graph.num_arcs() / 2;
    RankedGraph ranked;
    ranked.num_nodes = num_nodes;
    ranked.num_edges = num_edges;
    ranked.vertex = make_buffer<std::int32_t>(num_nodes);
    ranked.rank = make_buffer<std::int32_t>(num_nodes);
    ranked.begin = make_buffer<std::int64_t>(num_nodes + 1);
    ranked.begin[num_nodes] = num_edges;
    ranked.higher = make_buffer<std::int32_t>(num_edges + 1);
    rank_by_degree(graph, largest_degree, ranked);
    if (job.threads == 1) {
        fill_higher(graph, ranked, 0, num_nodes, 0, num_edges);
        return ranked;
    }
    const std::int64_t num_blocks = (num_nodes + ranks_per_block - 1) / ranks_per_block;
    std::vector<std::int64_t> start(num_blocks + 1);
    const auto last = [&](std::int64_t block) { return std::min(num_nodes, (block + 1) * ranks_per_block); };
    run_blocks(job, num_blocks, [&](int) {
        return [&](std::int64_t block) {
            start[block + 1] = count_higher(graph, ranked, block * ranks_per_block, last(block));
        };
    });
    for (std::int64_t block = 0; block < num_blocks; ++block) start[block + 1] += start[block];
    run_blocks(job, num_blocks, [&](int) {
        return [&](std::int64_t block) {
            fill_higher(graph, ranked, block * ranks_per_block, last(block), start[block], start[block + 1]);
        };
    });
    return ranked;
}

Buffer<std::int32_t> edge_supports(Job& job, const RankedGraph& ranked) {
    // With a table of its own a worker adds freely; where that would cost too much memory they share one.
    constexpr std::int64_t most_private = std::int64_t{256} << 20;
    const std::int64_t num_blocks = (ranked.num_nodes + ranks_per_block - 1) / ranks_per_block;
    const std::int64_t size = ranked.num_edges;
    std::vector<Buffer<std::int32_t>> supports(job.threads);
    supports[0] = make_zeros<std::int32_t>(size);
    if ((job.threads - 1) * size * 4 > most_private) {
        run_blocks(job, num_blocks, [&](int) { return TriangleSearch<SharedCount>(ranked, supports[0].get()); });
        return std::move(supports[0]);
    }
    run_blocks(job, num_blocks, [&](int worker) {
        if (!supports[worker]) supports[worker] = make_zeros<std::int32_t>(size);
        return TriangleSearch<PrivateCount>(ranked, supports[worker].get());
    });
    if (job.threads > 1) add_up(job, supports, size);
    return std::move(supports[0]);
}

LowerSide lower_side(Job& job, const Graph& graph, const RankedGraph& ranked, const std::int32_t* support,
                     bool neighbours) {
    const std::int64_t num_nodes = ranked.num_nodes, num_edges = ranked.num_edges;
    LowerSide lower;
    lower.end = make_buffer<std::int64_t>(num_nodes);
    lower.support = make_buffer<std::int32_t>(num_edges);
    if (neighbours) lower.neighbour = make_buffer<std::int32_t>(num_edges);
    // At first end[i] is where list i begins; every number put into the list moves it one on, to its end at last.
    std::int64_t place = 0;
    for (std::int64_t rank = 0; rank < num_nodes; ++rank) {
        lower.end[rank] = place;
        place += graph.degree(ranked.vertex[rank]) - (ranked.begin[rank + 1] - ranked.begin[rank]);
    }
    std::int64_t* next = lower.end.get();
    // The order inside a list depends on the threads; its sum over keys does not.
    const auto scatter = [&](std::int64_t rank, auto take) {
        for (std::int64_t edge = ranked.begin[rank]; edge < ranked.begin[rank + 1]; ++edge) {
            if (edge + 16 < num_edges) __builtin_prefetch(&next[ranked.higher[edge + 16]]);
            const std::int64_t place = take(next[ranked.higher[edge]]);
            lower.support[place] = support[edge];
            if (neighbours) lower.neighbour[place] = static_cast<std::int32_t>(rank);
        }
    };
    if (job.threads == 1) {
        for (std::int64_t rank = 0; rank < num_nodes; ++rank)
            scatter(rank, [](std::int64_t& place) { return place++; });
        return lower;
    }
    run_blocks(job, (num_nodes + ranks_per_block - 1) / ranks_per_block, [&](int) {
        return [&](std::int64_t block) {
            const std::int64_t last = std::min(num_nodes, (block + 1) * ranks_per_block);
            for (std::int64_t rank = block * ranks_per_block; rank < last; ++rank)
                scatter(rank, [](std::int64_t& place) {
                    return std::atomic_ref(place).fetch_add(1, std::memory_order_relaxed);
                });
        };
    });
    return lower;
}

}  // namespace egonet
