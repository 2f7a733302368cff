// Every edge pointing one way, from the lower to the higher end by (degree, number): each is then met once, and no list
// of out-neighbours is longer than sqrt(2 * num_edges).
//
// Layout. An arc is outward if it points that way. Either as compressed rows with tails (`split_arcs`, for triangles),
// or as lists alone: `out_to` (num_edges) and `outs` (num_nodes), begin and end of each list, unset without neighbours.
// Invariant: heads stay in the order they had; a thread of `list_outward` owns eight arcs next to each other.
__device__ __forceinline__ int row_of(int arc, const int* row_ptr, int low, int high) {
    // The row is in low ... high: the last whose start is not beyond the arc.
    while (low < high) {
        int middle = (low + high + 1) >> 1;
        if (row_ptr[middle] <= arc) low = middle;
        else high = middle - 1;
    }
    return low;
}
extern "C" {
// The tail of every arc from first_arc on, and whether the arc points outwards.
__global__ void orient_arcs(int num_nodes, int num_arcs, int first_arc, const int* row_ptr, const int* indices, int* tail,
                            u8* outward) {
    __shared__ int ends[2];
    int first = first_arc + blockIdx.x * blockDim.x, arc = first + threadIdx.x;
    if (threadIdx.x < 2) {
        int edge = threadIdx.x ? min(num_arcs - 1, first + (int)blockDim.x - 1) : first;
        ends[threadIdx.x] = row_of(edge, row_ptr, 0, num_nodes - 1);
    }
    __syncthreads();
    if (arc >= num_arcs) return;
    int u = row_of(arc, row_ptr, ends[0], ends[1]), v = indices[arc];
    int du = row_ptr[u + 1] - row_ptr[u], dv = row_ptr[v + 1] - row_ptr[v];
    tail[arc] = u;
    outward[arc] = dv > du || (dv == du && v > u);
}
// before[k]: outward arcs among the first k. Owners go into a list per kind by the length of their out-list, at
// owners[kind * num_nodes ...]; num_owners[kind] is zero at the start.
__global__ void split_arcs(int num_nodes, int num_arcs, int medium, int large, const int* row_ptr, const int* indices,
                           const int* tail, const int* before, int* out_ptr, int* out_from, int* out_to, int* in_to,
                           int* owners, int* num_owners) {
    int k = thread_index(), lane = threadIdx.x & 31, kind = -1;
    if (k < num_nodes) {
        int begin = before[row_ptr[k]], length = before[row_ptr[k + 1]] - begin;
        out_ptr[k] = begin;
        if (k == num_nodes - 1) out_ptr[num_nodes] = begin + length;
        kind = length < 2 ? -1 : length <= 32 ? 0 : length <= medium ? 1 : length <= large ? 2 : 3;
    }
    for (int want = 0; want < 4 && k - lane < num_nodes; want++) {
        u32 mine = __ballot_sync(ALL_LANES, kind == want);
        if (!mine) continue;
        int base = 0;
        if (lane == 0) base = atomicAdd(&num_owners[want], __popc(mine));
        base = __shfl_sync(ALL_LANES, base, 0);
        if (kind == want) owners[(i64)want * num_nodes + base + __popc(mine & ((1u << lane) - 1))] = k;
    }
    if (k >= num_arcs) return;
    int place = before[k];
    if (before[k + 1] != place) {
        out_from[place] = tail[k];
        out_to[place] = indices[k];
    } else {
        in_to[k - place] = indices[k];
    }
}
// Lists in one pass; sums over tiles of 2048 arcs as in `scan.cuh`. Launches for one stretch of tiles after another go
// on where the last ended, since the ticket does.
__global__ void __launch_bounds__(256)
list_outward(int num_nodes, int num_arcs, const int* row_ptr, const int* indices, int2* outs, int* out_to, u64* state,
             u32* ticket) {
    __shared__ int kept[256 * TILE_ITEMS], ends[2];
    int tile = take_tile(ticket), first = tile * (256 * TILE_ITEMS), begin = first + threadIdx.x * TILE_ITEMS;
    if (threadIdx.x < 2) {
        int arc = threadIdx.x ? min(num_arcs - 1, first + 256 * TILE_ITEMS - 1) : first;
        ends[threadIdx.x] = row_of(arc, row_ptr, 0, num_nodes - 1);
    }
    __syncthreads();
    int heads[TILE_ITEMS], u = begin < num_arcs ? row_of(begin, row_ptr, ends[0], ends[1]) : 0, row = u, total;
    u32 outward = 0;
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) heads[j] = begin + j < num_arcs ? indices[begin + j] : -1;
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
        if (heads[j] < 0) continue;
        while (row_ptr[row + 1] <= begin + j) row++;
        int v = heads[j], du = row_ptr[row + 1] - row_ptr[row], dv = row_ptr[v + 1] - row_ptr[v];
        if (dv > du || (dv == du && v > row)) outward |= 1u << j;
    }
    i64 before;
    int place = sum_before_thread(__popc(outward), state, tile, total, before);
    // Before each step `place` is how many arcs of this tile before arc begin + j point outwards.
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
        if (heads[j] < 0) continue;
        while (row_ptr[u + 1] <= begin + j) u++;
        if (row_ptr[u] == begin + j) outs[u].x = (int)before + place;
        if (outward >> j & 1) kept[place++] = heads[j];
        if (row_ptr[u + 1] == begin + j + 1) outs[u].y = (int)before + place;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < total; i += 256) out_to[before + i] = kept[i];
}
}  // extern "C"
