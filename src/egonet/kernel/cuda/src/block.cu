// Middling balls, total degrees, any radius: a block searches from one root with the ball as bits in shared memory.
//
// Layout. Shared memory holds `seen`, a bit per node of the graph, and `bins`, radius arrays of `base` counters: one
// for the degrees of each ring. The ball in order of discovery is the block's stretch of `queues` in device memory.
// Nodes of more than 64 neighbors are set aside in `large`, as (begin, end) of their lists, for whole warps; where more than 1024 meet
// at once the rest is scanned by eight lanes like the others.
// Invariant: between roots every bit of `seen` and every bin is 0. Rows without room: as in the warp kernels.
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
struct Pair {
    int first, second;
};
__device__ __forceinline__ Pair fetch_pair(const int* indices, int from, int to) {
    int k = from + (threadIdx.x & 7);
    Pair pair = {k < to ? indices[k] : -1, k + 8 < to ? indices[k + 8] : -1};
    return pair;
}

// Eight lanes take the nodes of queue[ring ... end) in turn, one of many neighbors only if `large` has no room for
// it. `take` is called by all eight with every node, its list and the first 16 of it. While it works on one node the
// neighbors of the next and the header of the one after are already under way.
template <class Take>
__device__ __forceinline__ void for_each_small(const BlockStore& store, int ring, int end, int2* large, int* num_large,
                                               const int* row_ptr, const int* indices, Take take) {
    int lane = threadIdx.x & 31, groups = blockDim.x >> 3, t = ring + (threadIdx.x >> 3);
    int u = t < end ? store.queue[t] : -1, from = u >= 0 ? row_ptr[u] : 0, to = u >= 0 ? row_ptr[u + 1] : 0;
    Pair pair = fetch_pair(indices, from, to);
    // Every lane of the block goes around equally often, since the lanes of a warp exchange values inside.
    for (int round = ring; round < end; round += groups, t += groups) {
        int next = t + groups < end ? store.queue[t + groups] : -1, place = LARGE;
        int next_from = next >= 0 ? row_ptr[next] : 0, next_to = next >= 0 ? row_ptr[next + 1] : 0;
        if ((lane & 7) == 0 && to - from > LARGE_DEGREE) {
            place = atomicAdd(num_large, 1);
            if (place < LARGE) large[place] = make_int2(from, to);
        }
        place = __shfl_sync(ALL_LANES, place, lane & 24);
        Pair next_pair = fetch_pair(indices, next_from, next_to);
        if (place < LARGE) u = -1, to = from, pair.first = pair.second = -1;
        take(u, from, to, pair);
        u = next, from = next_from, to = next_to, pair = next_pair;
    }
    __syncthreads();
}

// Appends all unseen neighbors of queue[ring ... end) and bins the degrees of these nodes.
__device__ __forceinline__ void expand_ring(BlockStore store, int ring, int end, int limit, int* bins, int2* large,
                                            int* num_large, const int* row_ptr, const int* indices) {
    for_each_small(store, ring, end, large, num_large, row_ptr, indices, [&](int u, int from, int to, Pair pair) {
        if (u >= 0 && (threadIdx.x & 7) == 0) atomicAdd(&bins[min(to - from, limit)], 1);
        if (pair.first >= 0) store.meet(pair.first);
        if (pair.second >= 0) store.meet(pair.second);
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
    for_each_small(store, ring, end, large, num_large, row_ptr, indices, [&](int u, int from, int to, Pair pair) {
        int inside = pair.first >= 0 && store.has(pair.first);
        inside += pair.second >= 0 && store.has(pair.second);
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
            const int* row_ptr, const int* indices, int* next, u64* cursor, i64 room, i64* start, int* length,
            int* codes, int* counts, u8* marks, int* queues, i64 queue_size) {
    DYNAMIC_SHARED(u32, shared);
    __shared__ int item, size, num_large, warp_sums[8], total;
    __shared__ int2 large[LARGE];
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
            mark_code(marks, min(degree, limit));
        }
        __syncthreads();
        i64 mine = place + 1 + warp_sums[warp] + scan - used;
        bool fits = place + total <= room;
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
