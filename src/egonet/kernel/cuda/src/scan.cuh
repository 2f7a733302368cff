// Sums over everything that came before, in one pass: what prefix sums and the listing of outward arcs share.
//
// A block owns a tile of 2048 items, publishes its sum in `state[tile]`, and adds up its predecessors' until it meets
// one whose whole prefix is known. Tiles are handed out by `ticket` in rising order, so a block waits only for blocks
// that already run. `state` and `ticket` are zero at the start.
// Invariant: state[t] holds 0 (nothing), SUM | sum of tile t, or PREFIX | sum of tiles 0 ... t.
#define TILE_ITEMS 8
#define SUM_FLAG (1ull << 62)
#define PREFIX_FLAG (2ull << 62)
#define VALUE_MASK (SUM_FLAG - 1)

__device__ i64 sum_before_tile(volatile u64* state, int tile, i64 sum, int lane) {
    if (tile == 0) {
        if (lane == 0) state[0] = PREFIX_FLAG | (u64)sum;
        return 0;
    }
    if (lane == 0) state[tile] = SUM_FLAG | (u64)sum;
    i64 before = 0;
    // Before each step `before` is the sum of tiles last + 1 ... tile - 1.
    for (int last = tile - 1;; last -= 32) {
        int mine = last - lane;
        u64 word = mine >= 0 ? state[mine] : PREFIX_FLAG;
        while (__any_sync(ALL_LANES, word < SUM_FLAG)) word = mine >= 0 ? state[mine] : PREFIX_FLAG;
        u32 known = __ballot_sync(ALL_LANES, word >= PREFIX_FLAG);
        int stop = known ? __ffs(known) - 1 : 31;
        i64 value = lane <= stop ? (i64)(word & VALUE_MASK) : 0;
        for (int step = 16; step; step >>= 1) value += __shfl_xor_sync(ALL_LANES, value, step);
        before += value;
        if (known) break;
    }
    if (lane == 0) state[tile] = PREFIX_FLAG | (u64)(before + sum);
    return before;
}

// What stands before this thread's sum in its block, and in `total` the sum of the block; `before` the sum of all tiles
// before this one. Every thread of 256 takes part.
__device__ __forceinline__ int sum_before_thread(int sum, u64* state, int tile, int& total, i64& before) {
    __shared__ int warp_sums[8], shared_total;
    __shared__ i64 shared_before;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, scan = inclusive_sum(sum, lane);
    if (lane == 31) warp_sums[warp] = scan;
    __syncthreads();
    if (warp == 0) {
        int mine = lane < 8 ? warp_sums[lane] : 0, all = inclusive_sum(mine, lane);
        if (lane < 8) warp_sums[lane] = all - mine;
        all = __shfl_sync(ALL_LANES, all, 31);
        i64 earlier = sum_before_tile(state, tile, all, lane);
        if (lane == 0) shared_before = earlier, shared_total = all;
    }
    __syncthreads();
    total = shared_total, before = shared_before;
    return warp_sums[warp] + scan - sum;
}
// The next tile in rising order, for the whole block.
__device__ __forceinline__ int take_tile(u32* ticket) {
    __shared__ int shared_tile;
    if (threadIdx.x == 0) shared_tile = (int)atomicAdd(ticket, 1u);
    __syncthreads();
    return shared_tile;
}
