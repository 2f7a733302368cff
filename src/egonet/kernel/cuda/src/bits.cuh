// Sets of balls with a bit for every root, shared by the bitwise kernels.
//
// Layout. Nodes are renumbered by increasing degree, without isolated nodes; `row_ptr` (num_nodes + 1) and `heads`
// (num_arcs, increasing per row) are the renumbered graph. Roots come in groups of 256 * LANE_WORDS. For every group
// a set of balls is num_nodes rows of 8 * LANE_WORDS u32: bit i of row w is set if w is in the ball of root i. Eight
// lanes share a row, LANE_WORDS consecutive u32 each, so that a warp reads four rows at a time. Two bit maps per set,
// a bit per node, mark rows that are not all zero (`some`) and rows that are all one (`full`); rows that are all zero
// or all one are never loaded. Bits past the last root are one in every row of every set, so that they are in no
// ring. Rows are in the order of their degrees: up to `num_low` four share a warp, up to `num_hub` each has a warp,
// the largest have a block each.
// Invariant: sets are monotone, the set of radius d - 1 is contained in that of radius d. LANE_WORDS 2 loads 64 bytes
// per row, twice as fast as 32.
#define LANE_WORDS 2
struct Row {
    u32 word[LANE_WORDS];
};
__device__ __forceinline__ Row load_row(const u32* set, int row, int lane8) {
    uint2 pair = __ldcg((const uint2*)(set + (size_t)(u32)row * (8 * LANE_WORDS) + lane8 * LANE_WORDS));
    return {{pair.x, pair.y}};
}
__device__ __forceinline__ void store_row(u32* set, int row, int lane8, const Row& value) {
    u32* to = set + (size_t)(u32)row * (8 * LANE_WORDS) + lane8 * LANE_WORDS;
#pragma unroll
    for (int j = 0; j < LANE_WORDS; j++) to[j] = value.word[j];
}
__device__ __forceinline__ bool bit_of(const u32* map, int index) { return (map[index >> 5] >> (index & 31)) & 1; }
__device__ __forceinline__ void copy_map(u32* to, const u32* from, int num_words) {
    for (int i = threadIdx.x; i < num_words; i += blockDim.x) to[i] = from[i];
}

// Marks the row of eight lanes in the bit maps; every lane of the warp takes part.
__device__ __forceinline__ void note_row(int row, bool valid, const Row& value, u32* some, u32* full) {
    u32 any = 0, all = ALL_LANES;
#pragma unroll
    for (int j = 0; j < LANE_WORDS; j++) any |= value.word[j], all &= value.word[j];
    int shift = threadIdx.x & 24;
    u32 nonzero = (__ballot_sync(ALL_LANES, any != 0) >> shift) & 0xff;
    u32 ones = (__ballot_sync(ALL_LANES, all == ALL_LANES) >> shift) & 0xff;
    if (!valid || (threadIdx.x & 7)) return;
    if (nonzero) atomicOr(&some[row >> 5], 1u << (row & 31));
    if (ones == 0xff) atomicOr(&full[row >> 5], 1u << (row & 31));
}

// Adds 8 rows to the counters 1, 2 and 4; returns the carry into 8.
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
