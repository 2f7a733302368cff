// Middling balls, total degrees, any radius: a block searches from one root with the ball as bits in shared memory.
//
// Layout. Shared memory holds `seen`, a bit per vertex of the graph, and `bins`, radius arrays of `base` counters: one
// for the degrees of each ring. The ball in order of discovery is the block's stretch of `queues` in device memory.
// Vertices of more than 64 neighbours are set aside in `large` and scanned by many threads; where more than 1024 meet
// at once the rest is scanned by eight lanes like the others.
// Invariant: between roots every bit of `seen` and every bin is 0. Rows without room: as in the warp kernels.
#define LARGE 1024
#define LARGE_DEGREE 64

struct BlockStore {
    u32* seen;
    int* queue;
    int* size;

    __device__ __forceinline__ bool has(int v) const { return (seen[v >> 5] >> (v & 31)) & 1; }
    __device__ __forceinline__ void meet(int v) {
        if (has(v)) return;
        u32 bit = 1u << (v & 31);
        if (!(atomicOr(&seen[v >> 5], bit) & bit)) queue[atomicAdd(size, 1)] = v;
    }
};

// Eight lanes take the vertices of queue[ring ... end) in turn, one of many neighbours only if `large` has no room for
// it. `take` is called by all eight with every vertex and its list, the header of the next already under way.
template <class Take>
__device__ __forceinline__ void for_each_small(const BlockStore& store, int ring, int end, int* large, int* num_large,
                                               const int* row_ptr, Take take) {
    int lane = threadIdx.x & 31, groups = blockDim.x >> 3, t = ring + (threadIdx.x >> 3);
    int u = t < end ? store.queue[t] : -1, from = u >= 0 ? row_ptr[u] : 0, to = u >= 0 ? row_ptr[u + 1] : 0;
    // Every lane of the block goes around equally often, since the lanes of a warp exchange values inside.
    for (int round = ring; round < end; round += groups, t += groups) {
        int next = t + groups < end ? store.queue[t + groups] : -1, place = LARGE;
        if ((lane & 7) == 0 && to - from > LARGE_DEGREE) {
            place = atomicAdd(num_large, 1);
            if (place < LARGE) large[place] = u;
        }
        place = __shfl_sync(ALL_LANES, place, lane & 24);
        int next_from = next >= 0 ? row_ptr[next] : 0, next_to = next >= 0 ? row_ptr[next + 1] : 0;
        take(place < LARGE ? -1 : u, from, place < LARGE ? from : to);
        u = next, from = next_from, to = next_to;
    }
    __syncthreads();
}

// Appends all unseen neighbours of queue[ring ... end) and bins the degrees of these vertices.
__device__ __forceinline__ void expand_ring(BlockStore store, int ring, int end, int limit, int* bins, int* large,
                                            int* num_large, const int* row_ptr, const int* indices) {
    for_each_small(store, ring, end, large, num_large, row_ptr, [&](int u, int from, int to) {
        if (u >= 0 && (threadIdx.x & 7) == 0) atomicAdd(&bins[min(to - from, limit)], 1);
#pragma unroll 2
        for (int k = from + (threadIdx.x & 7); k < to; k += 8) store.meet(indices[k]);
    });
    for (int t = 0; t < min(*num_large, LARGE); t++) {
        int u = large[t], from = row_ptr[u], to = row_ptr[u + 1];
        if (threadIdx.x == 0) atomicAdd(&bins[min(to - from, limit)], 1);
        for (int k = from + threadIdx.x; k < to; k += blockDim.x) store.meet(indices[k]);
    }
    __syncthreads();
}

// Bins the vertices of queue[ring ... end) by their neighbours inside the ball.
__device__ __forceinline__ void bin_last_ring(BlockStore store, int ring, int end, int limit, int* bins, int* large,
                                              int* num_large, const int* row_ptr, const int* indices) {
    int lane = threadIdx.x & 31;
    for_each_small(store, ring, end, large, num_large, row_ptr, [&](int u, int from, int to) {
        int inside = 0;
#pragma unroll 4
        for (int k = from + (lane & 7); k < to; k += 8) inside += store.has(indices[k]);
        inside = sum_of_8(inside);
        if (u >= 0 && (lane & 7) == 0) atomicAdd(&bins[min(inside, limit)], 1);
    });
    for (int t = threadIdx.x >> 5; t < min(*num_large, LARGE); t += blockDim.x >> 5) {
        int u = large[t], inside = 0;
#pragma unroll 4
        for (int k = row_ptr[u] + lane; k < row_ptr[u + 1]; k += 32) inside += store.has(indices[k]);
        inside = __reduce_add_sync(ALL_LANES, inside);
        if (lane == 0) atomicAdd(&bins[min(inside, limit)], 1);
    }
    __syncthreads();
}

extern "C" {
__global__ void __launch_bounds__(256)
block_total(int num_nodes, int base, int limit, int num_todo, const int* todo, const i64* roots, int radius,
            const int* row_ptr, const int* indices, int* next, u64* cursor, i64 room, i64* start, int* length,
            int* codes, int* counts, int* queues, i64 queue_size) {
    DYNAMIC_SHARED(u32, shared);
    __shared__ int item, size, num_large, warp_sums[8], total, large[LARGE];
    __shared__ i64 place;
    int words = (num_nodes + 31) >> 5, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int* bins = (int*)shared + words;
    BlockStore store = {shared, queues + queue_size * blockIdx.x, &size};
    for (int i = threadIdx.x; i < words + radius * base; i += blockDim.x) shared[i] = 0;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(next, 1), num_large = 0;
        __syncthreads();
        if (item >= num_todo) break;
        int row = todo ? todo[item] : item, root = roots ? (int)roots[row] : row;
        int begin = row_ptr[root];
        int degree = row_ptr[root + 1] - begin;
        if (threadIdx.x == 0) {
            atomicOr(&store.seen[root >> 5], 1u << (root & 31));
            store.queue[0] = root;
            size = 1 + degree;
        }
        for (int k = threadIdx.x; k < degree; k += blockDim.x) {
            int v = indices[begin + k];
            atomicOr(&store.seen[v >> 5], 1u << (v & 31));
            store.queue[1 + k] = v;
        }
        __syncthreads();
        int ring = 1, distance = 1;
        // Before each step queue[ring ... size) is the ring at `distance`; bins of nearer rings are complete.
        while (distance < radius && ring < size) {
            int end = size;
            __syncthreads();
            expand_ring(store, ring, end, limit, bins + (distance - 1) * base, large, &num_large, row_ptr, indices);
            if (threadIdx.x == 0) num_large = 0;
            ring = end, distance++;
            __syncthreads();
        }
        if (distance == radius)
            bin_last_ring(store, ring, size, limit, bins + (radius - 1) * base, large, &num_large, row_ptr, indices);
        for (int k = threadIdx.x; k < size; k += blockDim.x) store.seen[store.queue[k] >> 5] = 0;
        // Each thread drains a stretch of the bins, so that the row comes out in the order of the codes.
        int each = (radius * base + 255) / 256, from = min(radius * base, (int)threadIdx.x * each);
        int to = min(radius * base, from + each), used = 0;
        for (int i = from; i < to; i++) used += bins[i] != 0;
        int scan = inclusive_sum(used, lane);
        if (lane == 31) warp_sums[warp] = scan;
        __syncthreads();
        if (threadIdx.x == 0) {
            int sum = 0;
            for (int i = 0; i < 8; i++) {
                int mine = warp_sums[i];
                warp_sums[i] = sum;
                sum += mine;
            }
            total = sum + 1;
            place = (i64)atomicAdd(cursor, (u64)total);
            start[row] = place;
            length[row] = total;
            if (place + total <= room) codes[place] = min(degree, limit), counts[place] = 1;
        }
        __syncthreads();
        i64 mine = place + 1 + warp_sums[warp] + scan - used;
        bool fits = place + total <= room;
        for (int i = from; i < to; i++) {
            if (!bins[i]) continue;
            if (fits) codes[mine] = base + i, counts[mine] = bins[i];
            mine++;
            bins[i] = 0;
        }
    }
}
}  // extern "C"
