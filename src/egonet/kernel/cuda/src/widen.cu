// The bitwise search: balls of radius 1, and their growth by one step, hundreds of roots at a time.
// A block per root sets the root's bit in the rows of the root and of its neighbors.
extern "C" __global__ void seed_sets(int num_nodes, int map_words, const int* row_ptr, const int* heads,
                                     const int* roots, u32* sets, u32* some) {
    int i = blockIdx.x, group = i / (256 * LANE_WORDS), root = roots[i];
    u32* set = sets + (size_t)group * num_nodes * (8 * LANE_WORDS) + (i >> 5) % (8 * LANE_WORDS);
    u32 bit = 1u << (i & 31), *map = some + (size_t)group * map_words;
    int begin = row_ptr[root] - 1;
    for (int k = begin + threadIdx.x; k < row_ptr[root + 1]; k += blockDim.x) {
        int v = k == begin ? root : heads[k];
        atomicOr(&set[(size_t)v * (8 * LANE_WORDS)], bit);
        if (!bit_of(map, v)) atomicOr(&map[v >> 5], 1u << (v & 31));
    }
}
// Sets the bits of the last group that have no root.
extern "C" __global__ void fill_unused(int num_nodes, int map_words, int num_roots, u32* set, u32* some) {
    int v = thread_index(), first = num_roots % (256 * LANE_WORDS);
    if (v < num_nodes)
        for (int word = first >> 5; word < 8 * LANE_WORDS; word++)
            set[(size_t)v * (8 * LANE_WORDS) + word] |= word == first >> 5 ? ALL_LANES << (first & 31) : ALL_LANES;
    if (v < map_words) some[v] = ALL_LANES;
}

// next[w] = set[w] | set[x] for all neighbors x, of the rows below num_low; the map is kept in shared memory.
extern "C" __global__ void __launch_bounds__(512)
    widen_low(int num_nodes, int num_low, int map_words, const int* row_ptr, const int* heads, const u32* sets,
              const u32* some, u32* nexts, u32* next_some, u32* next_full) {
    DYNAMIC_SHARED(u32, map);
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * LANE_WORDS), map_offset = (size_t)blockIdx.y * map_words;
    const u32* set = sets + offset;
    int lane = threadIdx.x & 31, lane8 = lane & 7, warps = blockDim.x >> 5;
    copy_map(map, some + map_offset, map_words);
    __syncthreads();
    for (int quad = blockIdx.x * warps + (threadIdx.x >> 5); quad * 4 < num_low; quad += gridDim.x * warps) {
        int w = quad * 4 + (lane >> 3), begin = 0, length = 0;
        Row row = {};
        if (w < num_low) {
            row = load_row(set, w, lane8);
            begin = row_ptr[w], length = row_ptr[w + 1] - begin;
        }
        int longest = max_of_rows(length);
        for (int k = 0; k < longest; k += 8) {
            int head = k + lane8 < length ? heads[begin + k + lane8] : -1;
            if (head >= 0 && !bit_of(map, head)) head = -1;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                int x = __shfl_sync(ALL_LANES, head, (lane & 24) | j);
                if (x >= 0) {
                    Row other = load_row(set, x, lane8);
#pragma unroll
                    for (int i = 0; i < LANE_WORDS; i++) row.word[i] |= other.word[i];
                }
            }
        }
        if (w < num_low) store_row(nexts + offset, w, lane8, row);
        note_row(w, w < num_low, row, next_some + map_offset, next_full + map_offset);
    }
}

// The union of the rows of heads[begin + 8 * part ...], eight at a time in steps of 8 * parts, over a warp. Stops
// early once all bits are one.
__device__ __forceinline__ Row union_slice(const u32* set, const u32* some, const int* heads, int begin, int end,
                                           int part, int parts) {
    int lane = threadIdx.x & 31, lane8 = lane & 7, steps = 0;
    Row row = {};
    for (int k = begin; k < end; k += 8 * parts) {
        int at = k + part * 8 + lane8, head = at < end ? heads[at] : -1;
        if (head >= 0 && !bit_of(some, head)) head = -1;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int x = __shfl_sync(ALL_LANES, head, (lane & 24) | j);
            if (x >= 0) {
                Row other = load_row(set, x, lane8);
#pragma unroll
                for (int i = 0; i < LANE_WORDS; i++) row.word[i] |= other.word[i];
            }
        }
        if ((++steps & 3) == 0) {
            u32 all = ALL_LANES;
#pragma unroll
            for (int i = 0; i < LANE_WORDS; i++) {
                u32 both = row.word[i] | __shfl_xor_sync(ALL_LANES, row.word[i], 8);
                all &= both | __shfl_xor_sync(ALL_LANES, both, 16);
            }
            if (__all_sync(ALL_LANES, all == ALL_LANES)) break;
        }
    }
#pragma unroll
    for (int i = 0; i < LANE_WORDS; i++) {
        row.word[i] |= __shfl_xor_sync(ALL_LANES, row.word[i], 8);
        row.word[i] |= __shfl_xor_sync(ALL_LANES, row.word[i], 16);
    }
    return row;
}
// A warp per row from num_low up to num_hub, the longest first.
extern "C" __global__ void __launch_bounds__(256)
    widen_hubs(int num_nodes, int num_low, int num_hub, int map_words, const int* row_ptr, const int* heads,
               const u32* sets, const u32* some, u32* nexts, u32* next_some, u32* next_full) {
    int w = num_hub - 1 - (int)(blockIdx.x * 8 + (threadIdx.x >> 5)), lane = threadIdx.x & 31;
    if (w < num_low) return;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * LANE_WORDS), map_offset = (size_t)blockIdx.y * map_words;
    Row row = union_slice(sets + offset, some + map_offset, heads, row_ptr[w], row_ptr[w + 1], lane >> 3, 4);
    Row own = load_row(sets + offset, w, lane & 7);
#pragma unroll
    for (int i = 0; i < LANE_WORDS; i++) row.word[i] |= own.word[i];
    if (lane < 8) store_row(nexts + offset, w, lane, row);
    note_row(w, lane == 0, row, next_some + map_offset, next_full + map_offset);
}
// A block of 256 threads per row from num_hub on.
extern "C" __global__ void __launch_bounds__(256)
    widen_giants(int num_nodes, int map_words, const int* row_ptr, const int* heads, const u32* sets, const u32* some,
                 u32* nexts, u32* next_some, u32* next_full) {
    __shared__ u32 united[8 * LANE_WORDS];
    int w = num_nodes - 1 - (int)blockIdx.x, lane = threadIdx.x & 31;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * LANE_WORDS), map_offset = (size_t)blockIdx.y * map_words;
    if (threadIdx.x < 8 * LANE_WORDS) united[threadIdx.x] = sets[offset + (size_t)w * (8 * LANE_WORDS) + threadIdx.x];
    __syncthreads();
    Row row = union_slice(sets + offset, some + map_offset, heads, row_ptr[w], row_ptr[w + 1], threadIdx.x >> 3, 32);
    if (lane < 8)
#pragma unroll
        for (int i = 0; i < LANE_WORDS; i++) atomicOr(&united[lane * LANE_WORDS + i], row.word[i]);
    __syncthreads();
    if (threadIdx.x >= 32) return;
#pragma unroll
    for (int i = 0; i < LANE_WORDS; i++) row.word[i] = united[(lane & 7) * LANE_WORDS + i];
    if (lane < 8) store_row(nexts + offset, w, lane, row);
    note_row(w, lane == 0, row, next_some + map_offset, next_full + map_offset);
}
