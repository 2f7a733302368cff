// Sets of balls, a bit for every root: what the bitwise kernels share.
//
// Layout. Nodes are renumbered by rising degree, those without neighbors left out; `row_ptr` (num_nodes + 1) and
// `heads` (num_arcs, rising per row) are the graph so renumbered. Roots come in groups of 256 * WORDS. For every
// group a set of balls is num_nodes rows of 8 * WORDS words: bit i of row w says that w is in the ball of root i.
// Eight lanes share a row, each holds WORDS words next to each other, so that a warp reads four rows at a time. Two
// bit maps per set, a bit per node, tell rows that are all zero (`some` unset) or all one (`full` set): they are
// never fetched. Bits beyond the last root are one in every row of every set, so that they are in no ring.
// Rows in the order of their degrees: up to `num_low` they go four to a warp, up to `num_hub` one to a warp, and the
// largest one to a block.
// Invariant: sets are monotone, the set of radius d - 1 within that of radius d.
// Words of a row that a lane holds: 2 fetches 64 bytes at a time, which the cache serves twice as fast as 32.
#define WORDS 2
struct Row {
    u32 word[WORDS];
};
__device__ __forceinline__ Row load_row(const u32* set, int row, int lane8) {
    uint2 pair = __ldcg((const uint2*)(set + (size_t)(u32)row * (8 * WORDS) + lane8 * WORDS));
    return {{pair.x, pair.y}};
}
__device__ __forceinline__ void store_row(u32* set, int row, int lane8, const Row& value) {
    u32* to = set + (size_t)(u32)row * (8 * WORDS) + lane8 * WORDS;
#pragma unroll
    for (int j = 0; j < WORDS; j++) to[j] = value.word[j];
}
__device__ __forceinline__ bool bit_of(const u32* map, int index) { return (map[index >> 5] >> (index & 31)) & 1; }
__device__ __forceinline__ void copy_map(u32* to, const u32* from, int words) {
    for (int i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}

// Notes in the bit maps whether the row that eight lanes hold is some or full; every lane of the warp takes part.
__device__ __forceinline__ void note_row(int row, bool valid, const Row& value, u32* some, u32* full) {
    u32 any = 0, all = ALL_LANES;
#pragma unroll
    for (int j = 0; j < WORDS; j++) any |= value.word[j], all &= value.word[j];
    int shift = threadIdx.x & 24;
    u32 nonzero = (__ballot_sync(ALL_LANES, any != 0) >> shift) & 0xff;
    u32 ones = (__ballot_sync(ALL_LANES, all == ALL_LANES) >> shift) & 0xff;
    if (!valid || (threadIdx.x & 7)) return;
    if (nonzero) atomicOr(&some[row >> 5], 1u << (row & 31));
    if (ones == 0xff) atomicOr(&full[row >> 5], 1u << (row & 31));
}

// Adds 8 rows to the counters 1, 2 and 4; returns what carries into 8.
__device__ __forceinline__ u32 majority(u32 a, u32 b, u32 c) { return (a & b) | (c & (a | b)); }
__device__ __forceinline__ u32 add_two(u32& low, u32 a, u32 b) {
    u32 carry = majority(low, a, b);
    low ^= a ^ b;
    return carry;
}
__device__ __forceinline__ u32 add_eight(const u32* rows, u32& one, u32& two, u32& four) {
    u32 a = add_two(one, rows[0], rows[1]), b = add_two(one, rows[2], rows[3]), c = add_two(two, a, b);
    a = add_two(one, rows[4], rows[5]), b = add_two(one, rows[6], rows[7]);
    return add_two(four, c, add_two(two, a, b));
}
