// Orientation of edges from the lower to the higher end by (degree, number): each edge occurs once, and no list of
// out-neighbors is longer than sqrt(2 * num_edges).
//
// Layout. An arc is outward if it points to the higher end. `out_to` (num_edges) has the heads of outward arcs,
// `out_from` their tails, `outs` (num_nodes) begin and end of each node's list (unset for nodes without neighbors),
// `tail` the tail of every arc, and `in_to` the heads of the other arcs; those of v begin at row_ptr[v] - outs[v].x.
// Invariant: heads keep their order; a thread owns eight consecutive arcs.
__device__ __forceinline__ int row_of(int arc, const int* row_ptr, int low, int high) {
    // The row is in low ... high: the last that starts at or before the arc.
    while (low < high) {
        int middle = (low + high + 1) >> 1;
        if (row_ptr[middle] <= arc) low = middle;
        else high = middle - 1;
    }
    return low;
}
// The rows of the first and the last arc of a block; the rows of its other arcs are between them.
__device__ __forceinline__ int2 block_rows(int first, int count, int num_nodes, int num_arcs, const int* row_ptr) {
    __shared__ int ends[2];
    int last = min(num_arcs, first + count) - 1;
    if (threadIdx.x < 2) ends[threadIdx.x] = row_of(threadIdx.x ? last : first, row_ptr, 0, num_nodes - 1);
    __syncthreads();
    return make_int2(ends[0], ends[1]);
}
extern "C" {
// Arcs as numbers to sort: rank of the tail << shift | rank of the head.
#define RANK_ARCS(name, Arc)                                                                             \
    __global__ void name(int num_nodes, int num_arcs, int shift, const int* row_ptr, const int* indices, \
                         const int* rank, Arc* arcs) {                                                   \
        int first = blockIdx.x * 256, k = first + threadIdx.x;                                           \
        int2 rows = block_rows(first, 256, num_nodes, num_arcs, row_ptr);                                \
        if (k >= num_arcs) return;                                                                       \
        arcs[k] = (Arc)rank[row_of(k, row_ptr, rows.x, rows.y)] << shift | (u32)rank[indices[k]];        \
    }
RANK_ARCS(rank_arcs, u64)
RANK_ARCS(rank_arcs_narrow, u32)

// Fills all lists in one pass over tiles of 2048 arcs (`scan.cuh`). A further launch continues at the ticket, so arcs
// may arrive in slices. kept: the heads of the outward arcs of a tile, then the heads of the others.
__global__ void __launch_bounds__(256)
    split_arcs(int num_nodes, int num_arcs, const int* row_ptr, const int* indices, int2* outs, int* out_to, u64* state,
               u32* ticket, int* tail, int* out_from, int* in_to) {
    __shared__ int kept[256 * TILE_ITEMS], kept_from[256 * TILE_ITEMS];
    int tile = take_tile(ticket), first = tile * (256 * TILE_ITEMS), begin = first + threadIdx.x * TILE_ITEMS;
    int2 rows = block_rows(first, 256 * TILE_ITEMS, num_nodes, num_arcs, row_ptr);
    int heads[TILE_ITEMS], u = begin < num_arcs ? row_of(begin, row_ptr, rows.x, rows.y) : 0, row = u, total;
    u32 outward = 0;
    Eight<int> tails;
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) heads[j] = begin + j < num_arcs ? indices[begin + j] : -1;
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
        if (heads[j] < 0) continue;
        while (row_ptr[row + 1] <= begin + j) row++;
        int v = heads[j], du = row_ptr[row + 1] - row_ptr[row], dv = row_ptr[v + 1] - row_ptr[v];
        if (dv > du || (dv == du && v > row)) outward |= 1u << j;
        tails.item[j] = row;
    }
    if (begin + TILE_ITEMS <= num_arcs) {
        *(Eight<int>*)(tail + begin) = tails;
    } else {
#pragma unroll
        for (int j = 0; j < TILE_ITEMS; j++)
            if (heads[j] >= 0) tail[begin + j] = tails.item[j];
    }
    i64 before;
    int position = sum_before_thread(__popc(outward), state, tile, total, before);
    // Before each step `position` is the number of outward arcs of this tile before arc begin + j.
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
        if (heads[j] < 0) continue;
        while (row_ptr[u + 1] <= begin + j) u++;
        if (row_ptr[u] == begin + j) outs[u].x = (int)before + position;
        if (outward >> j & 1) {
            kept_from[position] = u;
            kept[position++] = heads[j];
        } else {
            kept[total + begin + j - first - position] = heads[j];
        }
        if (row_ptr[u + 1] == begin + j + 1) outs[u].y = (int)before + position;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < total; i += 256) {
        out_to[before + i] = kept[i];
        out_from[before + i] = kept_from[i];
    }
    int others = min(256 * TILE_ITEMS, num_arcs - first) - total;
    for (int i = threadIdx.x; i < others; i += 256) in_to[first - before + i] = kept[total + i];
}
// Nodes with two out-neighbors or more go into one list per kind: kind 0 at owners, the others after it, `stride`
// apart; num_owners[kind] is zero at the start. Kinds: 0 for out-lists of up to 32; 1 to 4 up to `medium`, by degrees
// from `heavy` on (processed from 4 down, so that long work does not start last); 5 up to `large`; 6 the others.
__global__ void list_owners(int num_nodes, int stride, int heavy, int medium, int large, const int* row_ptr,
                            const int2* outs, int* owners, int* num_owners) {
    int k = thread_index(), lane = threadIdx.x & 31, kind = -1;
    int degree = k < num_nodes ? row_ptr[k + 1] - row_ptr[k] : 0;
    if (degree > 0) {
        int length = outs[k].y - outs[k].x;
        int by_degree = degree < heavy ? 1 : degree < 4 * heavy ? 2 : degree < 16 * heavy ? 3 : 4;
        kind = length < 2 ? -1 : length <= 32 ? 0 : length <= medium ? by_degree : length <= large ? 5 : 6;
    }
    for (int want = 0; want < 7; want++) {
        u32 mine = __ballot_sync(ALL_LANES, kind == want);
        if (!mine) continue;
        int base = 0;
        if (lane == 0) base = atomicAdd(&num_owners[want], __popc(mine));
        base = __shfl_sync(ALL_LANES, base, 0);
        i64 list = want ? num_nodes + (i64)(want - 1) * stride : 0;
        if (kind == want) owners[list + base + __popc(mine & ((1u << lane) - 1))] = k;
    }
}
}  // extern "C"
