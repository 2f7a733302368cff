// Balls that overlap much, total degrees: hundreds of roots at a time, a bit each.
//
// Layout. Vertices are renumbered by rising degree, those without neighbours left out; `row_ptr` (num_nodes + 1) and
// `heads` (num_arcs, rising per row) are the graph so renumbered. Roots come in groups of 256 * WORDS. For every
// group a set of balls is num_nodes rows of 8 * WORDS words: bit i of row w says that w is in the ball of root i.
// Eight lanes share a row, each holds WORDS words next to each other, so that a warp reads four rows at a time. Two
// bit maps per set, a bit per vertex, tell rows that are all zero (`some` unset) or all one (`full` set): they are
// never fetched. Bits beyond the last root are one in every row of every set, so that they are in no ring.
//
// `bins[value * stride + root]` counts, for the rings at distance 2, 3, ..., vertices of degree `value` inside
// the ball; ring d adds (d - 2) * base to the value. A ring is a set less the set before it.
//
// Rows in the order of their degrees: up to `num_tiny` (degree < 8) eight lanes count many rows without leaving their
// registers, up to `num_low` they go four to a warp, up to `num_hub` one to a warp, and the largest one to a block.
// Values of `far` and more can only come from rows from `first_far` on: these few are not binned but kept, as
// far_values[(row - first_far) * stride + root], and sorted for each root.
// Invariant: sets are monotone, set d - 1 within set d. Bit-sliced counters: bit s of the count of a lane's bit b is
// bit b of slice[s].
#define HUB_SLICES 13
#define GIANT_SLICES 15
#define LOW_SLICES 9

template <int WORDS>
struct Row {
    u32 word[WORDS];
};
template <int WORDS>
__device__ __forceinline__ Row<WORDS> load_row(const u32* set, int row, int lane8) {
    Row<WORDS> out;
    const u32* from = set + (size_t)(u32)row * (8 * WORDS) + lane8 * WORDS;
    if (WORDS == 1) {
        out.word[0] = __ldcg(from);
    } else if (WORDS == 2) {
        uint2 pair = __ldcg((const uint2*)from);
        out.word[0] = pair.x, out.word[WORDS - 1] = pair.y;
    } else {
        uint4 four = __ldcg((const uint4*)from);
        out.word[0] = four.x, out.word[1 % WORDS] = four.y, out.word[2 % WORDS] = four.z, out.word[WORDS - 1] = four.w;
    }
    return out;
}
template <int WORDS>
__device__ __forceinline__ void store_row(u32* set, int row, int lane8, const Row<WORDS>& value) {
    u32* to = set + (size_t)(u32)row * (8 * WORDS) + lane8 * WORDS;
#pragma unroll
    for (int j = 0; j < WORDS; j++) to[j] = value.word[j];
}
__device__ __forceinline__ bool bit_of(const u32* map, int index) { return (map[index >> 5] >> (index & 31)) & 1; }
__device__ __forceinline__ void copy_map(u32* to, const u32* from, int words) {
    for (int i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}

// Notes in the bit maps whether the row that eight lanes hold is some or full; every lane of the warp takes part.
template <int WORDS>
__device__ __forceinline__ void note_row(int row, bool valid, const Row<WORDS>& value, u32* some, u32* full) {
    u32 any = 0, all = ALL_LANES;
#pragma unroll
    for (int j = 0; j < WORDS; j++) any |= value.word[j], all &= value.word[j];
    int shift = threadIdx.x & 24;
    u32 nonzero = (__ballot_sync(ALL_LANES, any != 0) >> shift) & 0xff;
    u32 ones = (__ballot_sync(ALL_LANES, all == ALL_LANES) >> shift) & 0xff;
    if (!valid || (threadIdx.x & 7)) return;
    if (nonzero) atomicOr(&some[row >> 5], 1u << (row & 31));
    if (ones == 0xff) atomicOr(&full[row >> 5], 1u << (row & 31));
}

// ---- sets: the balls of radius 1, and from each radius to the next

// A block per root sets its bit in its own row and in those of its neighbours.
template <int WORDS>
__device__ __forceinline__ void seed_sets(int num_nodes, int map_words, const int* row_ptr, const int* heads,
                                          const int* roots, u32* sets, u32* some) {
    int i = blockIdx.x, group = i / (256 * WORDS), root = roots[i];
    u32* set = sets + (size_t)group * num_nodes * (8 * WORDS) + (i >> 5) % (8 * WORDS);
    u32 bit = 1u << (i & 31), *map = some + (size_t)group * map_words;
    int begin = row_ptr[root] - 1;
    for (int k = begin + threadIdx.x; k < row_ptr[root + 1]; k += blockDim.x) {
        int v = k == begin ? root : heads[k];
        atomicOr(&set[(size_t)v * (8 * WORDS)], bit);
        if (!bit_of(map, v)) atomicOr(&map[v >> 5], 1u << (v & 31));
    }
}
// Bits of the last group that stand for no root become one everywhere.
template <int WORDS>
__device__ __forceinline__ void fill_unused(int num_nodes, int map_words, int num_roots, u32* set, u32* some) {
    int v = thread_index(), first = num_roots % (256 * WORDS);
    if (v < num_nodes)
        for (int word = first >> 5; word < 8 * WORDS; word++)
            set[(size_t)v * (8 * WORDS) + word] |= word == first >> 5 ? ALL_LANES << (first & 31) : ALL_LANES;
    if (v < map_words) some[v] = ALL_LANES;
}

// next[w] = set[w] | set[x] for all neighbours x, of the rows below num_low; the map is kept in shared memory.
template <int WORDS>
__device__ __forceinline__ void widen_low(int num_nodes, int num_low, int map_words, const int* row_ptr,
                                          const int* heads, const u32* sets, const u32* some, u32* nexts,
                                          u32* next_some, u32* next_full) {
    DYNAMIC_SHARED(u32, map);
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * WORDS), map_offset = (size_t)blockIdx.y * map_words;
    const u32* set = sets + offset;
    int lane = threadIdx.x & 31, lane8 = lane & 7, warps = blockDim.x >> 5;
    copy_map(map, some + map_offset, map_words);
    __syncthreads();
    for (int quad = blockIdx.x * warps + (threadIdx.x >> 5); quad * 4 < num_low; quad += gridDim.x * warps) {
        int w = quad * 4 + (lane >> 3), begin = 0, length = 0;
        Row<WORDS> row = {};
        if (w < num_low) {
            row = load_row<WORDS>(set, w, lane8);
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
                    Row<WORDS> other = load_row<WORDS>(set, x, lane8);
#pragma unroll
                    for (int i = 0; i < WORDS; i++) row.word[i] |= other.word[i];
                }
            }
        }
        if (w < num_low) store_row(nexts + offset, w, lane8, row);
        note_row(w, w < num_low, row, next_some + map_offset, next_full + map_offset);
    }
}

// The union of the rows of heads[begin + 8 * part ...], eight at a time in steps of 8 * parts, over a warp. Stops
// early once all bits are one.
template <int WORDS>
__device__ __forceinline__ Row<WORDS> union_slice(const u32* set, const u32* some, const int* heads, int begin,
                                                  int end, int part, int parts) {
    int lane = threadIdx.x & 31, lane8 = lane & 7, steps = 0;
    Row<WORDS> row = {};
    for (int k = begin; k < end; k += 8 * parts) {
        int at = k + part * 8 + lane8, head = at < end ? heads[at] : -1;
        if (head >= 0 && !bit_of(some, head)) head = -1;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int x = __shfl_sync(ALL_LANES, head, (lane & 24) | j);
            if (x >= 0) {
                Row<WORDS> other = load_row<WORDS>(set, x, lane8);
#pragma unroll
                for (int i = 0; i < WORDS; i++) row.word[i] |= other.word[i];
            }
        }
        if ((++steps & 3) == 0) {
            u32 all = ALL_LANES;
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                u32 both = row.word[i] | __shfl_xor_sync(ALL_LANES, row.word[i], 8);
                all &= both | __shfl_xor_sync(ALL_LANES, both, 16);
            }
            if (__all_sync(ALL_LANES, all == ALL_LANES)) break;
        }
    }
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        row.word[i] |= __shfl_xor_sync(ALL_LANES, row.word[i], 8);
        row.word[i] |= __shfl_xor_sync(ALL_LANES, row.word[i], 16);
    }
    return row;
}
// A warp per row from num_low up to num_hub, the longest first.
template <int WORDS>
__device__ __forceinline__ void widen_hubs(int num_nodes, int num_low, int num_hub, int map_words, const int* row_ptr,
                                           const int* heads, const u32* sets, const u32* some, u32* nexts,
                                           u32* next_some, u32* next_full) {
    int w = num_hub - 1 - (int)(blockIdx.x * 8 + (threadIdx.x >> 5)), lane = threadIdx.x & 31;
    if (w < num_low) return;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * WORDS), map_offset = (size_t)blockIdx.y * map_words;
    Row<WORDS> row = union_slice<WORDS>(sets + offset, some + map_offset, heads, row_ptr[w], row_ptr[w + 1], lane >> 3, 4);
    Row<WORDS> own = load_row<WORDS>(sets + offset, w, lane & 7);
#pragma unroll
    for (int i = 0; i < WORDS; i++) row.word[i] |= own.word[i];
    if (lane < 8) store_row(nexts + offset, w, lane, row);
    note_row(w, lane == 0, row, next_some + map_offset, next_full + map_offset);
}
// A block of 256 threads per row from num_hub on.
template <int WORDS>
__device__ __forceinline__ void widen_giants(int num_nodes, int map_words, const int* row_ptr, const int* heads,
                                             const u32* sets, const u32* some, u32* nexts, u32* next_some,
                                             u32* next_full) {
    __shared__ u32 united[8 * WORDS];
    int w = num_nodes - 1 - (int)blockIdx.x, lane = threadIdx.x & 31;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * WORDS), map_offset = (size_t)blockIdx.y * map_words;
    if (threadIdx.x < 8 * WORDS) united[threadIdx.x] = sets[offset + (size_t)w * (8 * WORDS) + threadIdx.x];
    __syncthreads();
    Row<WORDS> row = union_slice<WORDS>(sets + offset, some + map_offset, heads, row_ptr[w], row_ptr[w + 1],
                                        threadIdx.x >> 3, 32);
    if (lane < 8)
#pragma unroll
        for (int i = 0; i < WORDS; i++) atomicOr(&united[lane * WORDS + i], row.word[i]);
    __syncthreads();
    if (threadIdx.x >= 32) return;
#pragma unroll
    for (int i = 0; i < WORDS; i++) row.word[i] = united[(lane & 7) * WORDS + i];
    if (lane < 8) store_row(nexts + offset, w, lane, row);
    note_row(w, lane == 0, row, next_some + map_offset, next_full + map_offset);
}

// ---- counting: how many neighbours of a ring's vertex are inside each ball

// Adds 8 rows to the counters 1, 2 and 4; returns what carries into 8.
__device__ __forceinline__ u32 majority(u32 a, u32 b, u32 c) { return (a & b) | (c & (a | b)); }
__device__ __forceinline__ u32 add_two(u32& low, u32 a, u32 b) {
    u32 carry = majority(low, a, b);
    low ^= a ^ b;
    return carry;
}
__device__ __forceinline__ u32 add_eight(const u32* rows, u32& one, u32& two, u32& four) {
    u32 a = add_two(one, rows[0], rows[1]), b = add_two(one, rows[2], rows[3]), c = add_two(two, a, b);
    a = add_two(one, rows[4], rows[5]), b = add_two(one, rows[6], rows[7]);
    return add_two(four, c, add_two(two, a, b));
}
// Adds the rows of heads[begin + 8 * part ...] in steps of 8 * parts; `longest` is the end of the longest of the
// warp's rows, `fulls` counts rows that are all one.
template <int WORDS, int SLICES>
__device__ __forceinline__ void count_slice(const u32* set, const u32* some, const u32* full, const int* heads,
                                            int begin, int length, int longest, int part, int parts,
                                            u32 (&slice)[WORDS][SLICES], int& fulls) {
    int lane = threadIdx.x & 31, lane8 = lane & 7;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
#pragma unroll
        for (int s = 0; s < SLICES; s++) slice[i][s] = 0;
    fulls = 0;
    for (int k = 0; k < longest; k += 8 * parts) {
        int at = k + part * 8 + lane8, head = at < length ? heads[begin + at] : -1;
        if (head >= 0) {
            bool all = bit_of(full, head);
            fulls += all;
            if (all || !bit_of(some, head)) head = -1;
        }
        if (!__any_sync(ALL_LANES, head >= 0)) continue;
        u32 rows[WORDS][8];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int x = __shfl_sync(ALL_LANES, head, (lane & 24) | j);
            Row<WORDS> other = {};
            if (x >= 0) other = load_row<WORDS>(set, x, lane8);
#pragma unroll
            for (int i = 0; i < WORDS; i++) rows[i][j] = other.word[i];
        }
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            u32 carry = add_eight(rows[i], slice[i][0], slice[i][1], slice[i][2]);
#pragma unroll
            for (int s = 3; s < SLICES; s++) {
                u32 next = slice[i][s] & carry;
                slice[i][s] ^= carry;
                carry = next;
            }
        }
    }
    fulls = sum_of_8(fulls);
}

// Lane b's word becomes bit b of every lane's word: a 32 x 32 transpose in five exchanges.
__device__ __forceinline__ u32 transpose(u32 x, int lane) {
    const u32 masks[5] = {0x0000ffffu, 0x00ff00ffu, 0x0f0f0f0fu, 0x33333333u, 0x55555555u};
#pragma unroll
    for (int step = 0; step < 5; step++) {
        int width = 16 >> step;
        u32 mask = masks[step], y = __shfl_xor_sync(ALL_LANES, x, width);
        x = lane & width ? (x & ~mask) | ((y >> width) & mask) : (x & mask) | ((y << width) & ~mask);
    }
    return x;
}
// Bins the pairs (row, root) of a warp's four rows. After the transpose bit k of a lane stands for row k >> 3 and word
// k & 7, the lane for the root's bit. The first num_shared values are in shared memory, two roots to a word.
template <int WORDS, int USED, int SLICES>
__device__ __forceinline__ void bin_quad(const u32 (&ring)[WORDS], const u32 (&slice)[WORDS][SLICES],
                                         const int (&fulls)[4], int limit, int num_shared, u32* shared, u32* bins,
                                         int stride) {
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        if (!__any_sync(ALL_LANES, ring[i] != 0)) continue;
        u32 todo = transpose(ring[i], lane), turned[USED];
#pragma unroll
        for (int s = 0; s < USED; s++) turned[s] = transpose(slice[i][s], lane);
        while (todo) {
            int k = __ffs(todo) - 1, value = k < 16 ? (k < 8 ? fulls[0] : fulls[1]) : (k < 24 ? fulls[2] : fulls[3]);
            todo &= todo - 1;
            u32 sliced = 0;
#pragma unroll
            for (int s = 0; s < USED; s++) sliced |= ((turned[s] >> k) & 1u) << s;
            value = min(value + (int)sliced, limit);
            if (value < num_shared)
                atomicAdd(&shared[value * (128 * WORDS) + ((k & 3) * WORDS + i) * 32 + lane], 1u << ((k & 4) * 4));
            else
                atomicAdd(&bins[(size_t)value * stride + ((k & 7) * WORDS + i) * 32 + lane], 1u);
        }
    }
}

// Rows from num_tiny to num_low. A block bins fewer than 65536 rows, so that half a word never overflows.
template <int WORDS>
__device__ __forceinline__ void count_low(int num_nodes, int num_tiny, int num_low, int map_words, int limit, int num_shared,
                                          const int* row_ptr, const int* heads, const u32* inner, const u32* outer,
                                          const u32* sets, const u32* somes, const u32* fulls, u32* bins, int stride) {
    DYNAMIC_SHARED(u32, shared);
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * WORDS), map_offset = (size_t)blockIdx.y * map_words;
    u32 *some = shared + num_shared * 128 * WORDS, *full = some + map_words;
    int lane = threadIdx.x & 31, lane8 = lane & 7, warps = blockDim.x >> 5;
    bins += blockIdx.y * (256 * WORDS);
    for (int i = threadIdx.x; i < num_shared * 128 * WORDS; i += blockDim.x) shared[i] = 0;
    copy_map(some, somes + map_offset, map_words);
    copy_map(full, fulls + map_offset, map_words);
    __syncthreads();
    for (int quad = blockIdx.x * warps + (threadIdx.x >> 5); num_tiny + quad * 4 < num_low; quad += gridDim.x * warps) {
        int w = num_tiny + quad * 4 + (lane >> 3), begin = 0, length = 0;
        u32 ring[WORDS] = {}, any = 0;
        if (w < num_low) {
            Row<WORDS> out = load_row<WORDS>(outer + offset, w, lane8), in = load_row<WORDS>(inner + offset, w, lane8);
#pragma unroll
            for (int i = 0; i < WORDS; i++) any |= ring[i] = out.word[i] & ~in.word[i];
        }
        u32 live = __ballot_sync(ALL_LANES, any != 0);
        if (!live) continue;
        if ((live >> (lane & 24)) & 0xff) begin = row_ptr[w], length = row_ptr[w + 1] - begin;
        int longest = max_of_rows(length), mine;
        u32 slice[WORDS][LOW_SLICES];
        count_slice<WORDS, LOW_SLICES>(sets + offset, some, full, heads, begin, length, longest, 0, 1, slice, mine);
        int all[4];
#pragma unroll
        for (int j = 0; j < 4; j++) all[j] = __shfl_sync(ALL_LANES, mine, j * 8);
        u32* to = shared;
        if (longest < 16) bin_quad<WORDS, 4>(ring, slice, all, limit, num_shared, to, bins, stride);
        else if (longest < 64) bin_quad<WORDS, 6>(ring, slice, all, limit, num_shared, to, bins, stride);
        else bin_quad<WORDS, LOW_SLICES>(ring, slice, all, limit, num_shared, to, bins, stride);
        __syncwarp();
    }
    __syncthreads();
    for (int i = threadIdx.x; i < num_shared * 128 * WORDS; i += blockDim.x) {
        u32 both = shared[i], *to = bins + (size_t)(i / (128 * WORDS)) * stride + i % (128 * WORDS);
        if (both & 0xffff) atomicAdd(to, both & 0xffff);
        if (both >> 16) atomicAdd(to + 128 * WORDS, both >> 16);
    }
}

// A warp per row from num_low up to num_hub: four groups of lanes count a quarter each and add up their slices.
template <int WORDS, int SLICES>
__device__ __forceinline__ void add_quarters(u32 (&slice)[WORDS][SLICES]) {
#pragma unroll
    for (int i = 0; i < WORDS; i++)
#pragma unroll
        for (int width = 8; width <= 16; width += 8) {
            u32 carry = 0;
#pragma unroll
            for (int s = 0; s < SLICES; s++) {
                u32 other = __shfl_xor_sync(ALL_LANES, slice[i][s], width), mine = slice[i][s];
                slice[i][s] = mine ^ other ^ carry;
                carry = majority(mine, other, carry);
            }
        }
}
__device__ __forceinline__ int sum_of_rows(int x) {
    x += __shfl_xor_sync(ALL_LANES, x, 8);
    return x + __shfl_xor_sync(ALL_LANES, x, 16);
}
// What hubs and giants do with a value: bin it, or keep it if it is far.
struct Bins {
    u32* bins;
    int* far_values;
    int stride, limit, far, first_far;

    __device__ __forceinline__ void add(int row, int value, int root) const {
        value = min(value, limit);
        if (value >= far) far_values[(size_t)(row - first_far) * stride + root] = value;
        else atomicAdd(&bins[(size_t)value * stride + root], 1u);
    }
};
template <int WORDS>
__device__ __forceinline__ void count_hubs(int num_nodes, int num_low, int num_hub, int map_words, const int* row_ptr,
                                           const int* heads, const u32* inner, const u32* outer, const u32* sets,
                                           const u32* somes, const u32* fulls, const Bins& bins) {
    int w = num_hub - 1 - (int)(blockIdx.x * 8 + (threadIdx.x >> 5)), lane = threadIdx.x & 31, mine;
    if (w < num_low) return;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * WORDS), map_offset = (size_t)blockIdx.y * map_words;
    Row<WORDS> out = load_row<WORDS>(outer + offset, w, lane & 7), in = load_row<WORDS>(inner + offset, w, lane & 7);
    u32 any = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) any |= out.word[i] &= ~in.word[i];
    if (!__any_sync(ALL_LANES, any != 0)) return;
    u32 slice[WORDS][HUB_SLICES];
    int begin = row_ptr[w], length = row_ptr[w + 1] - begin;
    count_slice<WORDS, HUB_SLICES>(sets + offset, somes + map_offset, fulls + map_offset, heads, begin, length, length,
                                   lane >> 3, 4, slice, mine);
    add_quarters<WORDS, HUB_SLICES>(slice);
    mine = sum_of_rows(mine);
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            u32 ring = __shfl_sync(ALL_LANES, out.word[i], j), value = 0;
            if (!ring) continue;
#pragma unroll
            for (int s = 0; s < HUB_SLICES; s++) value |= ((__shfl_sync(ALL_LANES, slice[i][s], j) >> lane) & 1u) << s;
            if ((ring >> lane) & 1)
                bins.add(w, (int)value + mine, blockIdx.y * (256 * WORDS) + (j * WORDS + i) * 32 + lane);
        }
}
// A block of 256 threads per row from num_hub on: each warp counts an eighth.
template <int WORDS>
__device__ __forceinline__ void count_giants(int num_nodes, int map_words, const int* row_ptr, const int* heads,
                                             const u32* inner, const u32* outer, const u32* sets, const u32* somes,
                                             const u32* fulls, const Bins& bins) {
    __shared__ u32 slices[8][GIANT_SLICES][8 * WORDS];
    __shared__ int full_sums[8];
    int w = num_nodes - 1 - (int)blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, mine;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * WORDS), map_offset = (size_t)blockIdx.y * map_words;
    u32 slice[WORDS][GIANT_SLICES];
    int begin = row_ptr[w], length = row_ptr[w + 1] - begin;
    count_slice<WORDS, GIANT_SLICES>(sets + offset, somes + map_offset, fulls + map_offset, heads, begin, length,
                                     length, threadIdx.x >> 3, 32, slice, mine);
    add_quarters<WORDS, GIANT_SLICES>(slice);
    mine = sum_of_rows(mine);
    if (lane < 8)
#pragma unroll
        for (int i = 0; i < WORDS; i++)
#pragma unroll
            for (int s = 0; s < GIANT_SLICES; s++) slices[warp][s][lane * WORDS + i] = slice[i][s];
    if (lane == 0) full_sums[warp] = mine;
    __syncthreads();
    for (int i = threadIdx.x; i < 256 * WORDS; i += 256) {
        size_t at = offset + (size_t)w * (8 * WORDS) + (i >> 5);
        if (!(((outer[at] & ~inner[at]) >> (i & 31)) & 1)) continue;
        u32 value = 0;
        for (int q = 0; q < 8; q++) {
            value += full_sums[q];
            for (int s = 0; s < GIANT_SLICES; s++) value += ((slices[q][s][i >> 5] >> (i & 31)) & 1u) << s;
        }
        bins.add(w, (int)value, blockIdx.y * (256 * WORDS) + i);
    }
}

// Rows of fewer than 1 << BITS arcs: eight lanes count TINY_ROWS rows one after another. Bits of the ring are sorted by
// value into masks, and each mask is added to the bit-sliced counter of its value, emptied at the end.
#define TINY_SLICES 5
template <int WORDS, int BITS>
__device__ __forceinline__ void count_tiny(int num_nodes, int first_row, int last_row, int limit, const int* row_ptr,
                                           const int* heads, const u32* inner, const u32* outer, const u32* sets,
                                           u32* bins, int stride) {
    const int VALUES = (1 << BITS) - 1, TINY_ROWS = (1 << TINY_SLICES) - 1;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * WORDS);
    // What the lanes of a block counted meets here before it goes to the bins; eight lanes side by side in the banks.
    __shared__ u32 met[VALUES][WORDS * 32][8];
    for (int i = threadIdx.x; i < VALUES * WORDS * 256; i += blockDim.x) ((u32*)met)[i] = 0;
    __syncthreads();
    int lane8 = threadIdx.x & 7, first = first_row + thread_index() / 8 * TINY_ROWS;
    int last = min(last_row, first + TINY_ROWS);
    bins += blockIdx.y * (256 * WORDS);
    u32 slice[WORDS][VALUES][TINY_SLICES] = {};
    // While the rows of one vertex's neighbours are on their way, all that the next needs to ask for its own is fetched.
    Row<WORDS> out = {}, in = {};
    int end = first < last ? row_ptr[first + 1] : 0, head[VALUES];
    if (first < last) {
        int begin = row_ptr[first];
#pragma unroll
        for (int j = 0; j < VALUES; j++) head[j] = begin + j < end ? heads[begin + j] : -1;
        out = load_row<WORDS>(outer + offset, first, lane8), in = load_row<WORDS>(inner + offset, first, lane8);
    }
    for (int w = first; w < last; w++) {
        u32 rows[WORDS][8] = {}, rings[WORDS];
#pragma unroll
        for (int j = 0; j < VALUES; j++) {
            Row<WORDS> other = {};
            if (head[j] >= 0) other = load_row<WORDS>(sets + offset, head[j], lane8);
#pragma unroll
            for (int i = 0; i < WORDS; i++) rows[i][j] = other.word[i];
        }
#pragma unroll
        for (int i = 0; i < WORDS; i++) rings[i] = out.word[i] & ~in.word[i];
        if (w + 1 < last) {
            int begin = end;
            end = row_ptr[w + 2];
#pragma unroll
            for (int j = 0; j < VALUES; j++) head[j] = begin + j < end ? heads[begin + j] : -1;
            out = load_row<WORDS>(outer + offset, w + 1, lane8), in = load_row<WORDS>(inner + offset, w + 1, lane8);
        }
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            u32 count[3] = {}, ring = rings[i];
            add_eight(rows[i], count[0], count[1], count[2]);
#pragma unroll
            for (int value = 1; value <= VALUES; value++) {
                u32 carry = ring;
#pragma unroll
                for (int b = 0; b < BITS; b++) carry &= value >> b & 1 ? count[b] : ~count[b];
#pragma unroll
                for (int s = 0; s < TINY_SLICES; s++) {
                    u32 next = slice[i][value - 1][s] & carry;
                    slice[i][value - 1][s] ^= carry;
                    carry = next;
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < WORDS; i++)
#pragma unroll
        for (int value = 1; value <= VALUES; value++) {
            u32 any = 0;
#pragma unroll
            for (int s = 0; s < TINY_SLICES; s++) any |= slice[i][value - 1][s];
            for (; any; any &= any - 1) {
                int b = __ffs(any) - 1;
                u32 count = 0;
#pragma unroll
                for (int s = 0; s < TINY_SLICES; s++) count |= ((slice[i][value - 1][s] >> b) & 1u) << s;
                atomicAdd(&met[value - 1][i * 32 + b][lane8], count);
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < VALUES * WORDS * 256; i += blockDim.x) {
        int value = i / (WORDS * 256) + 1, root = i % (WORDS * 256);
        u32 count = met[value - 1][root % (WORDS * 32)][root / (WORDS * 32)];
        if (count) atomicAdd(&bins[(size_t)min(value, limit) * stride + root], count);
    }
}

// An inner ring, where degrees inside are those of the graph: eight lanes count 32 rows in a row with bit-sliced
// counters, and empty these whenever the degree changes.
template <int WORDS>
__device__ __forceinline__ void count_inner(int num_nodes, int limit, const int* row_ptr, const u32* inner,
                                            const u32* outer, u32* bins, int stride) {
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * WORDS);
    int lane8 = threadIdx.x & 7, first = thread_index() / 8 * 32, last = min(num_nodes, first + 32);
    bins += blockIdx.y * (256 * WORDS) + lane8 * WORDS * 32;
    u32 slice[WORDS][6] = {};
    for (int w = first; w < last; w++) {
        Row<WORDS> out = load_row<WORDS>(outer + offset, w, lane8), in = load_row<WORDS>(inner + offset, w, lane8);
        int degree = row_ptr[w + 1] - row_ptr[w];
        bool ends = w + 1 == last || row_ptr[w + 2] - row_ptr[w + 1] != degree;
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            u32 carry = out.word[i] & ~in.word[i], any = 0;
#pragma unroll
            for (int s = 0; s < 6; s++) {
                u32 next = slice[i][s] & carry;
                slice[i][s] ^= carry;
                carry = next;
                any |= slice[i][s];
            }
            if (!ends) continue;
            for (; any; any &= any - 1) {
                int b = __ffs(any) - 1;
                u32 count = 0;
#pragma unroll
                for (int s = 0; s < 6; s++) count |= ((slice[i][s] >> b) & 1u) << s;
                atomicAdd(&bins[(size_t)min(degree, limit) * stride + i * 32 + b], count);
            }
#pragma unroll
            for (int s = 0; s < 6; s++) slice[i][s] = 0;
        }
    }
}

extern "C" {
#define BITWISE_KERNELS(N)                                                                                            \
    __global__ void seed_sets_##N(int num_nodes, int map_words, const int* row_ptr, const int* heads,                 \
                                  const int* roots, u32* sets, u32* some) {                                           \
        seed_sets<N>(num_nodes, map_words, row_ptr, heads, roots, sets, some);                                        \
    }                                                                                                                 \
    __global__ void fill_unused_##N(int num_nodes, int map_words, int num_roots, u32* set, u32* some) {               \
        fill_unused<N>(num_nodes, map_words, num_roots, set, some);                                                   \
    }                                                                                                                 \
    __global__ void __launch_bounds__(512)                                                                            \
    widen_low_##N(int num_nodes, int num_low, int map_words, const int* row_ptr, const int* heads, const u32* sets,   \
                  const u32* some, u32* nexts, u32* next_some, u32* next_full) {                                      \
        widen_low<N>(num_nodes, num_low, map_words, row_ptr, heads, sets, some, nexts, next_some, next_full);         \
    }                                                                                                                 \
    __global__ void __launch_bounds__(256)                                                                            \
    widen_hubs_##N(int num_nodes, int num_low, int num_hub, int map_words, const int* row_ptr, const int* heads,      \
                   const u32* sets, const u32* some, u32* nexts, u32* next_some, u32* next_full) {                    \
        widen_hubs<N>(num_nodes, num_low, num_hub, map_words, row_ptr, heads, sets, some, nexts, next_some,           \
                      next_full);                                                                                     \
    }                                                                                                                 \
    __global__ void __launch_bounds__(256)                                                                            \
    widen_giants_##N(int num_nodes, int map_words, const int* row_ptr, const int* heads, const u32* sets,             \
                     const u32* some, u32* nexts, u32* next_some, u32* next_full) {                                   \
        widen_giants<N>(num_nodes, map_words, row_ptr, heads, sets, some, nexts, next_some, next_full);               \
    }                                                                                                                 \
    __global__ void __launch_bounds__(1024)                                                                           \
    count_low_##N(int num_nodes, int num_tiny, int num_low, int map_words, int limit, int num_shared,                 \
                  const int* row_ptr,                                                                                 \
                  const int* heads, const u32* inner, const u32* outer, const u32* sets, const u32* some,             \
                  const u32* full, u32* bins, int stride) {                                                           \
        count_low<N>(num_nodes, num_tiny, num_low, map_words, limit, num_shared, row_ptr, heads, inner, outer, sets,  \
                     some, full, bins, stride);                                                                       \
    }                                                                                                                 \
    __global__ void __launch_bounds__(256)                                                                            \
    count_hubs_##N(int num_nodes, int num_low, int num_hub, int map_words, int limit, int far, int first_far,         \
                   int* far_values, const int* row_ptr, const int* heads, const u32* inner, const u32* outer,         \
                   const u32* sets, const u32* some, const u32* full, u32* bins, int stride) {                        \
        Bins to = {bins, far_values, stride, limit, far, first_far};                                                  \
        count_hubs<N>(num_nodes, num_low, num_hub, map_words, row_ptr, heads, inner, outer, sets, some, full, to);    \
    }                                                                                                                 \
    __global__ void __launch_bounds__(256)                                                                            \
    count_giants_##N(int num_nodes, int map_words, int limit, int far, int first_far, int* far_values,                \
                     const int* row_ptr, const int* heads, const u32* inner, const u32* outer, const u32* sets,       \
                     const u32* some, const u32* full, u32* bins, int stride) {                                       \
        Bins to = {bins, far_values, stride, limit, far, first_far};                                                  \
        count_giants<N>(num_nodes, map_words, row_ptr, heads, inner, outer, sets, some, full, to);                    \
    }                                                                                                                 \
    __global__ void __launch_bounds__(256)                                                                            \
    count_tiny_##N(int num_nodes, int first, int last, int limit, const int* row_ptr, const int* heads,               \
                   const u32* inner, const u32* outer, const u32* sets, u32* bins, int stride) {                      \
        count_tiny<N, 2>(num_nodes, first, last, limit, row_ptr, heads, inner, outer, sets, bins, stride);            \
    }                                                                                                                 \
    __global__ void __launch_bounds__(256)                                                                            \
    count_small_##N(int num_nodes, int first, int last, int limit, const int* row_ptr, const int* heads,              \
                    const u32* inner, const u32* outer, const u32* sets, u32* bins, int stride) {                     \
        count_tiny<N, 3>(num_nodes, first, last, limit, row_ptr, heads, inner, outer, sets, bins, stride);            \
    }                                                                                                                 \
    __global__ void __launch_bounds__(256)                                                                            \
    count_inner_##N(int num_nodes, int limit, const int* row_ptr, const u32* inner, const u32* outer, u32* bins,      \
                    int stride) {                                                                                     \
        count_inner<N>(num_nodes, limit, row_ptr, inner, outer, bins, stride);                                        \
    }
BITWISE_KERNELS(1)
BITWISE_KERNELS(2)

// ---- the graph renumbered, and the runs of equal degrees in its rows, which are the rings at distance 1

__global__ void rank_arcs(int num_arcs, int shift, const int* tail, const int* indices, const int* rank, u64* arcs) {
    int k = thread_index();
    if (k < num_arcs) arcs[k] = (u64)rank[tail[k]] << shift | (u32)rank[indices[k]];
}
__global__ void rank_arcs_narrow(int num_arcs, int shift, const int* tail, const int* indices, const int* rank,
                                 u32* arcs) {
    int k = thread_index();
    if (k < num_arcs) arcs[k] = (u32)rank[tail[k]] << shift | (u32)rank[indices[k]];
}
}  // extern "C"

// Sorted arcs become heads, and a mark where a run of equal (clipped) degrees begins in a row.
template <class Arc>
__device__ __forceinline__ void split_ranked(int num_arcs, int shift, int limit, const Arc* arcs, const int* row_ptr,
                                             int* heads, u8* begins) {
    int k = thread_index();
    if (k >= num_arcs) return;
    int head = (int)(arcs[k] & (((Arc)1 << shift) - 1)), tail = (int)(arcs[k] >> shift);
    heads[k] = head;
    int before = k > row_ptr[tail] ? (int)(arcs[k - 1] & (((Arc)1 << shift) - 1)) : -1;
    begins[k] = before < 0 || min(row_ptr[before + 1] - row_ptr[before], limit) !=
                                  min(row_ptr[head + 1] - row_ptr[head], limit);
}

extern "C" {
__global__ void split_ranked_arcs(int num_arcs, int shift, int limit, const u64* arcs, const int* row_ptr, int* heads,
                                  u8* begins) {
    split_ranked(num_arcs, shift, limit, arcs, row_ptr, heads, begins);
}
__global__ void split_ranked_arcs_narrow(int num_arcs, int shift, int limit, const u32* arcs, const int* row_ptr,
                                         int* heads, u8* begins) {
    split_ranked(num_arcs, shift, limit, arcs, row_ptr, heads, begins);
}
// run_of[k]: runs that begin among the first k arcs; run_begin has one more place than there are runs.
__global__ void list_runs(int num_arcs, const int* run_of, int* run_begin) {
    int k = thread_index();
    if (k >= num_arcs) return;
    if (run_of[k + 1] != run_of[k]) run_begin[run_of[k]] = k;
    if (k == num_arcs - 1) run_begin[run_of[num_arcs]] = num_arcs;
}

// ---- rows from bins: each thread looks at 128 values of one root

#define STRETCH 128
__global__ void count_bins(int num_values, int stride, const u32* bins, int* used) {
    int i = blockIdx.y * 256 + threadIdx.x, first = blockIdx.x * STRETCH, count = 0;
    for (int v = first; v < min(num_values, first + STRETCH); v++) count += bins[(size_t)v * stride + i] != 0;
    used[(size_t)blockIdx.x * stride + i] = count;
}
// Per root, a warp: used[] becomes the number of bins in use before each stretch; the row has one entry for the root,
// the runs of its neighbours' degrees, and the bins.
__global__ void row_lengths(int num_stretches, int stride, int num_roots, const int* roots, const int* row_ptr,
                            const int* run_of, int* used, const int* num_far, int* length) {
    int i = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31, before = 0;
    if (i >= num_roots) return;
    for (int first = 0; first < num_stretches; first += 32) {
        int mine = first + lane < num_stretches ? used[(size_t)(first + lane) * stride + i] : 0;
        int scan = inclusive_sum(mine, lane);
        if (first + lane < num_stretches) used[(size_t)(first + lane) * stride + i] = before + scan - mine;
        before += __shfl_sync(ALL_LANES, scan, 31);
    }
    int root = roots[i], runs = run_of[row_ptr[root + 1]] - run_of[row_ptr[root]];
    if (lane == 0) length[i] = 1 + runs + before + (num_far ? num_far[i] : 0);
}
// Writes the bins of a batch after the root and its runs, and leaves them empty.
__global__ void drain_bins(int num_values, int stride, int num_roots, int code, const int* roots, const int* row_ptr,
                           const int* run_of, u32* bins, const int* used, const i64* start, int* codes, int* counts) {
    int i = blockIdx.y * 256 + threadIdx.x, first = blockIdx.x * STRETCH;
    if (i >= num_roots) return;
    int root = roots[i];
    i64 to = start[i] + 1 + run_of[row_ptr[root + 1]] - run_of[row_ptr[root]] + used[(size_t)blockIdx.x * stride + i];
#pragma unroll 8
    for (int v = first; v < min(num_values, first + STRETCH); v++) {
        u32 count = bins[(size_t)v * stride + i];
        if (!count) continue;
        codes[to] = code + v;
        counts[to++] = (int)count;
        bins[(size_t)v * stride + i] = 0;
    }
}
// Sorts the far values of a root, a warp each, and writes its runs of equal ones to far_runs as (value, count); at most
// FAR_ROWS values, of which 0 stands for none.
#define FAR_ROWS 256
__global__ void __launch_bounds__(256)
sort_far(int num_rows, int stride, int num_roots, const int* far_values, int2* far_runs, int* num_far) {
    __shared__ int sorted[8][FAR_ROWS];
    int i = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31, *mine = sorted[threadIdx.x >> 5], runs = 0;
    if (i >= num_roots) return;
    for (int k = lane; k < FAR_ROWS; k += 32) mine[k] = k < num_rows ? far_values[(size_t)k * stride + i] : 0;
    __syncwarp();
    // After each outer step stretches of `size` are sorted, rising and falling in turn.
    for (int size = 2; size <= FAR_ROWS; size <<= 1)
        for (int step = size >> 1; step; step >>= 1) {
            for (int pair = lane; pair < FAR_ROWS / 2; pair += 32) {
                int low = 2 * pair - (pair & (step - 1)), high = low + step;
                bool falls = (low & size) != 0;
                if ((mine[low] > mine[high]) != falls) {
                    int held = mine[low];
                    mine[low] = mine[high], mine[high] = held;
                }
            }
            __syncwarp();
        }
    for (int k = lane; k < FAR_ROWS; k += 32) {
        int value = mine[k], end = k + 1;
        bool begins = value && (k == 0 || mine[k - 1] != value);
        u32 all = __ballot_sync(ALL_LANES, begins);
        if (begins) {
            while (end < FAR_ROWS && mine[end] == value) end++;
            far_runs[(size_t)i * FAR_ROWS + runs + __popc(all & ((1u << lane) - 1))] = make_int2(value, end - k);
        }
        runs += __popc(all);
    }
    if (lane == 0) num_far[i] = runs;
}
// The far values are the last entries of a row; a warp per root.
__global__ void write_far(int num_roots, int code, const int2* far_runs, const int* num_far, const i64* start,
                          const int* length, int* codes, int* counts) {
    int i = blockIdx.x * 8 + (threadIdx.x >> 5);
    if (i >= num_roots) return;
    i64 to = start[i] + length[i] - num_far[i];
    for (int k = threadIdx.x & 31; k < num_far[i]; k += 32) {
        int2 run = far_runs[(size_t)i * FAR_ROWS + k];
        codes[to + k] = code + run.x;
        counts[to + k] = run.y;
    }
}
// Writes the root and the runs of its neighbours' degrees; a warp per root.
__global__ void write_near(int num_roots, int base, int limit, const int* roots, const int* row_ptr, const int* heads,
                           const int* run_of, const int* run_begin, const i64* start, int* codes, int* counts) {
    int i = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (i >= num_roots) return;
    int root = roots[i], first = run_of[row_ptr[root]], last = run_of[row_ptr[root + 1]];
    if (lane == 0) codes[start[i]] = min(row_ptr[root + 1] - row_ptr[root], limit), counts[start[i]] = 1;
    for (int run = first + lane; run < last; run += 32) {
        int k = run_begin[run], head = heads[k];
        codes[start[i] + 1 + run - first] = base + min(row_ptr[head + 1] - row_ptr[head], limit);
        counts[start[i] + 1 + run - first] = run_begin[run + 1] - k;
    }
}
}  // extern "C"
