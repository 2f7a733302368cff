// Small balls, any radius: a warp searches from one root with everything in shared memory.
//
// Layout, per warp: `nodes` (512 slots) is a hash set of the nodes seen, `queue` (384) their slots in order of
// discovery, so that a ring is a range of it. Counts are a dense array of up to 1024 codes, written in order (DENSE),
// or a hash table of 256 codes, whose rows are unsorted. With LEVELS `level` (512) has the distance of the node in
// each slot, to count closer, same and farther neighbors separately.
//
// A root whose ball exceeds the queue, or whose codes exceed their table, is added to the list `left`: the caller
// searches from it with a block. Rows past `capacity` entries are not written, but the cursor still advances, so that
// it ends at the capacity that is needed.
// Invariant: at most 384 + 32 of the 512 slots are taken, so that every probe ends.
#define SLOTS 512
#define SLOT_SHIFT 23
#define QUEUE 384
#define CODE_SLOTS 256
#define CODE_LIMIT 192
#define NO_CODE (-1ll)

struct WarpStore {
    int* nodes;
    u16* queue;
    u16* level;
    int* tally;
    i64* codes;
    int* num_codes;
};

// Puts a node into the hash; returns its slot, and whether it was new.
__device__ __forceinline__ int see(const WarpStore& store, int node, bool& is_new) {
    u32 slot = hash_node(node, SLOT_SHIFT);
    for (;; slot = (slot + 1) & (SLOTS - 1)) {
        int stored = store.nodes[slot];
        if (stored == -1) stored = atomicCAS(&store.nodes[slot], -1, node);
        is_new = stored == -1;
        if (stored == -1 || stored == node) return (int)slot;
    }
}
__device__ __forceinline__ int seen_at(const WarpStore& store, int node) {
    u32 slot = hash_node(node, SLOT_SHIFT);
    for (int stored; (stored = store.nodes[slot]) != -1; slot = (slot + 1) & (SLOTS - 1))
        if (stored == node) return (int)slot;
    return -1;
}

// The type of codes: the dense ones are below 1024.
template <bool DENSE>
struct TallyType {
    typedef i64 Type;
};
template <>
struct TallyType<true> {
    typedef int Type;
};
template <bool DENSE>
using Tally = typename TallyType<DENSE>::Type;

template <bool DENSE>
__device__ __forceinline__ void tally_code(const WarpStore& store, Tally<DENSE> code) {
    if (DENSE) {
        atomicAdd(&store.tally[code], 1);
        return;
    }
    u32 slot = hash_node((int)(code ^ ((i64)code >> 32)), 24);
    // If the table is full num_codes exceeds its limit, and the root is left over.
    for (int tries = 0; tries < CODE_SLOTS; tries++, slot = (slot + 1) & (CODE_SLOTS - 1)) {
        i64 stored = (i64)atomicCAS((u64*)&store.codes[slot], (u64)NO_CODE, (u64)code);
        if (stored == NO_CODE) atomicAdd(store.num_codes, 1);
        if (stored == NO_CODE || stored == code) {
            atomicAdd(&store.tally[slot], 1);
            return;
        }
    }
    atomicAdd(store.num_codes, CODE_SLOTS);
}

// Fills the queue with the ball and tallies all nodes nearer than the radius; false if the ball is too large.
// ring: where the last ring begins, size: where it ends.
template <bool LEVELS, bool DENSE>
__device__ __forceinline__ bool search_ball(const WarpStore& store, const Codec& codec, int root, int radius,
                                            const int* row_ptr, const int* indices, int& ring, int& size,
                                            int& distance) {
    int lane = threadIdx.x & 31, group = lane >> 3;
    int begin = row_ptr[root], degree = row_ptr[root + 1] - begin;
    if (lane == 0) {
        bool is_new;
        int slot = see(store, root, is_new);
        if (LEVELS) store.level[slot] = 0;
        store.queue[0] = (u16)slot;
        tally_code<DENSE>(store, codec.code<Tally<DENSE>>(0, root, 0, 0, degree));
    }
    __syncwarp();
    ring = 0, size = 1, distance = 0;
    if (radius == 0) {
        ring = 1;
        return true;
    }
    if (degree >= QUEUE) return false;
    for (int k = lane; k < degree; k += 32) {
        bool is_new;
        int v = indices[begin + k], slot = see(store, v, is_new);
        if (LEVELS) store.level[slot] = 1;
        store.queue[1 + k] = (u16)slot;
    }
    __syncwarp();
    ring = 1, size = 1 + degree, distance = 1;
    // Before each step queue[ring ... size) is the ring at `distance`; everything nearer has been tallied.
    while (distance < radius && ring < size) {
        int end = size;
        for (int first = ring; first < end; first += 32) {
            int from = 0, length = 0, mine = -1;
            if (first + lane < end) {
                mine = store.nodes[store.queue[first + lane]];
                from = row_ptr[mine];
                length = row_ptr[mine + 1] - from;
                if (!LEVELS) tally_code<DENSE>(store, codec.code<Tally<DENSE>>(distance, mine, 0, 0, length));
            }
            int in_chunk = min(32, end - first);
            for (int t = 0; t < in_chunk; t += 4) {
                int row_from = __shfl_sync(ALL_LANES, from, t + group);
                int row_length = __shfl_sync(ALL_LANES, length, t + group), closer = 0, same = 0;
                int u = LEVELS ? __shfl_sync(ALL_LANES, mine, t + group) : 0;
                const int* row = indices + row_from;
                int longest = max_of_rows(row_length);
                // Sixteen neighbors a step; both halves are loaded before the first lookup.
                for (int k = lane & 7; k < ((longest + 15) & ~15); k += 16) {
                    int pair[2] = {k < row_length ? row[k] : -1, k + 8 < row_length ? row[k + 8] : -1};
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        bool is_new = false;
                        int v = pair[half], slot = 0;
                        if (v >= 0) {
                            slot = see(store, v, is_new);
                            if (LEVELS && is_new) store.level[slot] = (u16)(distance + 1);
                            if (LEVELS && !is_new) {
                                int at = store.level[slot];
                                closer += at < distance;
                                same += at == distance;
                            }
                        }
                        u32 fresh = __ballot_sync(ALL_LANES, is_new);
                        if (size + __popc(fresh) > QUEUE) return false;
                        if (is_new) store.queue[size + __popc(fresh & ((1u << lane) - 1))] = (u16)slot;
                        size += __popc(fresh);
                    }
                }
                if (LEVELS) {
                    closer = sum_of_8(closer), same = sum_of_8(same);
                    if ((lane & 7) == 0 && t + group < in_chunk)
                        tally_code<DENSE>(
                            store, codec.code<Tally<DENSE>>(distance, u, closer, same, row_length - closer - same));
                }
            }
        }
        __syncwarp();
        ring = end, distance++;
    }
    return true;
}

// Tallies queue[ring ... size), the nodes at distance `radius`, by their neighbors inside the ball.
template <bool LEVELS, bool DENSE>
__device__ __forceinline__ void count_last_ring(const WarpStore& store, const Codec& codec, int radius, bool frontier,
                                                const int* row_ptr, const int* indices, int ring, int size) {
    int lane = threadIdx.x & 31, group = lane >> 3;
    for (int first = ring; first < size; first += 32) {
        int from = 0, length = 0, mine = -1, in_chunk = min(32, size - first);
        if (lane < in_chunk) {
            mine = store.nodes[store.queue[first + lane]];
            from = row_ptr[mine];
            length = row_ptr[mine + 1] - from;
        }
        for (int t = 0; t < in_chunk; t += 4) {
            const int* row = indices + __shfl_sync(ALL_LANES, from, t + group);
            int row_length = __shfl_sync(ALL_LANES, length, t + group), closer = 0, same = 0;
            int u = __shfl_sync(ALL_LANES, mine, t + group);
            for (int k = lane & 7; k < row_length; k += 16) {
                int pair[2] = {row[k], k + 8 < row_length ? row[k + 8] : -1};
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    int slot = pair[half] >= 0 ? seen_at(store, pair[half]) : -1;
                    if (!LEVELS) closer += slot >= 0;
                    if (LEVELS && slot >= 0) {
                        int at = store.level[slot];
                        closer += at < radius;
                        same += frontier && at == radius;
                    }
                }
            }
            closer = sum_of_8(closer);
            if (LEVELS) same = sum_of_8(same);
            if ((lane & 7) == 0 && u >= 0)
                tally_code<DENSE>(store, codec.code<Tally<DENSE>>(radius, u, closer, same, 0));
        }
    }
}

// Writes the row at the cursor. `size` is the number of codes of a dense tally, or of slots.
template <bool DENSE, class Code>
__device__ __forceinline__ void drain_tally(const WarpStore& store, int size, int row, const RowBuffer<Code>& rows) {
    int lane = threadIdx.x & 31, total = 0;
    for (int i = lane; i < size; i += 32) total += __popc(__ballot_sync(ALL_LANES, store.tally[i] != 0));
    i64 position = lane == 0 ? rows.reserve(row, total) : 0;
    position = __shfl_sync(ALL_LANES, position, 0);
    if (position + total > rows.capacity) return;
    for (int i = lane; i < size; i += 32) {
        int count = store.tally[i];
        u32 used = __ballot_sync(ALL_LANES, count != 0);
        if (count) {
            i64 mine = position + __popc(used & ((1u << lane) - 1));
            Code code = (Code)(DENSE ? i : store.codes[i]);
            rows.codes[mine] = code;
            rows.counts[mine] = count;
            mark_code(rows.marks, code);
        }
        position += __popc(used);
    }
}

template <bool LEVELS, bool DENSE, class Code>
__device__ __forceinline__ void search_roots(const Codec& codec, int num_roots, const i64* roots, int radius,
                                             bool frontier, const int* row_ptr, const int* indices, int num_dense,
                                             int* next, int* left, int* num_left, const RowBuffer<Code>& rows) {
    DYNAMIC_SHARED(int, shared);
    int lane = threadIdx.x & 31, size = DENSE ? num_dense : CODE_SLOTS;
    int num_words = SLOTS + QUEUE / 2 + (LEVELS ? SLOTS / 2 : 0) + size + (DENSE ? 0 : 2 * CODE_SLOTS + 4);
    int* base = shared + (threadIdx.x >> 5) * num_words;
    WarpStore store;
    store.nodes = base;
    store.codes = (i64*)(base + SLOTS);
    store.num_codes = base + SLOTS + (DENSE ? 0 : 2 * CODE_SLOTS);
    store.queue = (u16*)(store.num_codes + (DENSE ? 0 : 4));
    store.tally = (int*)store.queue + QUEUE / 2;
    store.level = (u16*)(store.tally + size);
    for (;;) {
        int first = 0;
        if (lane == 0) first = atomicAdd(next, 4);
        first = __shfl_sync(ALL_LANES, first, 0);
        if (first >= num_roots) break;
        for (int row = first; row < min(num_roots, first + 4); row++) {
            for (int i = lane; i < SLOTS / 4; i += 32) ((int4*)store.nodes)[i] = make_int4(-1, -1, -1, -1);
            for (int i = lane; i < size / 4; i += 32) ((int4*)store.tally)[i] = make_int4(0, 0, 0, 0);
            if (!DENSE) {
                for (int i = lane; i < CODE_SLOTS; i += 32) store.codes[i] = NO_CODE;
                if (lane == 0) *store.num_codes = 0;
            }
            // An unwritten level is larger than any distance: the node was discovered in this step.
            if (LEVELS)
                for (int i = lane; i < SLOTS / 8; i += 32) ((int4*)store.level)[i] = make_int4(-1, -1, -1, -1);
            __syncwarp();
            int root = roots ? (int)roots[row] : row, ring, end, distance;
            bool fits = search_ball<LEVELS, DENSE>(store, codec, root, radius, row_ptr, indices, ring, end, distance);
            if (fits && distance == radius)
                count_last_ring<LEVELS, DENSE>(store, codec, radius, frontier, row_ptr, indices, ring, end);
            __syncwarp();
            if (!DENSE && *store.num_codes > CODE_LIMIT) fits = false;
            if (fits) drain_tally<DENSE>(store, size, row, rows);
            else if (lane == 0) left[atomicAdd(num_left, 1)] = row;
            __syncwarp();
        }
    }
}

extern "C" {
#define WARP_KERNEL(name, LEVELS, DENSE, Code)                                                                      \
    __global__ void __launch_bounds__(256)                                                                          \
        name(i64 base, i64 limit, i64 label_base, const int* labels, int kind, int num_roots, const i64* roots,     \
             int radius, int frontier, const int* row_ptr, const int* indices, int num_dense, int* next, int* left, \
             int* num_left, ROW_PARAMETERS(Code)) {                                                                 \
        Codec codec = {base, limit, label_base, labels, kind};                                                      \
        search_roots<LEVELS, DENSE, Code>(codec, num_roots, roots, radius, frontier, row_ptr, indices, num_dense,   \
                                          next, left, num_left, ROW_ARGUMENTS);                                     \
    }
WARP_KERNEL(warp_scan_dense, false, true, int)
WARP_KERNEL(warp_scan, false, false, int)
WARP_KERNEL(warp_scan_wide, false, false, i64)
WARP_KERNEL(warp_levels_dense, true, true, int)
WARP_KERNEL(warp_levels, true, false, int)
WARP_KERNEL(warp_levels_wide, true, false, i64)
}  // extern "C"
