#include "encode/triangle.hpp"

#include <atomic>
#include <cstring>
#include <utility>

#include "core/parallel.hpp"

namespace egonet {

namespace {

// What the bytes of all workers may take together, or as much as the common table; `make sanitize` lowers it.
#ifndef EGONET_TABLE_BYTES
#define EGONET_TABLE_BYTES (std::int64_t{1} << 30)
#endif
constexpr std::int64_t most_bytes = EGONET_TABLE_BYTES;

// By several workers, which share the clearing; on one thread zeros that are never written to cost nothing.
Buffer<std::int32_t> make_support(Job& job, std::int64_t num_edges) {
    if (job.threads == 1) return make_untouched_zeros<std::int32_t>(num_edges);
    Buffer<std::int32_t> support = make_buffer<std::int32_t>(num_edges);
    for_ranges(job, num_edges, large_page / sizeof(std::int32_t),
               [&](std::int64_t first, std::int64_t last) { std::fill_n(&support[first], last - first, 0); });
    return support;
}

void add_shared(std::int32_t& number, std::int32_t amount) {
    std::atomic_ref(number).fetch_add(amount, std::memory_order_relaxed);
}

// Where triangles are counted, by edge: `add` is called once or twice for an edge, `hit` for every triangle at it.

// A worker counts hits in its own bytes, and adds them to the common table whenever one is full: atomic additions cost
// several times as much, and all workers count at the edges of hubs. One worker alone gains
// too, since bytes of four times as many edges stay in the cache.
struct ByteTable {
    std::uint8_t* own;
    std::int32_t* support;
    void hit(std::int64_t edge) const {
        if (!++own[edge]) add_shared(support[edge], 256);
    }
    void add(std::int64_t edge, std::int32_t amount) const { add_shared(support[edge], amount); }
};

// Where bytes for every worker would take too much memory.
struct SharedTable {
    std::int32_t* support;
    void hit(std::int64_t edge) const { add_shared(support[edge], 1); }
    void add(std::int64_t edge, std::int32_t amount) const { add_shared(support[edge], amount); }
};

// Finds the triangles whose lowest rank is in a block of ranks.
template <class Table>
class TriangleSearch {
public:
    TriangleSearch(const RankedGraph& ranked, Table table, std::uint8_t* in_triangle)
        : ranked_(ranked),
          table_(table),
          in_triangle_(in_triangle),
          position_(make_untouched_zeros<std::int32_t>(ranked.num_nodes, Pages::large)),
          near_(make_untouched_zeros<std::uint64_t>(ranked.num_nodes / 64 + 1)) {}

    void operator()(std::int64_t block) {
        for_ranks(ranked_, block, [&](std::int64_t low) {
            const std::int64_t begin = ranked_.begin[low], end = ranked_.begin[low + 1];
            if (end - begin < 2) return;
            if (end - begin == 2 ? search_pair(begin) : search(begin, end)) mark(low);
        });
    }

private:
    // Says that a rank may be in a triangle; other workers may be saying the same.
    void mark(std::int64_t rank) {
        std::atomic_ref flag(in_triangle_[rank]);
        if (!flag.load(std::memory_order_relaxed)) flag.store(1, std::memory_order_relaxed);
    }

    // The edges of the next ranks follow directly, so prefetching never stops at a rank. Not inlined,
    // GCC takes a function that only prefetches for one without effect and drops its calls.
    [[gnu::always_inline]] inline void prefetch(std::int64_t edge) const {
        const std::int32_t* higher = ranked_.higher.get();
        const std::int64_t* first = ranked_.begin.get();
        if (edge + 32 < ranked_.num_edges) __builtin_prefetch(first + higher[edge + 32]);
        if (edge + 16 < ranked_.num_edges) __builtin_prefetch(higher + first[higher[edge + 16]]);
    }

    // The one triangle that two edges begin and begin + 1 can make: if their upper ends are neighbors.
    bool search_pair(std::int64_t begin) {
        const std::int32_t* higher = ranked_.higher.get();
        prefetch(begin);
        prefetch(begin + 1);
        const auto [middle, high] = std::minmax(higher[begin], higher[begin + 1]);
        for (std::int64_t edge = ranked_.begin[middle]; edge < ranked_.begin[middle + 1]; ++edge) {
            if (higher[edge] != high) continue;
            for (const std::int64_t side : {begin, begin + 1}) table_.add(side, 1);
            table_.hit(edge);
            mark(middle);
            mark(high);
            return true;
        }
        return false;
    }

    // The triangles low < middle < high, where begin ... end - 1 are the edges from low upwards. While they are
    // searched, near_ has the bits of their upper ends w, and position_[w] is 1 + the position of w among them, or 0
    // for every other w; opposite_ gathers what the edges low-high gain, so that the inner loop writes to one range
    // of `support` only. Returns whether there are any.
    bool search(std::int64_t begin, std::int64_t end) {
        const std::int32_t* higher = ranked_.higher.get();
        const std::int64_t* first = ranked_.begin.get();
        std::int64_t num_found = 0, num_scanned = 0;
        if (opposite_.size() < static_cast<std::size_t>(end - begin) + 1) opposite_.resize(2 * (end - begin) + 1);
        for (std::int64_t edge = begin; edge < end; ++edge) {
            const std::int32_t high = higher[edge];
            position_[high] = static_cast<std::int32_t>(edge - begin + 1);
            near_[high >> 6] |= std::uint64_t{1} << (high & 63);
        }
        for (std::int64_t edge = begin; edge < end; ++edge) {
            prefetch(edge);
            const std::int32_t middle = higher[edge];
            const std::int64_t from = first[middle], to = first[middle + 1];
            const std::int32_t found = hits_are_common_ ? scan_many(from, to) : scan_few(from, to);
            if (found) table_.add(edge, found);
            num_found += found;
            num_scanned += to - from;
        }
        hits_are_common_ = num_found * 32 > num_scanned;
        for (std::int64_t edge = begin; edge < end; ++edge) {
            position_[higher[edge]] = 0;
            near_[higher[edge] >> 6] = 0;
            const std::int32_t gained = std::exchange(opposite_[edge - begin + 1], 0);
            if (gained) table_.add(edge, gained);
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
        const std::uint64_t* near = near_.get();
        const Table table = table_;
        std::int32_t found = 0;
        for (; edge < end; ++edge) {
            const std::int32_t high = higher[edge];
            if (near[high >> 6] >> (high & 63) & 1) {
                ++found;
                ++opposite_[position_[high]];
                table.hit(edge);
            }
        }
        return found;
    }

    // Where hits are common each would be a coin toss to it: they are first written down, each over the miss
    // before it, and then counted.
    std::int32_t scan_many(std::int64_t edge, std::int64_t end) {
        const std::int32_t *higher = ranked_.higher.get(), *positions = position_.get();
        std::int32_t* const opposite = opposite_.data();
        const Table table = table_;
        std::int32_t found = 0;
        for (; edge < end; edge += batch) {
            const int size = static_cast<int>(std::min<std::int64_t>(batch, end - edge));
            int hits = 0;
            for (int i = 0; i < size; ++i) {
                const std::int32_t position = positions[higher[edge + i]];
                hit_edge_[hits] = i;
                hit_place_[hits] = position;
                hits += position != 0;
            }
            for (int hit = 0; hit < hits; ++hit) {
                ++opposite[hit_place_[hit]];
                table.hit(edge + hit_edge_[hit]);
            }
            found += hits;
        }
        return found;
    }

    static constexpr int batch = 256;
    const RankedGraph& ranked_;
    Table table_;
    std::uint8_t* in_triangle_;
    Buffer<std::int32_t> position_;
    Buffer<std::uint64_t> near_;
    std::vector<std::int32_t> opposite_;
    std::int32_t hit_edge_[batch], hit_place_[batch];
    bool hits_are_common_ = false;  // as it was at the node before
};

// Adds the bytes of all workers to the common table. Edges of ranks without triangles are not even read.
void add_up(Job& job, const RankedGraph& ranked, const std::vector<Buffer<std::uint8_t>>& bytes, Supports& found) {
    const auto add_edges = [&](std::int64_t begin, std::int64_t end) {
        for (const Buffer<std::uint8_t>& part : bytes)
            if (part)
                for (std::int64_t edge = begin; edge < end; ++edge) found.support[edge] += part[edge];
    };
    run_blocks(job, ranked.num_blocks(), [&](int) {
        return [&](std::int64_t block) {
            const std::int64_t last = ranked.cuts[block + 1];
            // Runs of ranks in triangles, short enough for their sums to stay in the cache.
            for (std::int64_t rank = ranked.cuts[block]; rank < last; ++rank) {
                if (!found.in_triangle[rank]) continue;
                const std::int64_t begin = ranked.begin[rank];
                while (rank + 1 < last && found.in_triangle[rank + 1] && ranked.begin[rank + 1] - begin < 4096) ++rank;
                add_edges(begin, ranked.begin[rank + 1]);
            }
        };
    });
}

// The blocks in the order of their work, most first: the wedges of a block, from some of its edges.
std::vector<std::int64_t> heaviest_first(Job& job, const RankedGraph& ranked) {
    constexpr std::int64_t num_samples = 16;
    std::vector<std::pair<std::int64_t, std::int64_t>> blocks(ranked.num_blocks());
    for_ranges(job, ranked.num_blocks(), 64, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block) {
            const std::int64_t begin = ranked.begin[ranked.cuts[block]];
            const std::int64_t size = ranked.begin[ranked.cuts[block + 1]] - begin;
            std::int64_t wedges = 0;
            for (std::int64_t i = 0; size && i < num_samples; ++i) {
                const std::int32_t middle = ranked.higher[begin + size * i / num_samples];
                wedges += ranked.begin[middle + 1] - ranked.begin[middle];
            }
            blocks[block] = {-size * wedges, block};
        }
    });
    if (job.threads > 1) std::sort(blocks.begin(), blocks.end());
    std::vector<std::int64_t> order;
    for (const auto& [wedges, block] : blocks) order.push_back(block);
    return order;
}

// An edge as its upper end sees it.
struct UpperEnd {
    std::int32_t high, support, low;
};

// Writes where the lists of ranks that count begin, and returns their total capacity; other lists are never read.
template <class Counts>
std::int64_t lay_out_lists(Job& job, const Graph& graph, const RankedGraph& ranked, Counts counts, LowerSide& lower) {
    std::vector<std::int64_t> start(ranked.num_blocks() + 1);
    // First counted from the block's own start, until that is known.
    run_blocks(job, ranked.num_blocks(), [&](int) {
        return [&](std::int64_t block) {
            std::int64_t capacity = 0;
            for_ranks(ranked, block, [&](std::int64_t rank) {
                if (!counts(rank)) return;
                lower.lists[rank] = {capacity, 0};
                capacity += graph.degree(ranked.node[rank]) - (ranked.begin[rank + 1] - ranked.begin[rank]);
            });
            start[block + 1] = capacity;
        };
    });
    for (std::size_t block = 1; block < start.size(); ++block) start[block] += start[block - 1];
    run_blocks(job, ranked.num_blocks(), [&](int) {
        return [&](std::int64_t block) {
            for_ranks(ranked, block, [&](std::int64_t rank) {
                if (counts(rank)) lower.lists[rank].begin += start[block];
            });
        };
    });
    return start.back();
}

}  // namespace

Supports edge_supports(Job& job, const RankedGraph& ranked) {
    Supports found = no_supports(job, ranked);
    std::int32_t* support = found.support.get();
    std::uint8_t* in_triangle = found.in_triangle.get();
    const std::vector<std::int64_t> order = heaviest_first(job, ranked);
    const auto search = [&]<class Make>(Make make) {
        run_blocks(job, ranked.num_blocks(), [&](int worker) {
            return [&order, search = make(worker)](std::int64_t position) mutable { search(order[position]); };
        });
    };
    if (job.threads * ranked.num_edges > std::max(most_bytes, 4 * ranked.num_edges)) {
        search([&](int) { return TriangleSearch<SharedTable>(ranked, {support}, in_triangle); });
        return found;
    }
    std::vector<Buffer<std::uint8_t>> bytes(job.threads);
    search([&](int worker) {
        bytes[worker] = make_untouched_zeros<std::uint8_t>(ranked.num_edges);
        return TriangleSearch<ByteTable>(ranked, {bytes[worker].get(), support}, in_triangle);
    });
    add_up(job, ranked, bytes, found);
    return found;
}

Supports no_supports(Job& job, const RankedGraph& ranked) {
    return {make_support(job, ranked.num_edges), make_zeros<std::uint8_t>(ranked.num_nodes)};
}

LowerSide lower_side(Job& job, const Graph& graph, const RankedGraph& ranked, const Supports& supports, bool every) {
    const auto counts = [&](std::int64_t rank) { return every || supports.in_triangle[rank]; };
    LowerSide lower;
    if (!every && !std::memchr(supports.in_triangle.get(), 1, ranked.num_nodes)) return lower;
    lower.lists = make_buffer<LowerSide::List>(ranked.num_nodes);
    const std::int64_t capacity = lay_out_lists(job, graph, ranked, counts, lower);
    lower.support = make_buffer<std::int32_t>(capacity);
    if (every) lower.neighbor = make_buffer<std::int32_t>(capacity);
    const auto put = [&](const UpperEnd& end) {
        LowerSide::List& list = lower.lists[end.high];
        const std::int64_t position = list.begin + list.size++;
        lower.support[position] = end.support;
        if (every) lower.neighbor[position] = end.low;
    };
    const auto for_ends = [&](std::int64_t block, auto work) {
        for_ranks(ranked, block, [&](std::int64_t rank) {
            if (!counts(rank)) return;
            for (std::int64_t edge = ranked.begin[rank]; edge < ranked.begin[rank + 1]; ++edge) {
                if (job.threads == 1 && edge + 16 < ranked.num_edges)
                    __builtin_prefetch(&lower.lists[ranked.higher[edge + 16]]);
                if (every || supports.support[edge])
                    work(UpperEnd{ranked.higher[edge], supports.support[edge], static_cast<std::int32_t>(rank)});
            }
        });
    };
    if (job.threads == 1) {
        for (std::int64_t block = 0; block < ranked.num_blocks(); ++block) for_ends(block, put);
        return lower;
    }
    // Hubs are at the upper end of edges of every block. So each worker sorts its ends into buckets first, of ranks with
    // about equal capacity, and then each bucket is put into the lists by one worker. The order inside a list depends on the
    // threads; its sum over keys does not.
    const std::int64_t num_buckets = std::min<std::int64_t>(4 * job.threads, 256);
    const Buffer<std::uint8_t> bucket_of = make_buffer<std::uint8_t>(ranked.num_nodes);
    for_nodes(job, ranked.num_nodes, [&](std::int32_t rank) {
        if (counts(rank))
            bucket_of[rank] = static_cast<std::uint8_t>(lower.lists[rank].begin * num_buckets / (capacity + 1));
    });
    std::vector<std::vector<UpperEnd>> buckets(job.threads * num_buckets);
    run_blocks(job, ranked.num_blocks(), [&](int worker) {
        std::vector<UpperEnd>* own = &buckets[worker * num_buckets];
        for (std::int64_t bucket = 0; bucket < num_buckets; ++bucket)
            own[bucket].reserve(2 * capacity / std::ssize(buckets) + 8);
        return [&, own](std::int64_t block) {
            for_ends(block, [&](const UpperEnd& end) { own[bucket_of[end.high]].push_back(end); });
        };
    });
    for_ranges(job, num_buckets, 1, [&](std::int64_t bucket, std::int64_t) {
        for (std::int64_t i = bucket; i < std::ssize(buckets); i += num_buckets)
            for (const UpperEnd& end : buckets[i]) put(end);
    });
    return lower;
}

}  // namespace egonet
