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
        : ranked_(ranked), support_(support), place_(ranked.num_nodes()) {}

    void operator()(std::int64_t block) {
        const std::int64_t last = std::min(ranked_.num_nodes(), (block + 1) * ranks_per_block);
        for (std::int64_t low = block * ranks_per_block; low < last; ++low)
            if (ranked_.begin[low + 1] - ranked_.begin[low] >= 2) search(ranked_.begin[low], ranked_.begin[low + 1]);
    }

private:
    // The triangles low < middle < high, where begin ... end - 1 are the edges from low upwards. While they are
    // searched, place_[w] is 1 + the position of w among them, and 0 for every other w; opposite_ gathers what
    // the edges low-high gain, so that the inner loop writes to one stretch of `support` only.
    void search(std::int64_t begin, std::int64_t end) {
        const std::int32_t* higher = ranked_.higher.get();
        const std::int64_t* first = ranked_.begin.data();
        if (opposite_.size() < static_cast<std::size_t>(end - begin) + 1) opposite_.resize(2 * (end - begin) + 1);
        for (std::int64_t edge = begin; edge < end; ++edge)
            place_[higher[edge]] = static_cast<std::int32_t>(edge - begin + 1);
        for (std::int64_t edge = begin; edge < end; ++edge) {
            if (edge + 4 < end) __builtin_prefetch(higher + first[higher[edge + 4]]);
            const std::int32_t middle = higher[edge];
            const std::int32_t found = scan(first[middle], first[middle + 1]);
            if (found) Count::add(support_[edge], found);
        }
        for (std::int64_t edge = begin; edge < end; ++edge) {
            place_[higher[edge]] = 0;
            const std::int32_t gained = std::exchange(opposite_[edge - begin + 1], 0);
            if (gained) Count::add(support_[edge], gained);
        }
    }

    // The edges middle-high in [edge, end): returns how many close a triangle, each counted here and at low-high.
    std::int32_t scan(std::int64_t edge, std::int64_t end) {
        const std::int32_t* higher = ranked_.higher.get();
        std::int32_t found = 0;
        for (; edge < end; ++edge) {
            const std::int32_t place = place_[higher[edge]];
            if (place) {
                ++found;
                ++opposite_[place];
                Count::add(support_[edge], 1);
            }
        }
        return found;
    }

    const RankedGraph& ranked_;
    std::int32_t* support_;
    std::vector<std::int32_t> place_;
    std::vector<std::int32_t> opposite_;
};

Buffer<std::int32_t> zeros(std::int64_t size) {
    auto* memory = static_cast<std::int32_t*>(std::calloc(std::max<std::int64_t>(size, 1), sizeof(std::int32_t)));
    if (!memory) throw std::bad_alloc();
    return Buffer<std::int32_t>(memory);
}

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
    ranked.vertex.resize(num_nodes);
    ranked.rank.resize(num_nodes);
    ranked.begin.resize(num_nodes + 1);
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
    const std::int64_t num_blocks = (ranked.num_nodes() + ranks_per_block - 1) / ranks_per_block;
    const std::int64_t size = ranked.num_edges();
    std::vector<Buffer<std::int32_t>> supports(job.threads);
    supports[0] = zeros(size);
    if ((job.threads - 1) * size * 4 > most_private) {
        run_blocks(job, num_blocks, [&](int) { return TriangleSearch<SharedCount>(ranked, supports[0].get()); });
        return std::move(supports[0]);
    }
    run_blocks(job, num_blocks, [&](int worker) {
        if (!supports[worker]) supports[worker] = zeros(size);
        return TriangleSearch<PrivateCount>(ranked, supports[worker].get());
    });
    if (job.threads > 1) add_up(job, supports, size);
    return std::move(supports[0]);
}

LowerSide lower_side(Job& job, const Graph& graph, const RankedGraph& ranked, const std::int32_t* support,
                     bool neighbours) {
    const std::int64_t num_nodes = ranked.num_nodes(), num_edges = ranked.num_edges();
    LowerSide lower;
    lower.begin.resize(num_nodes + 1);
    lower.support = make_buffer<std::int32_t>(num_edges);
    if (neighbours) lower.neighbour = make_buffer<std::int32_t>(num_edges);
    for (std::int64_t rank = 0; rank < num_nodes; ++rank)
        lower.begin[rank + 1] = lower.begin[rank] + graph.degree(ranked.vertex[rank]) -
                                (ranked.begin[rank + 1] - ranked.begin[rank]);
    std::vector<std::int64_t> next(lower.begin.begin(), lower.begin.end() - 1);
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
            for (std::int64_t rank = block * ranks_per_block; rank < std::min(num_nodes, (block + 1) * ranks_per_block); ++rank)
                scatter(rank, [](std::int64_t& place) {
                    return std::atomic_ref(place).fetch_add(1, std::memory_order_relaxed);
                });
        };
    });
    return lower;
}

}  // namespace egonet
