// Prefix sums in one pass, shared by `rows.cu` and `orient.cu`.
//
// A block owns a tile of 2048 items, publishes its sum in `state[tile]`, and adds the sums of earlier tiles until it
// reaches one whose prefix is known. `ticket` hands out tiles in increasing order, so a block waits only for blocks
// that already run. `state` and `ticket` are zero at the start.
// Invariant: state[t] is 0 (unknown), SUM | sum of tile t, or PREFIX | sum of tiles 0 ... t.
#define TILE_ITEMS 8
#define SUM_FLAG (1ull << 62)
#define PREFIX_FLAG (2ull << 62)
#define VALUE_MASK (SUM_FLAG - 1)

// Eight items in one access: arrays start at multiples of 256 bytes, threads at multiples of eight items.
template <class T>
struct __align__(sizeof(T) < 2 ? 8 : 16) Eight {
    T item[TILE_ITEMS];
};

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

// Returns the sum of the earlier threads of the block. total: the sum of the block; before: the sum of earlier tiles.
// All 256 threads take part.
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
// The next tile, for the whole block.
__device__ __forceinline__ int take_tile(u32* ticket) {
    __shared__ int shared_tile;
    if (threadIdx.x == 0) shared_tile = (int)atomicAdd(ticket, 1u);
    __syncthreads();
    return shared_tile;
}
