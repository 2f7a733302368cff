// Middling balls of undirected graphs, total degrees, any radius: a block searches from one root with the ball as bits
// in shared memory, and meets every edge within the last ring once, in the list of its lower end (`orient.cu`).
//
// Layout. `seen` has a bit per vertex of the graph: first the ball, then its last ring alone. `before` (one per word)
// is how many vertices of the last ring come before a word, so that a vertex of it has a rank by counting bits;
// `found` is by rank how many of its neighbours were found inside; it has room for `capacity`, and the counters of a
// larger ring are in device memory. `bins` are radius arrays of `base` counters, one for the degrees of each ring, and
// `used` has a bit for every bin that is not 0; before, found and bins have 16 bits. Queue: nearer rings in order of
// discovery, then the last by rank, in the block's stretch of `queues` in device memory, and behind it, `num_nodes` from
// its begin, the counters of a large ring. `ends` and `from`: the lists of as many vertices as there are threads, laid
// end to end, so that all threads have equally many arcs.
// Roots with a ring of more than 65535 vertices are put on the list `left`. Rows without room: as in `warp.cu`.
// Invariant: between roots seen, bins and used are 0.
#define MOST_THREADS 512
#define MOST_IN_RING 65535
#define LANES 4

struct LinkStore {
    u32* seen;
    u16 *before, *found, *bins;
    u32* used;
    int *queue, *ends, *from;

    __device__ __forceinline__ bool has(int v) const { return (seen[v >> 5] >> (v & 31)) & 1; }
    __device__ __forceinline__ int rank(int v) const {
        return before[v >> 5] + __popc(seen[v >> 5] & ((1u << (v & 31)) - 1));
    }
    __device__ __forceinline__ void bin(int i) const {
        if (add_half(bins, i, 1) == 0) atomicOr(&used[i >> 5], 1u << (i & 31));
    }
};

// Sums over the threads of a block before each; `total` is that of all. Begins with a barrier.
__device__ __forceinline__ int sum_before(int mine, int& total) {
    __shared__ int warp_sums[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, scan = inclusive_sum(mine, lane);
    __syncthreads();
    if (lane == 31) warp_sums[warp] = scan;
    __syncthreads();
    int sum = lane < (int)blockDim.x >> 5 ? warp_sums[lane] : 0, sums = inclusive_sum(sum, lane);
    total = __shfl_sync(ALL_LANES, sums, 31);
    return __shfl_sync(ALL_LANES, sums - sum, warp) + scan - mine;
}

// Calls `take` with the head of every arc that leaves queue[ring ... end); `note` with the degree of every vertex
// there.
template <class Note, class Take>
__device__ __forceinline__ void for_each_arc(const LinkStore& store, int ring, int end, const int* row_ptr,
                                             const int* indices, Note note, Take take) {
    for (int first = ring; first < end; first += blockDim.x) {
        int t = first + threadIdx.x, begin = 0, degree = 0, num = min((int)blockDim.x, end - first), total;
        if (t < end) {
            int u = store.queue[t];
            begin = row_ptr[u], degree = row_ptr[u + 1] - begin;
            note(degree);
        }
        int sum = sum_before(degree, total);
        store.ends[threadIdx.x] = sum + degree, store.from[threadIdx.x] = begin - sum;
        __syncthreads();
        for (int k = threadIdx.x; k < total; k += blockDim.x) {
            // The list of arc k is in low ... high: the first whose end is beyond it.
            int low = 0, high = num - 1;
            while (low < high) {
                int middle = (low + high) >> 1;
                if (store.ends[middle] > k) high = middle;
                else low = middle + 1;
            }
            take(indices[store.from[low] + k]);
        }
    }
    __syncthreads();
}

// Turns the bits of the last ring into ranks, and lists its vertices behind the queue; returns how many there are.
__device__ __forceinline__ int rank_ring(const LinkStore& store, int words, int* ring) {
    // An odd number of words for each thread keeps them off each other's banks.
    int each = ((words + blockDim.x - 1) / blockDim.x) | 1, from = min(words, (int)threadIdx.x * each);
    int to = min(words, from + each), num = 0, total;
    for (int i = from; i < to; i++) num += __popc(store.seen[i]);
    int rank = sum_before(num, total);
    if (total > MOST_IN_RING) return total;
    for (int i = from; i < to; i++) {
        store.before[i] = (u16)rank;
        for (u32 bits = store.seen[i]; bits; bits &= bits - 1) ring[rank++] = i * 32 + __ffs(bits) - 1;
    }
    __syncthreads();
    return total;
}

// Adds the edges within the last ring to both their ends; LANES of a warp take a list. While they look one up the next is on
// its way, the place of the one after, and the vertex after that.
__device__ __forceinline__ void link_ring(const LinkStore& store, u16* found, const int* ring, int size, const int2* outs,
                                          const int* out_to) {
    int lane = threadIdx.x % LANES, step = blockDim.x / LANES, t = threadIdx.x / LANES;
    int2 none = make_int2(0, 0);
    int third = t + 2 * step < size ? ring[t + 2 * step] : -1;
    int2 list = t < size ? outs[ring[t]] : none, second_list = t + step < size ? outs[ring[t + step]] : none;
    int head = list.x + lane < list.y ? out_to[list.x + lane] : -1;
    // Every lane goes around equally often, since the lanes of a warp exchange values inside.
    for (int round = 0; round < size; round += step, t += step) {
        int fourth = t + 3 * step < size ? ring[t + 3 * step] : -1, hits = 0;
        int2 third_list = third >= 0 ? outs[third] : none;
        int second = second_list.x + lane < second_list.y ? out_to[second_list.x + lane] : -1;
        for (int k = list.x + lane + LANES; head >= 0; k += LANES) {
            if (store.has(head)) add_half(found, store.rank(head), 1), hits++;
            head = k < list.y ? out_to[k] : -1;
        }
        if (__any_sync(ALL_LANES, hits)) {
#pragma unroll
            for (int half = LANES / 2; half; half >>= 1) hits += __shfl_xor_sync(ALL_LANES, hits, half);
            if (lane == 0 && hits) add_half(found, t, hits);
        }
        list = second_list, head = second, second_list = third_list, third = fourth;
    }
}

// Bins the last ring by neighbours inside: those of the ring before, queue[ring ... end), and with `frontier` its own.
__device__ __forceinline__ void count_ring(const LinkStore& store, u16* found, int ring, int end, int size, int frontier,
                                           int limit, int first_bin, const int* row_ptr, const int* indices,
                                           const int2* outs, const int* out_to) {
    for (int i = threadIdx.x; i < (size + 1) / 2; i += blockDim.x) ((u32*)found)[i] = 0;
    __syncthreads();
    for_each_arc(
        store, ring, end, row_ptr, indices, [](int) {},
        [&](int v) { if (store.has(v)) add_half(found, store.rank(v), 1); });
    if (frontier) link_ring(store, found, store.queue + end, size, outs, out_to);
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) store.bin(first_bin + min((int)found[i], limit));
    __syncthreads();
}

// Writes a row from the bins in use, in the order of the codes, and empties them; each thread has a stretch of them.
__device__ __forceinline__ void drain_bins(const LinkStore& store, int num_bins, int base, int degree, int row, u64* cursor,
                                           i64 room, i64* start, int* length, int* codes, int* counts, u8* marks) {
    __shared__ i64 place;
    int words = (num_bins + 31) >> 5, each = (words + blockDim.x - 1) / blockDim.x;
    int from = min(words, (int)threadIdx.x * each), to = min(words, from + each), num = 0, total;
    for (int i = from; i < to; i++) num += __popc(store.used[i]);
    int sum = sum_before(num, total);
    total++;
    if (threadIdx.x == 0) {
        place = (i64)atomicAdd(cursor, (u64)total);
        start[row] = place;
        length[row] = total;
        if (place + total <= room) codes[place] = degree, counts[place] = 1;
        mark_code(marks, degree);
    }
    __syncthreads();
    i64 mine = place + 1 + sum;
    bool fits = place + total <= room;
    for (int i = from; i < to; i++) {
        for (u32 bits = store.used[i]; bits; bits &= bits - 1) {
            int bin = i * 32 + __ffs(bits) - 1;
            if (fits) codes[mine] = base + bin, counts[mine] = store.bins[bin];
            mine++;
            mark_code(marks, base + bin);
            store.bins[bin] = 0;
        }
        store.used[i] = 0;
    }
}

extern "C" {
__global__ void __launch_bounds__(MOST_THREADS, 4)
link_total(int num_nodes, int capacity, int base, int limit, int num_todo, const int* todo, const i64* roots, int radius,
           int frontier, const int* row_ptr, const int* indices, const int2* outs, const int* out_to, int* next, int* left,
           int* num_left, u64* cursor, i64 room, i64* start, int* length, int* codes, int* counts, u8* marks, int* queues,
           i64 queue_size) {
    DYNAMIC_SHARED(u32, shared);
    __shared__ int item, size, ends[MOST_THREADS], from[MOST_THREADS];
    int words = (num_nodes + 31) >> 5, num_bins = radius * base, even = (words + 1) / 2 * 2;
    LinkStore store = {shared, (u16*)(shared + words), 0, 0, 0, queues + queue_size * blockIdx.x, ends, from};
    store.found = store.before + even, store.bins = store.found + capacity;
    store.used = (u32*)store.bins + (num_bins + 1) / 2;
    int all_words = (int)(store.used - shared) + ((num_bins + 31) >> 5);
    for (int i = threadIdx.x; i < all_words; i += blockDim.x) shared[i] = 0;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(next, 1), size = 1;
        __syncthreads();
        if (item >= num_todo) break;
        int row = todo ? todo[item] : item, root = roots ? (int)roots[row] : row;
        int degree = row_ptr[root + 1] - row_ptr[root], ring = 0, end = 1, distance = 0;
        if (threadIdx.x == 0) store.queue[0] = root, atomicOr(&store.seen[root >> 5], 1u << (root & 31));
        __syncthreads();
        // Before each step queue[ring ... end) is the ring at `distance`; bins of nearer rings are complete.
        while (distance + 1 < radius && ring < end && end - ring <= MOST_IN_RING) {
            int bin = (distance - 1) * base;
            for_each_arc(
                store, ring, end, row_ptr, indices,
                [&](int inside) { if (distance) store.bin(bin + min(inside, limit)); },
                [&](int v) {
                    u32 bit = 1u << (v & 31);
                    if (!store.has(v) && !(atomicOr(&store.seen[v >> 5], bit) & bit)) store.queue[atomicAdd(&size, 1)] = v;
                });
            ring = end, end = size, distance++;
            __syncthreads();
        }
        // The last step: bits for all neighbours, of which those of nearer rings are taken away again.
        int* last = store.queue + end;
        int num_last = end - ring;
        if (num_last <= MOST_IN_RING) {
            int bin = (distance - 1) * base;
            for_each_arc(
                store, ring, end, row_ptr, indices,
                [&](int inside) { if (distance) store.bin(bin + min(inside, limit)); },
                [&](int v) { if (!store.has(v)) atomicOr(&store.seen[v >> 5], 1u << (v & 31)); });
            for (int t = threadIdx.x; t < end; t += blockDim.x)
                atomicAnd(&store.seen[store.queue[t] >> 5], ~(1u << (store.queue[t] & 31)));
            __syncthreads();
            num_last = rank_ring(store, words, last);
        }
        bool fits = num_last <= MOST_IN_RING;
        // Twice the same, so that the compiler knows which memory the counters are in.
        int bin = (radius - 1) * base;
        if (num_last <= capacity)
            count_ring(store, store.found, ring, end, num_last, frontier, limit, bin, row_ptr, indices, outs, out_to);
        else if (fits)
            count_ring(store, (u16*)(store.queue + num_nodes), ring, end, num_last, frontier, limit, bin, row_ptr, indices,
                       outs, out_to);
        for (int i = threadIdx.x; i < words; i += blockDim.x) store.seen[i] = 0;
        if (fits) {
            drain_bins(store, num_bins, base, min(degree, limit), row, cursor, room, start, length, codes, counts, marks);
        } else {
            if (threadIdx.x == 0) left[atomicAdd(num_left, 1)] = row;
            for (int i = threadIdx.x; i < all_words; i += blockDim.x) shared[i] = 0;
        }
    }
}
}  // extern "C"
