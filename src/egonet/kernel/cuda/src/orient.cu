// Every edge pointing one way, from the lower to the higher end by (degree, number): each is then met once, and no list
// of out-neighbors is longer than sqrt(2 * num_edges).
//
// Layout. An arc is outward if it points that way. `out_to` (num_edges) holds the lists, and `outs` (num_nodes) begin and
// end of each, unset for nodes without neighbors. For triangles (`split_arcs`) also `tail` of every arc, `out_from`
// of every outward one, and `in_to`, the heads of the others; those of v begin at row_ptr[v] - outs[v].x.
// Invariant: heads stay in the order they had; a thread owns eight arcs next to each other.
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
}  // extern "C"

struct __align__(16) EightTails {
    int item[TILE_ITEMS];
};
// Lists in one pass; sums over tiles of 2048 arcs as in `scan.cuh`. Launches for one stretch of tiles after another go
// on where the last ended, since the ticket does. `kept`: the heads of the outward arcs of a tile, then the others'.
__device__ __forceinline__ void orient_tile(int num_nodes, int num_arcs, const int* row_ptr, const int* indices,
                                            int2* outs, int* out_to, u64* state, u32* ticket, int* tail, int* out_from,
                                            int* in_to) {
    __shared__ int kept[256 * TILE_ITEMS], kept_from[256 * TILE_ITEMS], ends[2];
    int tile = take_tile(ticket), first = tile * (256 * TILE_ITEMS), begin = first + threadIdx.x * TILE_ITEMS;
    if (threadIdx.x < 2) {
        int arc = threadIdx.x ? min(num_arcs - 1, first + 256 * TILE_ITEMS - 1) : first;
        ends[threadIdx.x] = row_of(arc, row_ptr, 0, num_nodes - 1);
    }
    __syncthreads();
    int heads[TILE_ITEMS], u = begin < num_arcs ? row_of(begin, row_ptr, ends[0], ends[1]) : 0, row = u, total;
    u32 outward = 0;
    EightTails tails;
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
        *(EightTails*)(tail + begin) = tails;
    } else {
#pragma unroll
        for (int j = 0; j < TILE_ITEMS; j++)
            if (heads[j] >= 0) tail[begin + j] = tails.item[j];
    }
    i64 before;
    int place = sum_before_thread(__popc(outward), state, tile, total, before);
    // Before each step `place` is how many arcs of this tile before arc begin + j point outwards.
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
        if (heads[j] < 0) continue;
        while (row_ptr[u + 1] <= begin + j) u++;
        if (row_ptr[u] == begin + j) outs[u].x = (int)before + place;
        if (outward >> j & 1) {
            kept_from[place] = u;
            kept[place++] = heads[j];
        } else {
            kept[total + begin + j - first - place] = heads[j];
        }
        if (row_ptr[u + 1] == begin + j + 1) outs[u].y = (int)before + place;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < total; i += 256) {
        out_to[before + i] = kept[i];
        out_from[before + i] = kept_from[i];
    }
    int others = min(256 * TILE_ITEMS, num_arcs - first) - total;
    for (int i = threadIdx.x; i < others; i += 256) in_to[first - before + i] = kept[total + i];
}

extern "C" {
__global__ void __launch_bounds__(256)
split_arcs(int num_nodes, int num_arcs, const int* row_ptr, const int* indices, int2* outs, int* out_to, u64* state,
           u32* ticket, int* tail, int* out_from, int* in_to) {
    orient_tile(num_nodes, num_arcs, row_ptr, indices, outs, out_to, state, ticket, tail, out_from, in_to);
}
// Nodes with two out-neighbors or more go into a list per kind, that of kind 0 at owners, the others `stride` apart
// behind it; num_owners[kind] is zero at the start. Kinds: 0 for out-lists of up to 32; 1 to 4 up to `medium`, by degrees
// from `heavy` on (they are begun from 4 down, so that no long work is begun last); 5 up to `large`; 6 the others.
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
