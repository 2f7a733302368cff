// Middling balls of undirected graphs, total degrees, any radius: a block searches from one root with the ball as a table in
// shared memory, and meets every edge of the last ring once.
//
// Layout. A vertex of the ball has a slot: its own number (DIRECT), or a place found by hashing in `keys`, a power of two.
// `found` holds 16 bits per slot: 0 for a vertex not seen, INNER for one nearer than the radius, and for one of the last ring
// how many of its neighbours were found inside: an arc from the ring before counts when it is searched, an edge within the
// ring when it is met in the list of its lower end (`orient.cu`). `queue` has the slots in the order of discovery, room for
// `capacity`. `bins`, 16 bits each, are radius arrays of `base` counters, one for the degrees of each ring; `used` has a bit
// for every bin that is not 0. A root whose ball outgrows the queue is put on the list `left`. Rows without room: as in
// `warp.cu`.
// Invariant: between roots all of it is empty. At most one slot per thread is taken beyond the capacity, and there are more
// slots than that, so that every probe ends.
#define EMPTY (-1)
#define INNER 0xffffu
#define HUGE_DEGREE 1024
#define MOST_HUGE 64

// Adds to one of two counters in a word; returns what the counter was.
__device__ __forceinline__ u32 add_half(u16* halves, int i, u32 more) {
    int shift = (i & 1) * 16;
    return (atomicAdd((u32*)halves + (i >> 1), more << shift) >> shift) & 0xffff;
}

template <bool DIRECT>
struct BallTable {
    u16* found;
    int* keys;
    u16* queue;
    int* size;
    int capacity, shift;
    u32 mask;

    __device__ __forceinline__ int vertex(int slot) const { return DIRECT ? slot : keys[slot]; }
    // The slot of a vertex that is there, or -1.
    __device__ __forceinline__ int find(int v) const {
        if (DIRECT) return found[v] ? v : -1;
        u32 slot = hash_vertex(v, shift);
        for (int held; (held = keys[slot]) != EMPTY; slot = (slot + 1) & mask)
            if (held == v) return (int)slot;
        return -1;
    }
    // The slot of a vertex, which is put there if there is room for it, or -1.
    __device__ __forceinline__ int take(int v, int room, bool& is_new) {
        is_new = false;
        u32 slot = hash_vertex(v, shift);
        for (;; slot = (slot + 1) & mask) {
            int held = keys[slot];
            if (held == EMPTY) {
                if (*(volatile int*)size >= room) return -1;
                held = atomicCAS(&keys[slot], EMPTY, v);
                is_new = held == EMPTY;
            }
            if (is_new || held == v) return (int)slot;
        }
    }
    __device__ __forceinline__ void begin(int v, int place, u32 state) {
        bool is_new;
        int slot = DIRECT ? v : take(v, capacity + 1, is_new);
        found[slot] = (u16)state;
        queue[place] = (u16)slot;
    }
    // A neighbour of the ring before: counts if this ring is the last, and joins the queue if it is new.
    __device__ __forceinline__ void meet(int v, bool last) {
        bool is_new;
        int slot = v;
        if (DIRECT) {
            if (found[v] == INNER) return;
            is_new = last ? add_half(found, v, 1) == 0 : !((atomicOr((u32*)found + (v >> 1), INNER << (v & 1) * 16) >> (v & 1) * 16) & INNER);
        } else {
            slot = take(v, capacity, is_new);
            if (slot < 0) {
                atomicAdd(size, 1);
                return;
            }
            if (last) {
                if (found[slot] != INNER) add_half(found, slot, 1);
            } else if (is_new) {
                found[slot] = (u16)INNER;
            }
        }
        if (!is_new) return;
        int place = atomicAdd(size, 1);
        if (place < capacity) queue[place] = (u16)slot;
    }
    // An edge from the last ring to v: 1 if v is there too.
    __device__ __forceinline__ int link(int v) {
        int slot = find(v);
        if (slot < 0 || found[slot] == INNER) return 0;
        add_half(found, slot, 1);
        return 1;
    }
};

struct RingBins {
    u16* bins;
    u32* used;

    __device__ __forceinline__ void add(int bin) const {
        if (add_half(bins, bin, 1) == 0) atomicOr(&used[bin >> 5], 1u << (bin & 31));
    }
};

// Meets all neighbours of queue[ring ... end), a warp for each vertex, and bins the degrees of these vertices, the first at
// `bin`. Very long lists are left to the whole block.
template <bool DIRECT>
__device__ __forceinline__ void expand_ring(BallTable<DIRECT> table, int ring, int end, bool last, const RingBins& bins, int bin,
                                            int limit, int2* huge, int* num_huge, const int* row_ptr, const int* indices) {
    int lane = threadIdx.x & 31, warps = blockDim.x >> 5;
    for (int t = ring + (threadIdx.x >> 5); t < end; t += warps) {
        int u = table.vertex(table.queue[t]), from = row_ptr[u], to = row_ptr[u + 1], place = MOST_HUGE;
        if (lane == 0) {
            bins.add(bin + min(to - from, limit));
            if (to - from > HUGE_DEGREE) place = atomicAdd(num_huge, 1);
            if (place < MOST_HUGE) huge[place] = make_int2(from, to);
        }
        place = __shfl_sync(ALL_LANES, place, 0);
        if (place < MOST_HUGE) continue;
        for (int k = from + lane; k < to; k += 64) {
            int first = indices[k], second = k + 32 < to ? indices[k + 32] : -1;
            table.meet(first, last);
            if (second >= 0) table.meet(second, last);
        }
        __syncwarp();
    }
    __syncthreads();
    for (int i = 0; i < min(*num_huge, MOST_HUGE); i++)
        for (int k = huge[i].x + threadIdx.x; k < huge[i].y; k += blockDim.x) table.meet(indices[k], last);
}

// Adds the edges within queue[ring ... end), the last ring, to both their ends; eight lanes take a list. While they look one up
// the next is on its way, and the place of the one after.
template <bool DIRECT>
__device__ __forceinline__ void link_ring(BallTable<DIRECT> table, int ring, int end, const int2* outs, const int* out_to) {
    int lane8 = threadIdx.x & 7, groups = blockDim.x >> 3, t = ring + (threadIdx.x >> 3);
    int2 none = make_int2(0, 0);
    int slot = t < end ? table.queue[t] : 0, next_slot = t + groups < end ? table.queue[t + groups] : 0;
    int2 list = t < end ? outs[table.vertex(slot)] : none;
    int2 next_list = t + groups < end ? outs[table.vertex(next_slot)] : none;
    int head = list.x + lane8 < list.y ? out_to[list.x + lane8] : -1;
    // Every lane goes around equally often, since the lanes of a warp exchange values inside.
    for (int round = ring; round < end; round += groups, t += groups) {
        int after = t + 2 * groups, after_slot = after < end ? table.queue[after] : 0;
        int2 after_list = after < end ? outs[table.vertex(after_slot)] : none;
        int next_head = next_list.x + lane8 < next_list.y ? out_to[next_list.x + lane8] : -1;
        int hits = head >= 0 ? table.link(head) : 0;
        for (int k = list.x + 8 + lane8; k < list.y; k += 8) hits += table.link(out_to[k]);
        if (__any_sync(ALL_LANES, hits)) {
            hits = sum_of_8(hits);
            if (lane8 == 0 && hits) add_half(table.found, slot, hits);
        }
        slot = next_slot, list = next_list, head = next_head, next_slot = after_slot, next_list = after_list;
    }
}

// Writes a row from the bins in use, in the order of the codes, and empties them; each thread has a stretch of them.
__device__ __forceinline__ void drain_bins(const RingBins& bins, int num_bins, int base, int degree, int row, u64* cursor,
                                           i64 room, i64* start, int* length, int* codes, int* counts, u8* marks) {
    __shared__ int warp_sums[32], total;
    __shared__ i64 place;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, words = (num_bins + 31) >> 5;
    int each = (words + blockDim.x - 1) / blockDim.x, from = min(words, (int)threadIdx.x * each), to = min(words, from + each);
    int num = 0;
    for (int i = from; i < to; i++) num += __popc(bins.used[i]);
    int scan = inclusive_sum(num, lane);
    if (lane == 31) warp_sums[warp] = scan;
    __syncthreads();
    if (warp == 0) {
        int mine = lane < (int)blockDim.x >> 5 ? warp_sums[lane] : 0, sums = inclusive_sum(mine, lane);
        warp_sums[lane] = sums - mine;
        if (lane == 31) {
            total = sums + 1;
            place = (i64)atomicAdd(cursor, (u64)total);
            start[row] = place;
            length[row] = total;
            if (place + total <= room) codes[place] = degree, counts[place] = 1;
            mark_code(marks, degree);
        }
    }
    __syncthreads();
    i64 mine = place + 1 + warp_sums[warp] + scan - num;
    bool fits = place + total <= room;
    for (int i = from; i < to; i++) {
        for (u32 bits = bins.used[i]; bits; bits &= bits - 1) {
            int bin = i * 32 + __ffs(bits) - 1;
            if (fits) codes[mine] = base + bin, counts[mine] = bins.bins[bin];
            mine++;
            mark_code(marks, base + bin);
            bins.bins[bin] = 0;
        }
        bins.used[i] = 0;
    }
}

template <bool DIRECT>
__device__ __forceinline__ void search_tables(int num_slots, int capacity, int base, int limit, int num_todo, const int* todo,
                                              const i64* roots, int radius, bool frontier, const int* row_ptr,
                                              const int* indices, const int2* outs, const int* out_to, int* next, int* left,
                                              int* num_left, u64* cursor, i64 room, i64* start, int* length, int* codes,
                                              int* counts, u8* marks) {
    DYNAMIC_SHARED(u32, shared);
    __shared__ int item, size, num_huge;
    __shared__ int2 huge[MOST_HUGE];
    int num_bins = radius * base, words = num_slots / 2, bits = 31 - __clz(num_slots);
    u32* behind = shared + words + (DIRECT ? 0 : num_slots);
    BallTable<DIRECT> table = {(u16*)shared, (int*)shared + words, (u16*)behind, &size, capacity, 32 - bits, (u32)num_slots - 1};
    RingBins bins = {table.queue + (capacity + 1) / 2 * 2, behind + (capacity + 1) / 2 + (num_bins + 1) / 2};
    int end_of_all = (int)(bins.used - shared) + ((num_bins + 31) >> 5);
    bool clean = false;
    for (;;) {
        if (!clean) {
            for (int i = threadIdx.x; i < end_of_all; i += blockDim.x)
                shared[i] = !DIRECT && i >= words && i < words + num_slots ? (u32)EMPTY : 0;
            clean = true;
        }
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(next, 1), num_huge = 0;
        __syncthreads();
        if (item >= num_todo) break;
        int row = todo ? todo[item] : item, root = roots ? (int)roots[row] : row;
        int begin = row_ptr[root], degree = row_ptr[root + 1] - begin;
        bool fits = degree < capacity;
        if (threadIdx.x == 0) size = 1 + degree;
        __syncthreads();
        if (fits) {
            if (threadIdx.x == 0) table.begin(root, 0, INNER);
            for (int k = threadIdx.x; k < degree; k += blockDim.x)
                table.begin(indices[begin + k], 1 + k, radius > 1 ? INNER : 1);
        }
        __syncthreads();
        int ring = 1, end = size, distance = 1;
        // Before each step queue[ring ... end) is the ring at `distance`; bins of nearer rings are complete.
        while (fits && distance < radius && ring < end) {
            int bin = (distance - 1) * base;
            bool last = distance + 1 == radius;
            expand_ring(table, ring, end, last, bins, bin, limit, huge, &num_huge, row_ptr, indices);
            __syncthreads();
            if (threadIdx.x == 0) num_huge = 0;
            ring = end, end = size, distance++;
            fits = end <= capacity;
            __syncthreads();
        }
        if (!fits) {
            if (threadIdx.x == 0) left[atomicAdd(num_left, 1)] = row;
            clean = false;
            continue;
        }
        bool counts_last = distance == radius;
        if (counts_last && frontier) link_ring(table, ring, end, outs, out_to);
        __syncthreads();
        for (int t = threadIdx.x; t < end; t += blockDim.x) {
            int slot = table.queue[t];
            if (t >= ring && counts_last) bins.add((radius - 1) * base + min((int)table.found[slot], limit));
            table.found[slot] = 0;
            if (!DIRECT) table.keys[slot] = EMPTY;
        }
        __syncthreads();
        drain_bins(bins, num_bins, base, min(degree, limit), row, cursor, room, start, length, codes, counts, marks);
    }
}

extern "C" {
#define TABLE_KERNEL(name, DIRECT)                                                                                       \
    __global__ void __launch_bounds__(1024)                                                                              \
    name(int num_slots, int capacity, int base, int limit, int num_todo, const int* todo, const i64* roots, int radius,  \
         int frontier, const int* row_ptr, const int* indices, const int2* outs, const int* out_to, int* next,           \
         int* left, int* num_left, u64* cursor, i64 room, i64* start, int* length, int* codes, int* counts, u8* marks) { \
        search_tables<DIRECT>(num_slots, capacity, base, limit, num_todo, todo, roots, radius, frontier, row_ptr, indices, \
                              outs, out_to, next, left, num_left, cursor, room, start, length, codes, counts, marks);    \
    }
TABLE_KERNEL(table_direct, true)
TABLE_KERNEL(table_hashed, false)
}  // extern "C"
