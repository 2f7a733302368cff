// Balls of medium size, total degrees, any radius: a block searches from one root, with the ball as bits in shared
// memory.
//
// Layout. Shared memory has `seen`, a bit per node of the graph, and `bins`, `base` counters for the degrees of each
// ring. The block's part of `queues` in device memory has the ball in order of discovery. Nodes of more than 64
// neighbors are collected in `large`, as (begin, end) of their lists, for whole warps; past 1024 of them eight lanes
// scan the rest.
// Invariant: between roots every bit of `seen` and every bin is 0. Rows past the capacity: as in the warp kernels.
#define LARGE 1024
#define LARGE_DEGREE 64
#define HUGE_DEGREE 1024

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

// The first 16 neighbors of a node, two to each of eight lanes, or -1.
__device__ __forceinline__ int2 fetch_pair(const int* indices, int from, int to) {
    int k = from + (threadIdx.x & 7);
    return make_int2(k < to ? indices[k] : -1, k + 8 < to ? indices[k + 8] : -1);
}

// Eight lanes process the nodes of queue[ring ... end) in turn, a node of many neighbors only if `large` is full. All
// eight call `take` with the node, its list and the first 16 neighbors, while those of the next node are loaded.
template <class Take>
__device__ __forceinline__ void for_each_small(const BlockStore& store, int ring, int end, int2* large, int* num_large,
                                               const int* row_ptr, const int* indices, Take take) {
    int lane = threadIdx.x & 31, groups = blockDim.x >> 3, t = ring + (threadIdx.x >> 3);
    int u = t < end ? store.queue[t] : -1, from = u >= 0 ? row_ptr[u] : 0, to = u >= 0 ? row_ptr[u + 1] : 0;
    int2 pair = fetch_pair(indices, from, to);
    // All lanes run the same number of rounds, since the lanes of a warp exchange values.
    for (int round = ring; round < end; round += groups, t += groups) {
        int next = t + groups < end ? store.queue[t + groups] : -1, position = LARGE;
        int next_from = next >= 0 ? row_ptr[next] : 0, next_to = next >= 0 ? row_ptr[next + 1] : 0;
        if ((lane & 7) == 0 && to - from > LARGE_DEGREE) {
            position = atomicAdd(num_large, 1);
            if (position < LARGE) large[position] = make_int2(from, to);
        }
        position = __shfl_sync(ALL_LANES, position, lane & 24);
        int2 next_pair = fetch_pair(indices, next_from, next_to);
        if (position < LARGE) u = -1, to = from, pair.x = pair.y = -1;
        take(u, from, to, pair);
        u = next, from = next_from, to = next_to, pair = next_pair;
    }
    __syncthreads();
}

// Appends all unseen neighbors of queue[ring ... end) and bins the degrees of these nodes.
__device__ __forceinline__ void expand_ring(BlockStore store, int ring, int end, int limit, int* bins, int2* large,
                                            int* num_large, const int* row_ptr, const int* indices) {
    for_each_small(store, ring, end, large, num_large, row_ptr, indices, [&](int u, int from, int to, int2 pair) {
        if (u >= 0 && (threadIdx.x & 7) == 0) atomicAdd(&bins[min(to - from, limit)], 1);
        if (pair.x >= 0) store.meet(pair.x);
        if (pair.y >= 0) store.meet(pair.y);
        for (int k = from + 16 + (threadIdx.x & 7); k < to; k += 8) store.meet(indices[k]);
    });
    int lane = threadIdx.x & 31, num = min(*num_large, LARGE);
    for (int t = threadIdx.x >> 5; t < num; t += blockDim.x >> 5) {
        int from = large[t].x, to = large[t].y;
        if (lane == 0) atomicAdd(&bins[min(to - from, limit)], 1);
        if (to - from > HUGE_DEGREE) continue;
#pragma unroll 4
        for (int k = from + lane; k < to; k += 32) store.meet(indices[k]);
    }
    for (int t = 0; t < num; t++)
        if (large[t].y - large[t].x > HUGE_DEGREE)
            for (int k = large[t].x + threadIdx.x; k < large[t].y; k += blockDim.x) store.meet(indices[k]);
    __syncthreads();
}

// Bins the nodes of queue[ring ... end) by their neighbors inside the ball.
__device__ __forceinline__ void bin_last_ring(BlockStore store, int ring, int end, int limit, int* bins, int2* large,
                                              int* num_large, const int* row_ptr, const int* indices) {
    int lane = threadIdx.x & 31;
    for_each_small(store, ring, end, large, num_large, row_ptr, indices, [&](int u, int from, int to, int2 pair) {
        int inside = pair.x >= 0 && store.has(pair.x);
        inside += pair.y >= 0 && store.has(pair.y);
#pragma unroll 2
        for (int k = from + 16 + (lane & 7); k < to; k += 8) inside += store.has(indices[k]);
        inside = sum_of_8(inside);
        if (u >= 0 && (lane & 7) == 0) atomicAdd(&bins[min(inside, limit)], 1);
    });
    for (int t = threadIdx.x >> 5; t < min(*num_large, LARGE); t += blockDim.x >> 5) {
        int inside = 0;
#pragma unroll 4
        for (int k = large[t].x + lane; k < large[t].y; k += 32) inside += store.has(indices[k]);
        inside = __reduce_add_sync(ALL_LANES, inside);
        if (lane == 0) atomicAdd(&bins[min(inside, limit)], 1);
    }
    __syncthreads();
}

extern "C" {
__global__ void __launch_bounds__(256, 8)
    block_total(int num_nodes, int base, int limit, int num_todo, const int* todo, const i64* roots, int radius,
                const int* row_ptr, const int* indices, int* next, ROW_PARAMETERS(int), int* queues, i64 queue_size) {
    DYNAMIC_SHARED(u32, shared);
    __shared__ int item, size, num_large, warp_sums[8], total;
    __shared__ int2 large[LARGE];
    __shared__ i64 position;
    int num_words = (num_nodes + 31) >> 5, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int* bins = (int*)shared + num_words;
    RowBuffer<int> rows = ROW_ARGUMENTS;
    BlockStore store = {shared, queues + queue_size * blockIdx.x, &size};
    for (int i = threadIdx.x; i < num_words + radius * base; i += blockDim.x) shared[i] = 0;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(next, 1), num_large = 0;
        __syncthreads();
        if (item >= num_todo) break;
        int row = todo ? todo[item] : item, root = roots ? (int)roots[row] : row;
        int begin = row_ptr[root], degree = row_ptr[root + 1] - begin;
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
        // Each thread writes a range of the bins, so that the row is in the order of the codes.
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
            position = rows.reserve(row, total);
            if (position + total <= capacity) codes[position] = min(degree, limit), counts[position] = 1;
            mark_code(marks, min(degree, limit));
        }
        __syncthreads();
        i64 mine = position + 1 + warp_sums[warp] + scan - used;
        bool fits = position + total <= capacity;
        for (int i = from; i < to; i++) {
            if (!bins[i]) continue;
            if (fits) codes[mine] = base + i, counts[mine] = bins[i];
            mark_code(marks, base + i);
            mine++;
            bins[i] = 0;
        }
    }
}
}  // extern "C"
