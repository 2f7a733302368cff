// The bit-parallel search, written once and compiled for each instruction set as EGONET_LEVEL.
//
// Every node has one bit a root ("lane"). A search step combines the lanes of neighbors with OR, so one pass over the
// arcs searches from 512 roots. To know how many neighbors of a node lie in the ego-network of each root, the lanes of its
// neighbors are added lane by lane: the sums are kept as bit slices (slice j holds bit j of all 512 sums), and a
// vector is added to them as binary numbers are added; a full adder reduces three vectors to two.
#include "bitwise/bitwise_lanes.hpp"
#include "bitwise/bitwise_pass.hpp"
#include "bitwise/bitwise_sums.hpp"

namespace egonet::EGONET_LEVEL {

namespace {

template <bool direct>
EGONET_INLINE std::int32_t find_slot(Slots& slots, std::int64_t code) {
    if (direct) {
        const std::int32_t slot = slots.slot_of[code];
        return __builtin_expect(slot < 0, 0) ? add_slot(slots, code) : slot;
    }
    std::int64_t place = static_cast<std::int64_t>(hash_code(code)) & slots.hash_mask;
    for (;; place = (place + 1) & slots.hash_mask) {
        const std::int32_t slot = slots.slot_of[place];
        if (slot < 0) return add_slot(slots, code);
        if (slots.code_of[slot] == code) return slot;
    }
}

// Adds one to the slot's count of every lane of the word.
EGONET_INLINE void add_lanes(Slots& slots, std::int32_t slot, const Word& lanes) {
    const int num_words = slots.lanes / 64;
    std::uint32_t* counts = slots.counts + static_cast<std::int64_t>(slot) * slots.lanes;
    if (count_lanes(lanes) < 16) {
        for_lanes(lanes, [&](int lane) { ++counts[lane]; });
        return;
    }
#if defined(__AVX512F__)
    for (int word = 0; word < num_words; ++word)
        for (int part = 0; part < 4; ++part) {
            std::uint32_t* place = counts + word * 64 + part * 16;
            const __mmask16 mask = static_cast<__mmask16>(lanes_from(lanes, word) >> (16 * part));
            const __m512i old = _mm512_load_si512(place);
            _mm512_store_si512(place, _mm512_mask_add_epi32(old, mask, old, _mm512_set1_epi32(1)));
        }
#else
    for (int word = 0; word < num_words; ++word) {
        const std::uint64_t bits = lanes_from(lanes, word);
        for (int bit = 0; bit < 64; ++bit) counts[word * 64 + bit] += bits >> bit & 1;
    }
#endif
}

EGONET_INLINE std::int64_t clip(std::int64_t degree, const KeyShape& shape) {
    return degree < shape.limit ? degree : shape.limit;
}

EGONET_INLINE std::int64_t label_of(const KeyShape& shape, std::int32_t node) {
    return shape.labels ? shape.labels[node] : 0;
}

// The code of a node from the numbers of its neighbors inside, and of those at its own distance.
template <int degrees>
EGONET_INLINE std::int64_t make_code(const KeyShape& shape, std::int64_t distance, std::int64_t inside,
                                     std::int64_t same, std::int64_t counted_same, std::int64_t farther,
                                     std::int64_t label) {
    std::int64_t code = distance * shape.degree_base;
    if (degrees == 0) {
        code += clip(inside - same + counted_same + farther, shape);
    } else {
        if (degrees == 2) code = (code + clip(inside - same, shape)) * shape.degree_base;
        code = (code + clip(counted_same, shape)) * shape.degree_base + clip(farther, shape);
    }
    return code * shape.label_base + label;
}

EGONET_INLINE bool is_cancelled(const Pass& pass) { return __atomic_load_n(pass.cancelled, __ATOMIC_RELAXED); }

// The word of an arc's end, and a wish for one that will be needed soon. Where the nodes are visited in their order
// the arcs behind the last of a node are those of the next, so looking ahead need not stop there.
EGONET_INLINE const Word& word_of(const Pass& pass, Lanes* lanes, std::int64_t arc) {
    constexpr std::int64_t distance = 24;
    const std::int64_t ahead = arc + distance < pass.num_arcs ? arc + distance : pass.num_arcs - 1;
    __builtin_prefetch(lanes + pass.indices[ahead]);
    return word_at(lanes, pass.indices[arc]);
}

// Everything a ring node adds to the tallies when all of its neighbors are inside: one key for all lanes.
template <bool direct>
EGONET_INLINE void tally_inner(Pass& pass, std::int32_t node, std::int64_t distance, const Word& lanes) {
    const std::int64_t degree = pass.rows[node].degree, label = label_of(pass.shape, node);
    // At distance 0 all neighbors are farther, whatever the kind of degrees.
    const std::int64_t code = pass.shape.degrees == 0   ? make_code<0>(pass.shape, distance, 0, 0, 0, degree, label)
                              : pass.shape.degrees == 1 ? make_code<1>(pass.shape, distance, 0, 0, 0, degree, label)
                                                        : make_code<2>(pass.shape, distance, 0, 0, 0, degree, label);
    add_lanes(pass.slots, find_slot<direct>(pass.slots, code), lanes);
}

// Tallies one node of the frontier of layered or full degrees, or of the last ring without frontier edges.
template <bool direct, int degrees>
EGONET_INLINE void tally_layers(Pass& pass, std::int32_t node, std::int64_t distance) {
    const Row row = pass.rows[node];
    const bool last = distance == pass.radius;
    Sums inside, same;
    add_words(inside, row.degree,
              [&](std::int32_t k) -> const Word& { return word_of(pass, pass.seen, row.begin + k); });
    add_words(same, row.degree,
              [&](std::int32_t k) -> const Word& { return word_of(pass, pass.front, row.begin + k); });
    const Word lanes = word_at(pass.front, node);
    const std::int64_t label = label_of(pass.shape, node);
    const std::int64_t num_used = pass.slots.lanes;  // a copy: writing to counts might change the field
    for (int part = 0; part < num_used / Values::width; ++part) {
        std::uint32_t bits = lanes_of_part(lanes, part);
        if (!bits) continue;
        const Values num_inside = Values::of(inside, part), num_same = Values::of(same, part);
        for (; bits; bits &= bits - 1) {
            const int i = __builtin_ctz(bits);
            const std::int64_t counted = last && !pass.frontier_edges ? 0 : num_same[i];
            const std::int64_t farther = last ? 0 : row.degree - std::int64_t{num_inside[i]};
            const std::int64_t code =
                make_code<degrees>(pass.shape, distance, num_inside[i], num_same[i], counted, farther, label);
            const std::int64_t slot = find_slot<direct>(pass.slots, code);  // may move the counts
            ++pass.slots.counts[slot * num_used + part * Values::width + i];
        }
    }
}

// Tallies one node of the last ring of total degrees: how many of its neighbors each lane has seen.
template <bool direct>
EGONET_INLINE void tally_ring(Pass& pass, std::int32_t node) {
    const Row row = pass.rows[node];
    const KeyShape& shape = pass.shape;
    const std::int64_t label = label_of(shape, node), base = pass.radius * shape.degree_base;
    const auto slot = [&](std::int64_t degree) {
        return find_slot<direct>(pass.slots, (base + clip(degree, shape)) * shape.label_base + label);
    };
    Word lanes = word_at(pass.front, node);
    if (row.degree == 1 && pass.symmetric) return add_lanes(pass.slots, slot(1), lanes);
    Sums sums;
    add_words(sums, row.degree, [&](std::int32_t k) -> const Word& { return word_of(pass, pass.seen, row.begin + k); });
    int left = count_lanes(lanes);
    if (left >= 24) {
        // If balls overlap, most lanes have seen every neighbor: all lanes are tested together.
        const Word full = lanes_with(sums, lanes, row.degree);
        const int num_full = count_lanes(full);
        if (num_full >= 16) {
            add_lanes(pass.slots, slot(row.degree), full);
            lanes &= ~full;
            left -= num_full;
        }
        if (row.degree <= 4 && left >= 16) {
            for (std::int32_t degree = 0; degree <= row.degree; ++degree) {
                const Word equal = lanes_with(sums, lanes, degree);
                if (any(equal)) add_lanes(pass.slots, slot(degree), equal);
            }
            return;
        }
    }
    if (!left) return;
    const std::int64_t num_used = pass.slots.lanes;  // a copy: writing to counts might change the field
    for (int part = 0; part < num_used / Values::width; ++part) {
        std::uint32_t bits = lanes_of_part(lanes, part);
        if (!bits) continue;
        const Values values = Values::of(sums, part);
        for (; bits; bits &= bits - 1) {
            const int i = __builtin_ctz(bits);
            const std::int64_t found = slot(values[i]);  // may move the counts
            ++pass.slots.counts[found * num_used + part * Values::width + i];
        }
    }
}

// Puts the lanes that reach a node for the first time into seen, front and the frontier.
EGONET_INLINE void arrive(Pass& pass, std::int32_t node, const Word& reached, Lanes* front) {
    const Word seen = word_at(pass.seen, node);
    const Word fresh = reached & ~seen;
    word_at(front, node) = fresh;
    if (!any(fresh)) return;
    if (!pass.dense && !any(seen)) pass.touched[pass.num_touched++] = node;
    word_at(pass.seen, node) = seen | fresh;
    pass.frontier[pass.frontier_size++] = node;
}

// One step along the arcs of the frontier. Afterwards front is zero outside the new frontier.
void push(Pass& pass) {
    std::int64_t num_candidates = 0;
    for (std::int64_t i = 0; i < pass.frontier_size; ++i) {
        const std::int32_t node = pass.frontier[i];
        const Row row = pass.rows[node];
        const Word lanes = word_at(pass.front, node);
        for (std::int32_t k = 0; k < row.degree; ++k) {
            const std::int32_t w = pass.indices[row.begin + k];
            if (k + 12 < row.degree) __builtin_prefetch(pass.next + pass.indices[row.begin + k + 12], 1);
            if (pass.queued[w]) {
                word_at(pass.next, w) |= lanes;
            } else {
                pass.queued[w] = 1;
                pass.candidates[num_candidates++] = w;
                word_at(pass.next, w) = lanes;
            }
        }
    }
    for (std::int64_t i = 0; i < pass.frontier_size; ++i) word_at(pass.front, pass.frontier[i]) = Word{};
    pass.frontier_size = 0;
    for (std::int64_t i = 0; i < num_candidates; ++i) {
        const std::int32_t w = pass.candidates[i];
        pass.queued[w] = 0;
        arrive(pass, w, word_at(pass.next, w), pass.front);
    }
}

// One step from the other side: every node looks whether a neighbor is in the frontier. Needs both directions.
void pull(Pass& pass) {
    pass.dense = true;
    pass.frontier_size = 0;
    for (std::int64_t v = 0; v < pass.num_nodes; ++v) {
        const Row row = pass.rows[v];
        Word reached{};
        for (std::int32_t k = 0; k < row.degree; ++k) reached |= word_of(pass, pass.front, row.begin + k);
        arrive(pass, static_cast<std::int32_t>(v), reached, pass.next);
    }
    Lanes* const front = pass.front;
    pass.front = pass.next;
    pass.next = front;
}

// Lists the frontier in the order of the nodes, which is kinder to the memory.
void sort_frontier(Pass& pass) {
    std::int64_t size = 0;
    for (std::int64_t v = 0; v < pass.num_nodes; ++v)
        if (any(word_at(pass.front, v))) pass.frontier[size++] = static_cast<std::int32_t>(v);
}

template <bool direct>
bool levels(Pass& pass, const std::int32_t* roots, int count) {
    pass.frontier_size = pass.num_touched = 0;
    pass.dense = false;
    for (int lane = 0; lane < count; ++lane) {
        const std::int32_t root = roots[lane];
        if (!any(word_at(pass.seen, root))) {
            pass.touched[pass.num_touched++] = root;
            pass.frontier[pass.frontier_size++] = root;
        }
        pass.seen[root].word[lane >> 6] |= std::uint64_t{1} << (lane & 63);
        word_at(pass.front, root) = word_at(pass.seen, root);
    }
    for (std::int64_t i = 0; i < pass.frontier_size; ++i)
        tally_inner<direct>(pass, pass.frontier[i], 0, word_at(pass.front, pass.frontier[i]));
    // After each step the frontier is the ring at `distance` of every lane, and all nearer rings are tallied.
    for (std::int64_t distance = 1; distance <= pass.radius; ++distance) {
        std::int64_t arcs = 0;
        for (std::int64_t i = 0; i < pass.frontier_size; ++i) arcs += pass.rows[pass.frontier[i]].degree;
        if (pass.symmetric && (pass.dense || 2 * arcs >= pass.num_arcs)) pull(pass);
        else push(pass);
        if (!pass.frontier_size || pass.slots.overflow || is_cancelled(pass)) return false;
        if (distance == pass.radius) break;
        for (std::int64_t i = 0; i < pass.frontier_size; ++i) {
            const std::int32_t node = pass.frontier[i];
            if (pass.shape.degrees == 0) tally_inner<direct>(pass, node, distance, word_at(pass.front, node));
            else if (pass.shape.degrees == 1) tally_layers<direct, 1>(pass, node, distance);
            else tally_layers<direct, 2>(pass, node, distance);
        }
    }
    if (pass.radius == 0) return false;
    if (!pass.dense && pass.frontier_size * 8 > pass.num_nodes) sort_frontier(pass);
    pass.ring_pairs = pass.ring_arcs = 0;
    for (std::int64_t i = 0; i < pass.frontier_size; ++i) {
        pass.ring_pairs += count_lanes(word_at(pass.front, pass.frontier[i]));
        pass.ring_arcs += pass.rows[pass.frontier[i]].degree;
    }
    return true;
}

template <bool direct>
void last_ring(Pass& pass) {
    for (std::int64_t i = 0; i < pass.frontier_size; ++i) {
        if ((i & 255) == 0 && (is_cancelled(pass) || pass.slots.overflow)) return;
        const std::int32_t node = pass.frontier[i];
        if (pass.shape.degrees == 1) tally_layers<direct, 1>(pass, node, pass.radius);
        else if (pass.shape.degrees == 2) tally_layers<direct, 2>(pass, node, pass.radius);
        else if (pass.frontier_edges) tally_ring<direct>(pass, node);
        else tally_layers<direct, 0>(pass, node, pass.radius);
    }
}

bool levels_of(Pass& pass, const std::int32_t* roots, int count) {
    return pass.slots.hash_mask ? levels<false>(pass, roots, count) : levels<true>(pass, roots, count);
}

void last_ring_of(Pass& pass) { pass.slots.hash_mask ? last_ring<false>(pass) : last_ring<true>(pass); }

void clear(Pass& pass) {
    if (pass.dense) {
        for (std::int64_t v = 0; v < pass.num_nodes; ++v) word_at(pass.seen, v) = word_at(pass.front, v) = Word{};
        return;
    }
    for (std::int64_t i = 0; i < pass.num_touched; ++i) word_at(pass.seen, pass.touched[i]) = Word{};
    for (std::int64_t i = 0; i < pass.frontier_size; ++i) word_at(pass.front, pass.frontier[i]) = Word{};
}

void lengths(const Slots& slots, const std::int32_t* which, int num_slots, std::int64_t* length) {
    const int num_used = slots.lanes;
    std::uint32_t sum[num_lanes] __attribute__((aligned(64))) = {};
    for (int i = 0; i < num_slots; ++i) {
        const std::uint32_t* counts = slots.counts + static_cast<std::int64_t>(which[i]) * num_used;
        for (int lane = 0; lane < num_used; ++lane) sum[lane] += counts[lane] != 0;
    }
    for (int lane = 0; lane < num_used; ++lane) length[lane] = sum[lane];
}

void emit(Slots& slots, const std::int32_t* which, const std::int32_t* columns, int num_slots, Entry** place) {
    const int num_used = slots.lanes;
    for (int i = 0; i < num_slots; ++i) {
        std::uint32_t* counts = slots.counts + static_cast<std::int64_t>(which[i]) * num_used;
        for (int first = 0; first < num_used; first += 16) {
            std::uint32_t live = 0;
#if defined(__AVX512F__)
            const __m512i some = _mm512_load_si512(counts + first);
            live = _mm512_test_epi32_mask(some, some);
#else
            for (int lane = 0; lane < 16; ++lane) live |= static_cast<std::uint32_t>(counts[first + lane] != 0) << lane;
#endif
            for (; live; live &= live - 1) {
                const int lane = first + __builtin_ctz(live);
                *place[lane]++ = {columns[i], static_cast<std::int32_t>(counts[lane])};
            }
        }
        for (int lane = 0; lane < num_used; ++lane) counts[lane] = 0;
    }
}

}  // namespace

extern const PassSteps steps = {levels_of, last_ring_of, clear, lengths, emit};

}  // namespace egonet::EGONET_LEVEL
