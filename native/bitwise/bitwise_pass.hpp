// What the bit-parallel code works on: plain pointers, so that it can be compiled several times side by side.
//
// A translation unit that is compiled for AVX-512 must not define inline functions that another one also defines,
// or the linker might keep the AVX-512 copy for all processors. So there are no standard containers or algorithms here: this
// header and bitwise_kernel.hpp hold plain data and functions in one namespace per instruction set.
#pragma once

#include <cstdint>

#include "core/entry.hpp"

namespace egonet {

// One bit a root: a pass searches from this many roots at once.
constexpr int num_lanes = 512;
struct alignas(64) Lanes {
    std::uint64_t word[num_lanes / 64];
};

// How keys become codes; see KeyCodec.
struct KeyShape {
    std::int64_t limit, degree_base, label_base;
    const std::int32_t* labels;  // by node, or null
    int degrees;                 // as enum Degrees
};

// Counts by code and lane. A code gets a slot of `lanes` counters when it is first met in a pass.
struct Slots {
    std::int32_t* slot_of;   // by code if direct, else by place in the hash table; -1: none
    std::int64_t hash_mask;  // 0: direct
    std::int64_t* code_of;   // by slot
    std::uint32_t* counts;   // slot * lanes + lane
    std::int32_t lanes;  // those that passes use: a multiple of 64, so that the counts of narrow passes stay together
    std::int32_t size, capacity, most;
    std::int32_t num_cleared;  // the counts of this many slots are zero or in use, those of others not initialized
    bool overflow;             // a slot was needed beyond `most`; the pass is discarded
};

// Gives `code` a slot (slot 0, and overflow, if all slots are taken). Compiled once, for every processor.
std::int32_t add_slot(Slots& slots, std::int64_t code);

inline std::uint64_t hash_code(std::int64_t code) __attribute__((always_inline));
inline std::uint64_t hash_code(std::int64_t code) {
    const std::uint64_t mixed = static_cast<std::uint64_t>(code) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
}

struct Pass {
    const Row* rows;
    const std::int32_t* indices;
    std::int64_t num_nodes, num_arcs;
    std::int64_t radius;
    bool frontier_edges, symmetric;
    KeyShape shape;
    Slots slots;

    // Scratch of num_nodes each. Between passes seen and front are zero and queued is false.
    Lanes* seen;   // the lanes whose search has met the node
    Lanes* front;  // those that met it at the current distance
    Lanes* next;   // dirty
    std::uint8_t* queued;
    std::int32_t* frontier;    // the nodes with front != 0
    std::int32_t* candidates;  // dirty
    std::int32_t* touched;     // the nodes with seen != 0, unless `dense`
    std::int64_t frontier_size, num_touched;
    bool dense;  // pulling from all nodes has started

    const bool* cancelled;  // set by another thread

    // Statistics of the last ring, after the level phase.
    std::int64_t ring_pairs;  // (node, lane) pairs
    std::int64_t ring_arcs;   // arcs of its nodes
};

// The steps of a pass, compiled for one instruction set.
struct PassSteps {
    // Searches from roots[0 ... count - 1], lane by lane, and tallies every key but those of the last ring (of
    // total degrees; of layered and full ones that of every ring). Leaves the last ring as the frontier; false if
    // every search ended before it.
    bool (*levels)(Pass&, const std::int32_t* roots, int count);
    // Tallies the last ring.
    void (*last_ring)(Pass&);
    // Makes the pass's scratch ready for the next one; leaves the slots.
    void (*clear)(Pass&);
    // For each lane, in how many of the given slots it has a count.
    void (*lengths)(const Slots&, const std::int32_t* slots, int num_slots, std::int64_t* length);
    // Writes (columns[i], count) of slots[i] to *place[lane]++ for every lane that has one, and empties the slots.
    void (*emit)(Slots&, const std::int32_t* slots, const std::int32_t* columns, int num_slots, Entry** place);
};

namespace baseline {
extern const PassSteps steps;
}
#if defined(EGONET_X86)
namespace avx2 {
extern const PassSteps steps;
}
namespace avx512 {
extern const PassSteps steps;
}
#endif

}  // namespace egonet
