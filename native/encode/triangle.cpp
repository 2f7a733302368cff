#include "encode/triangle.hpp"

#include <atomic>
#include <cstring>

namespace egonet {

namespace {

// Ranks are handed out in stretches of this many.
constexpr std::int64_t ranks_per_block = 4096;

std::int64_t blocks_of_ranks(const RankedGraph& ranked) {
    return (ranked.num_nodes + ranks_per_block - 1) / ranks_per_block;
}

std::int64_t last_rank(const RankedGraph& ranked, std::int64_t block) {
    return std::min(ranked.num_nodes, (block + 1) * ranks_per_block);
}

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

// Writes the lists of ranks first ... last - 1 from higher[place] on and returns where they end. `higher` needs
// one number of room behind its num_edges: each neighbour is written, and kept by moving on only if its rank is higher.
std::int64_t fill_higher(const Graph& graph, RankedGraph& ranked, std::int64_t first, std::int64_t last,
                         std::int32_t* higher, std::int64_t place) {
    for (std::int64_t rank = first; rank < last; ++rank) {
        if (rank + 4 < last) __builtin_prefetch(graph.indices + graph.indptr[ranked.vertex[rank + 4]]);
        const std::int32_t v = ranked.vertex[rank];
        ranked.begin[rank] = place;
        for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1] && place < ranked.num_edges; ++arc) {
            const std::int32_t neighbour = ranked.rank[graph.indices[arc]];
            higher[place] = neighbour;
            place += neighbour > rank;
        }
    }
    return place;
}

// By several workers: each writes the lists of its blocks one after another into memory of its own, of which it
// touches only what it fills; once the sizes of all blocks are known they are copied to their places.
void fill_higher_together(Job& job, const Graph& graph, RankedGraph& ranked) {
    struct Piece {
        const std::int32_t* from;
        std::int64_t size;
    };
    const std::int64_t num_blocks = blocks_of_ranks(ranked);
    std::vector<Piece> pieces(num_blocks);
    std::vector<Buffer<std::int32_t>> memory(job.threads);
    run_blocks(job, num_blocks, [&](int worker) {
        memory[worker] = make_buffer<std::int32_t>(ranked.num_edges + 1);
        return [&, higher = memory[worker].get(), place = std::int64_t{0}](std::int64_t block) mutable {
            const std::int64_t first = block * ranks_per_block;
            const std::int64_t end = fill_higher(graph, ranked, first, last_rank(ranked, block), higher, place);
            pieces[block] = {higher + place, end - place};
            // Counted from the block's own start until that is known.
            for (std::int64_t rank = first; rank < last_rank(ranked, block); ++rank) ranked.begin[rank] -= place;
            place = end;
        };
    });
    std::vector<std::int64_t> start(num_blocks + 1);
    for (std::int64_t block = 0; block < num_blocks; ++block) start[block + 1] = start[block] + pieces[block].size;
    run_blocks(job, num_blocks, [&](int) {
        return [&](std::int64_t block) {
            std::copy_n(pieces[block].from, pieces[block].size, ranked.higher.get() + start[block]);
            for (std::int64_t rank = block * ranks_per_block; rank < last_rank(ranked, block); ++rank)
                ranked.begin[rank] += start[block];
        };
    });
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
    TriangleSearch(const RankedGraph& ranked, std::int32_t* support, std::uint8_t* in_triangle)
        : ranked_(ranked), support_(support), in_triangle_(in_triangle),
          place_(make_zeros<std::int32_t>(ranked.num_nodes)),
          near_(make_zeros<std::uint64_t>(ranked.num_nodes / 64 + 1)) {}

    void operator()(std::int64_t block) {
        for (std::int64_t low = block * ranks_per_block; low < last_rank(ranked_, block); ++low) {
            const std::int64_t begin = ranked_.begin[low], end = ranked_.begin[low + 1];
            if (end - begin < 2) continue;
            if (end - begin == 2 ? search_pair(begin) : search(begin, end)) mark(low);
        }
    }

private:
    // Says that a rank may be in a triangle; other workers may be saying the same.
    void mark(std::int64_t rank) {
        std::atomic_ref flag(in_triangle_[rank]);
        if (!flag.load(std::memory_order_relaxed)) flag.store(1, std::memory_order_relaxed);
    }

    // Edges of the ranks that follow stand right behind these, so looking ahead never stops at a rank. Not inlined,
    // GCC takes a function that only prefetches for one without effect and drops its calls.
    [[gnu::always_inline]] inline void prefetch(std::int64_t edge) const {
        const std::int32_t* higher = ranked_.higher.get();
        const std::int64_t* first = ranked_.begin.get();
        if (edge + 32 < ranked_.num_edges) __builtin_prefetch(first + higher[edge + 32]);
        if (edge + 16 < ranked_.num_edges) __builtin_prefetch(higher + first[higher[edge + 16]]);
    }

    // The one triangle that two edges begin and begin + 1 can make: if their upper ends are neighbours.
    bool search_pair(std::int64_t begin) {
        const std::int32_t* higher = ranked_.higher.get();
        prefetch(begin);
        prefetch(begin + 1);
        const auto [middle, high] = std::minmax(higher[begin], higher[begin + 1]);
        for (std::int64_t edge = ranked_.begin[middle]; edge < ranked_.begin[middle + 1]; ++edge) {
            if (higher[edge] != high) continue;
            for (const std::int64_t side : {begin, begin + 1, edge}) Count::add(support_[side], 1);
            mark(middle);
            mark(high);
            return true;
        }
        return false;
    }

    // The triangles low < middle < high, where begin ... end - 1 are the edges from low upwards. While they are
    // searched, near_ has the bits of their upper ends w, and place_[w] is 1 + the position of w among them, or 0
    // for every other w; opposite_ gathers what the edges low-high gain, so that the inner loop writes to one stretch
    // of `support` only. Returns whether there are any.
    bool search(std::int64_t begin, std::int64_t end) {
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
            prefetch(edge);
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
        // All upper ends, though some may be in none: cheaper than asking edge by edge, and marks only cost time.
        if (num_found)
            for (std::int64_t edge = begin; edge < end; ++edge) mark(higher[edge]);
        return num_found > 0;
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
    std::uint8_t* in_triangle_;
    Buffer<std::int32_t> place_;
    Buffer<std::uint64_t> near_;
    std::vector<std::int32_t> opposite_;
    std::int32_t hit_edge_[batch], hit_place_[batch];
    bool hits_are_common_ = false;  // as it was at the vertex before
};

// Afterwards parts[0] holds the sums. Edges of ranks without triangles are not even read.
void add_up(Job& job, const RankedGraph& ranked, const std::uint8_t* in_triangle,
            std::vector<Buffer<std::int32_t>>& parts) {
    run_blocks(job, blocks_of_ranks(ranked), [&](int) {
        return [&](std::int64_t block) {
            for (std::int64_t rank = block * ranks_per_block; rank < last_rank(ranked, block); ++rank) {
                if (!in_triangle[rank]) continue;
                for (std::size_t part = 1; part < parts.size(); ++part)
                    if (parts[part])
                        for (std::int64_t edge = ranked.begin[rank]; edge < ranked.begin[rank + 1]; ++edge)
                            parts[0][edge] += parts[part][edge];
            }
        };
    });
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
    if (job.threads == 1)
        fill_higher(graph, ranked, 0, num_nodes, ranked.higher.get(), 0);
    else
        fill_higher_together(job, graph, ranked);
    return ranked;
}

Supports edge_supports(Job& job, const RankedGraph& ranked) {
    // With a table of its own a worker adds freely; where that would cost too much memory they share one.
    constexpr std::int64_t most_private = std::int64_t{256} << 20;
    const std::int64_t size = ranked.num_edges;
    Supports found = no_supports(ranked);
    std::uint8_t* in_triangle = found.in_triangle.get();
    if ((job.threads - 1) * size * 4 > most_private) {
        run_blocks(job, blocks_of_ranks(ranked), [&](int) {
            return TriangleSearch<SharedCount>(ranked, found.support.get(), in_triangle);
        });
        return found;
    }
    std::vector<Buffer<std::int32_t>> parts(job.threads);
    parts[0] = std::move(found.support);
    run_blocks(job, blocks_of_ranks(ranked), [&](int worker) {
        if (!parts[worker]) parts[worker] = make_untouched_zeros<std::int32_t>(size);
        return TriangleSearch<PrivateCount>(ranked, parts[worker].get(), in_triangle);
    });
    if (job.threads > 1) add_up(job, ranked, in_triangle, parts);
    found.support = std::move(parts[0]);
    return found;
}

Supports no_supports(const RankedGraph& ranked) {
    return {make_untouched_zeros<std::int32_t>(ranked.num_edges), make_zeros<std::uint8_t>(ranked.num_nodes)};
}

LowerSide lower_side(Job& job, const Graph& graph, const RankedGraph& ranked, const Supports& supports, bool every) {
    const std::int64_t num_nodes = ranked.num_nodes;
    const auto counts = [&](std::int64_t rank) { return every || supports.in_triangle[rank]; };
    LowerSide lower;
    if (!every && !std::memchr(supports.in_triangle.get(), 1, num_nodes)) return lower;
    lower.lists = make_buffer<LowerSide::List>(num_nodes);
    std::int64_t room = 0;
    for (std::int64_t rank = 0; rank < num_nodes; ++rank) {
        lower.lists[rank] = {room, 0};
        if (counts(rank))
            room += graph.degree(ranked.vertex[rank]) - (ranked.begin[rank + 1] - ranked.begin[rank]);
    }
    lower.support = make_buffer<std::int32_t>(room);
    if (every) lower.neighbour = make_buffer<std::int32_t>(room);
    // The order inside a list depends on the threads; its sum over keys does not.
    const auto scatter = [&](std::int64_t block, auto take) {
        for (std::int64_t rank = block * ranks_per_block; rank < last_rank(ranked, block); ++rank) {
            if (!counts(rank)) continue;
            for (std::int64_t edge = ranked.begin[rank]; edge < ranked.begin[rank + 1]; ++edge) {
                if (edge + 16 < ranked.num_edges) __builtin_prefetch(&lower.lists[ranked.higher[edge + 16]]);
                if (!every && !supports.support[edge]) continue;
                LowerSide::List& list = lower.lists[ranked.higher[edge]];
                const std::int64_t place = list.begin + take(list.size);
                lower.support[place] = supports.support[edge];
                if (every) lower.neighbour[place] = static_cast<std::int32_t>(rank);
            }
        }
    };
    if (job.threads == 1) {
        for (std::int64_t block = 0; block < blocks_of_ranks(ranked); ++block)
            scatter(block, [](std::int32_t& size) { return size++; });
        return lower;
    }
    run_blocks(job, blocks_of_ranks(ranked), [&](int) {
        return [&](std::int64_t block) {
            scatter(block, [](std::int32_t& size) {
                return std::atomic_ref(size).fetch_add(1, std::memory_order_relaxed);
            });
        };
    });
    return lower;
}

}  // namespace egonet
