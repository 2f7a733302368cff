// Radius 1: a neighbor's degree inside the ego-network is 1 + the triangles over their common edge, so a row is a
// histogram of edge supports, and each triangle is found once.
//
// Layout. `orient.cu` defines `outs`, `out_to`, `out_from`, `in_to` and `tail`; support[e] is the number of triangles
// over edge e.
//
// A triangle u -> v -> w, u -> w is found at the edge (u, v), by streaming the shorter of out(u), out(v) through a
// hash table of the longer, whose node is the owner (u if equal). Owners with up to 32 out-neighbors get a warp and a
// small table in shared memory, those up to `medium` and `large` a block and a table in shared memory, the others a
// block and a table in device memory (`list_owners` has the kinds). In a block a warp streams a list, in a warp eight
// lanes.
// Invariant: a table contains the owner's out-list; found[slot] is the number of triangles found over the edge to
// key[slot].
#define EMPTY (-1)
#define MEDIUM 1024
#define MOST_THREADS 512
#define WARP_LANES 8
#define NUM_MEDIUM 4

struct Table {
    int* key;
    int* found;
    int shift;
    u32 mask;

    __device__ __forceinline__ int insert(int node) const {
        u32 slot = hash_node(node, shift);
        while (atomicCAS(&key[slot], EMPTY, node) != EMPTY) slot = (slot + 1) & mask;
        return (int)slot;
    }
    __device__ __forceinline__ int find(int node) const {
        u32 slot = hash_node(node, shift);
        for (int stored; (stored = key[slot]) != EMPTY; slot = (slot + 1) & mask)
            if (stored == node) return (int)slot;
        return EMPTY;
    }
};

// LANES of a warp stream one out-list through the owner's table. edge_slot >= 0: the list of an out-neighbor, which
// has this slot; otherwise the list of an in-neighbor, which contains the owner.
template <int LANES>
__device__ __forceinline__ void stream_list(const Table& table, int owner, int begin, int end, int edge_slot,
                                            const int* out_to, int* support) {
    int hits = 0, own_edge = EMPTY, e = begin + threadIdx.x % LANES, to = e < end ? out_to[e] : EMPTY;
    // The next head is loaded during the lookup of the current one.
    for (; e < end; e += LANES) {
        int next = e + LANES < end ? out_to[e + LANES] : EMPTY;
        if (to == owner) {
            own_edge = e;
        } else {
            int slot = table.find(to);
            if (slot >= 0) {
                hits++;
                atomicAdd(&table.found[slot], 1);
                atomicAdd(&support[e], 1);
            }
        }
        to = next;
    }
#pragma unroll
    for (int half = LANES / 2; half; half >>= 1) hits += __shfl_xor_sync(ALL_LANES, hits, half);
    if (!hits) return;
    if (edge_slot >= 0) {
        if (threadIdx.x % LANES == 0) atomicAdd(&table.found[edge_slot], hits);
    } else if (own_edge >= 0) {
        atomicAdd(&support[own_edge], hits);
    }
}

// The lists that a block or a warp streams, and the table slots of their edges, in shared memory.
struct Lists {
    int begin[MOST_THREADS], end[MOST_THREADS], slot[MOST_THREADS];
};

// A warp per owner of at most 32 out-neighbors, `share` owners at a time; the table has 128 slots and is empty at the
// end.
__device__ __forceinline__ void count_by_warps(const int* owners, int total, int* next, int share, const Table& table,
                                               int* begins, int* ends, int* slots, const int* row_ptr, const int2* outs,
                                               const int* out_to, const int* in_to, int* support) {
    int lane = threadIdx.x & 31, group = lane / WARP_LANES;
    for (;;) {
        int first = 0;
        if (lane == 0) first = atomicAdd(next, share);
        first = __shfl_sync(ALL_LANES, first, 0);
        if (first >= total) break;
        for (int i = first; i < min(total, first + share); i++) {
            int owner = owners[i], begin = outs[owner].x, length = outs[owner].y - begin;
            int in_begin = row_ptr[owner] - begin, num_in = row_ptr[owner + 1] - row_ptr[owner] - length, slot = 0;
            // Step -32 processes the out-neighbors and fills the table; every other step 32 in-neighbors.
            for (int step = -32; step < num_in; step += 32) {
                int2 list = make_int2(0, 0);
                int edge_slot = EMPTY;
                bool shorter = false;
                if (step < 0) {
                    if (lane < length) {
                        int v = out_to[begin + lane];
                        slot = edge_slot = table.insert(v);
                        list = outs[v];
                        shorter = list.y > list.x && list.y - list.x <= length;
                    }
                } else if (step + lane < num_in) {
                    int v = in_to[in_begin + step + lane];
                    list = outs[v];
                    shorter = list.y - list.x > 1 && list.y - list.x < length;
                }
                u32 kept = __ballot_sync(ALL_LANES, shorter);
                if (shorter) {
                    int position = __popc(kept & ((1u << lane) - 1));
                    begins[position] = list.x, ends[position] = list.y, slots[position] = edge_slot;
                }
                __syncwarp();
                for (int t = group; t - group < __popc(kept); t += 32 / WARP_LANES) {
                    bool some = t < __popc(kept);
                    stream_list<WARP_LANES>(table, owner, some ? begins[t] : 0, some ? ends[t] : 0,
                                            some ? slots[t] : EMPTY, out_to, support);
                }
                __syncwarp();
            }
            if (lane < length) {
                if (table.found[slot]) atomicAdd(&support[begin + lane], table.found[slot]);
                table.key[slot] = EMPTY, table.found[slot] = 0;
            }
            __syncwarp();
        }
    }
}

// A block streams, for the owner whose out-list is in the table, all lists that are shorter.
__device__ __forceinline__ void stream_lists(const Table& table, Lists& lists, int& num_kept, int owner, int begin,
                                             int length, const int* row_ptr, const int2* outs, const int* out_to,
                                             const int* in_to, int* support) {
    int threads = blockDim.x;
    int in_begin = row_ptr[owner] - begin, both = row_ptr[owner + 1] - row_ptr[owner];
    for (int step = 0; step < both; step += threads) {
        __syncthreads();
        if (threadIdx.x == 0) num_kept = 0;
        __syncthreads();
        int k = step + threadIdx.x;
        if (k < both) {
            int v = k < length ? out_to[begin + k] : in_to[in_begin + k - length];
            int from = outs[v].x, to = outs[v].y;
            if (k < length ? to > from && to - from <= length : to - from > 1 && to - from < length) {
                int position = atomicAdd(&num_kept, 1);
                lists.begin[position] = from, lists.end[position] = to;
                lists.slot[position] = k < length ? table.find(v) : EMPTY;
            }
        }
        __syncthreads();
        for (int t = threadIdx.x / 32, kept = num_kept; t < kept; t += threads / 32)
            stream_list<32>(table, owner, lists.begin[t], lists.end[t], lists.slot[t], out_to, support);
    }
    __syncthreads();
}

// A block per owner; the table is a power of two that is at least twice the out-list, at `keys` and `founds`.
__device__ __forceinline__ void count_by_block(const int* owners, int total, int* next, int* keys, int* founds,
                                               const int* row_ptr, const int2* outs, const int* out_to,
                                               const int* in_to, int* support) {
    __shared__ Lists lists;
    __shared__ int shared_item, num_kept;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) shared_item = atomicAdd(next, 1);
        __syncthreads();
        if (shared_item >= total) break;
        int owner = owners[shared_item], begin = outs[owner].x, length = outs[owner].y - begin;
        int bits = 33 - __clz(length - 1), size = 1 << bits;
        Table table = {keys, founds, 32 - bits, (u32)(size - 1)};
        for (int i = threadIdx.x; i < size; i += blockDim.x) keys[i] = EMPTY, founds[i] = 0;
        __syncthreads();
        for (int k = threadIdx.x; k < length; k += blockDim.x) table.insert(out_to[begin + k]);
        stream_lists(table, lists, num_kept, owner, begin, length, row_ptr, outs, out_to, in_to, support);
        for (int k = threadIdx.x; k < length; k += blockDim.x) {
            int hits = founds[table.find(out_to[begin + k])];
            if (hits) atomicAdd(&support[begin + k], hits);
        }
    }
}

extern "C" {
// Blocks of 256 threads first take owners of up to MEDIUM out-neighbors, with a table of 2048 slots that is rarely
// full and cleared slot by slot; then each warp takes owners of up to 32.
__global__ void __launch_bounds__(256)
    count_triangles(int num_nodes, int stride, int share, const int* owners, const int* num_owners, int* next,
                    const int* row_ptr, const int2* outs, const int* out_to, const int* in_to, int* support) {
    __shared__ Lists lists;
    __shared__ int keys[2 * MEDIUM], founds[2 * MEDIUM], shared_item, num_kept;
    Table table = {keys, founds, 21, 2 * MEDIUM - 1};
    for (int i = threadIdx.x; i < 2 * MEDIUM; i += 256) keys[i] = EMPTY, founds[i] = 0;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            // Invariant: `item` counts from the first owner of `kind`; all higher kinds come before.
            int kind = NUM_MEDIUM, item = atomicAdd(&next[1], 1);
            while (kind && item >= num_owners[kind]) item -= num_owners[kind--];
            shared_item = kind ? owners[num_nodes + (i64)(kind - 1) * stride + item] : EMPTY;
        }
        __syncthreads();
        if (shared_item == EMPTY) break;
        int owner = shared_item, begin = outs[owner].x, length = outs[owner].y - begin;
        for (int k = threadIdx.x; k < length; k += 256) table.insert(out_to[begin + k]);
        stream_lists(table, lists, num_kept, owner, begin, length, row_ptr, outs, out_to, in_to, support);
        int slots[MEDIUM / 256];
#pragma unroll
        for (int j = 0; j < MEDIUM / 256; j++) {
            int k = threadIdx.x + 256 * j;
            slots[j] = k < length ? table.find(out_to[begin + k]) : EMPTY;
            if (k < length && founds[slots[j]]) atomicAdd(&support[begin + k], founds[slots[j]]);
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < MEDIUM / 256; j++)
            if (slots[j] >= 0) keys[slots[j]] = EMPTY, founds[slots[j]] = 0;
    }
    __syncthreads();
    int warp = threadIdx.x >> 5, at = 32 * warp;
    Table small = {keys + 128 * warp, founds + 128 * warp, 25, 127};
    count_by_warps(owners, num_owners[0], next, share, small, lists.begin + at, lists.end + at, lists.slot + at,
                   row_ptr, outs, out_to, in_to, support);
}
__global__ void __launch_bounds__(MOST_THREADS)
    count_by_blocks(int capacity, const int* owners, const int* num_owners, int* next, const int* row_ptr,
                    const int2* outs, const int* out_to, const int* in_to, int* support) {
    DYNAMIC_SHARED(int, tables);
    count_by_block(owners, *num_owners, next, tables, tables + 2 * capacity, row_ptr, outs, out_to, in_to, support);
}
__global__ void __launch_bounds__(MOST_THREADS)
    count_by_blocks_wide(i64 table_size, int* tables, const int* owners, const int* num_owners, int* next,
                         const int* row_ptr, const int2* outs, const int* out_to, const int* in_to, int* support) {
    int* keys = tables + 2 * table_size * blockIdx.x;
    count_by_block(owners, *num_owners, next, keys, keys + table_size, row_ptr, outs, out_to, in_to, support);
}

// bins[row_ptr[v] + s]: neighbors of v with support s, which is less than the degree of v. Codes: the root's degree,
// then `base` + support; marks those in use.
__global__ void bin_supports(int num_nodes, int num_edges, int base, int limit, const int* row_ptr, const int* out_from,
                             const int* out_to, const int* support, int* bins, u8* marks) {
    int k = thread_index();
    if (k < num_nodes) mark_code(marks, min(row_ptr[k + 1] - row_ptr[k], base - 1));
    if (k >= num_edges) return;
    int bin = min(support[k], limit);
    atomicAdd(&bins[row_ptr[out_from[k]] + bin], 1);
    atomicAdd(&bins[row_ptr[out_to[k]] + bin], 1);
    mark_code(marks, base + bin);
}
// before[k]: bins in use among the first k.
__global__ void write_rows(int num_nodes, int num_arcs, int base, const int* row_ptr, const int* tail, const int* bins,
                           const int* before, const int* column_of, i64* indptr, int* columns, int* counts) {
    int k = thread_index();
    if (k <= num_nodes) {
        int position = before[row_ptr[k]] + k;
        indptr[k] = position;
        if (k < num_nodes)
            columns[position] = column_of[min(row_ptr[k + 1] - row_ptr[k], base - 1)], counts[position] = 1;
    }
    if (k >= num_arcs || !bins[k]) return;
    int v = tail[k], position = before[k] + v + 1;
    columns[position] = column_of[base + k - row_ptr[v]];
    counts[position] = bins[k];
}
}  // extern "C"
