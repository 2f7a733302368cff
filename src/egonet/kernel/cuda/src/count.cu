// The bitwise search: the number of neighbors inside the ball for each node of a ring, hundreds of roots at a time.
//
// Layout. A ring is a set less the set before it. `bins[value * stride + root]` counts, for the rings at distance 2,
// 3, ..., nodes of degree `value` inside the ball; ring d adds (d - 2) * base to the value. Values of `far` and more
// occur only in rows from `first_far` on: they are stored, not binned, as far_values[(row - first_far) * stride +
// root], and sorted for each root.
// Invariant: counters are bit-sliced, bit s of the count of a lane's bit b is bit b of slice[s].
#define HUB_SLICES 13
#define GIANT_SLICES 15
#define LOW_SLICES 9

// Adds the rows of heads[begin + 8 * part ...] in steps of 8 * parts; `longest` is the end of the longest of the
// warp's rows, `fulls` counts rows that are all one.
template <int SLICES>
__device__ __forceinline__ void count_slice(const u32* set, const u32* some, const u32* full, const int* heads,
                                            int begin, int length, int longest, int part, int parts,
                                            u32 (&slice)[LANE_WORDS][SLICES], int& fulls) {
    int lane = threadIdx.x & 31, lane8 = lane & 7;
#pragma unroll
    for (int i = 0; i < LANE_WORDS; i++)
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
        u32 rows[LANE_WORDS][8];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int x = __shfl_sync(ALL_LANES, head, (lane & 24) | j);
            Row other = {};
            if (x >= 0) other = load_row(set, x, lane8);
#pragma unroll
            for (int i = 0; i < LANE_WORDS; i++) rows[i][j] = other.word[i];
        }
#pragma unroll
        for (int i = 0; i < LANE_WORDS; i++) {
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
// Bins the pairs (row, root) of a warp's four rows. After the transpose bit k of a lane stands for row k >> 3 and
// word k & 7, the lane for the root's bit. The first num_shared values are in shared memory, two roots to a word.
template <int USED, int SLICES>
__device__ __forceinline__ void bin_quad(const u32 (&ring)[LANE_WORDS], const u32 (&slice)[LANE_WORDS][SLICES],
                                         const int (&fulls)[4], int limit, int num_shared, u32* shared, u32* bins,
                                         int stride) {
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int i = 0; i < LANE_WORDS; i++) {
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
                atomicAdd(&shared[value * (128 * LANE_WORDS) + ((k & 3) * LANE_WORDS + i) * 32 + lane],
                          1u << ((k & 4) * 4));
            else atomicAdd(&bins[(size_t)value * stride + ((k & 7) * LANE_WORDS + i) * 32 + lane], 1u);
        }
    }
}

// Rows up to num_low. A block bins fewer than 65536 rows, so that half a word never overflows.
extern "C" __global__ void __launch_bounds__(1024)
    count_low(int num_nodes, int num_low, int map_words, int limit, int num_shared, const int* row_ptr,
              const int* heads, const u32* inner, const u32* outer, const u32* sets, const u32* somes, const u32* fulls,
              u32* bins, int stride) {
    DYNAMIC_SHARED(u32, shared);
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * LANE_WORDS), map_offset = (size_t)blockIdx.y * map_words;
    u32 *some = shared + num_shared * 128 * LANE_WORDS, *full = some + map_words;
    int lane = threadIdx.x & 31, lane8 = lane & 7, warps = blockDim.x >> 5;
    bins += blockIdx.y * (256 * LANE_WORDS);
    for (int i = threadIdx.x; i < num_shared * 128 * LANE_WORDS; i += blockDim.x) shared[i] = 0;
    copy_map(some, somes + map_offset, map_words);
    copy_map(full, fulls + map_offset, map_words);
    __syncthreads();
    for (int quad = blockIdx.x * warps + (threadIdx.x >> 5); quad * 4 < num_low; quad += gridDim.x * warps) {
        int w = quad * 4 + (lane >> 3), begin = 0, length = 0;
        u32 ring[LANE_WORDS] = {}, any = 0;
        if (w < num_low) {
            Row out = load_row(outer + offset, w, lane8), in = load_row(inner + offset, w, lane8);
#pragma unroll
            for (int i = 0; i < LANE_WORDS; i++) any |= ring[i] = out.word[i] & ~in.word[i];
        }
        u32 live = __ballot_sync(ALL_LANES, any != 0);
        if (!live) continue;
        if ((live >> (lane & 24)) & 0xff) begin = row_ptr[w], length = row_ptr[w + 1] - begin;
        int longest = max_of_rows(length), mine;
        u32 slice[LANE_WORDS][LOW_SLICES];
        count_slice<LOW_SLICES>(sets + offset, some, full, heads, begin, length, longest, 0, 1, slice, mine);
        int all[4];
#pragma unroll
        for (int j = 0; j < 4; j++) all[j] = __shfl_sync(ALL_LANES, mine, j * 8);
        u32* to = shared;
        if (longest < 16) bin_quad<4>(ring, slice, all, limit, num_shared, to, bins, stride);
        else if (longest < 64) bin_quad<6>(ring, slice, all, limit, num_shared, to, bins, stride);
        else bin_quad<LOW_SLICES>(ring, slice, all, limit, num_shared, to, bins, stride);
        __syncwarp();
    }
    __syncthreads();
    for (int i = threadIdx.x; i < num_shared * 128 * LANE_WORDS; i += blockDim.x) {
        u32 both = shared[i], *to = bins + (size_t)(i / (128 * LANE_WORDS)) * stride + i % (128 * LANE_WORDS);
        if (both & 0xffff) atomicAdd(to, both & 0xffff);
        if (both >> 16) atomicAdd(to + 128 * LANE_WORDS, both >> 16);
    }
}

// A warp per row from num_low up to num_hub: four groups of lanes count a quarter each and add up their slices.
template <int SLICES>
__device__ __forceinline__ void add_quarters(u32 (&slice)[LANE_WORDS][SLICES]) {
#pragma unroll
    for (int i = 0; i < LANE_WORDS; i++)
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
// Where hubs and giants put a value: in a bin, or in far_values if it is far.
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
extern "C" __global__ void __launch_bounds__(256)
    count_hubs(int num_nodes, int num_low, int num_hub, int map_words, int limit, int far, int first_far,
               int* far_values, const int* row_ptr, const int* heads, const u32* inner, const u32* outer,
               const u32* sets, const u32* somes, const u32* fulls, u32* bins, int stride) {
    const Bins to = {bins, far_values, stride, limit, far, first_far};
    int w = num_hub - 1 - (int)(blockIdx.x * 8 + (threadIdx.x >> 5)), lane = threadIdx.x & 31, mine;
    if (w < num_low) return;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * LANE_WORDS), map_offset = (size_t)blockIdx.y * map_words;
    Row out = load_row(outer + offset, w, lane & 7), in = load_row(inner + offset, w, lane & 7);
    u32 any = 0;
#pragma unroll
    for (int i = 0; i < LANE_WORDS; i++) any |= out.word[i] &= ~in.word[i];
    if (!__any_sync(ALL_LANES, any != 0)) return;
    u32 slice[LANE_WORDS][HUB_SLICES];
    int begin = row_ptr[w], length = row_ptr[w + 1] - begin;
    count_slice<HUB_SLICES>(sets + offset, somes + map_offset, fulls + map_offset, heads, begin, length, length,
                            lane >> 3, 4, slice, mine);
    add_quarters<HUB_SLICES>(slice);
    mine = sum_of_rows(mine);
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int i = 0; i < LANE_WORDS; i++) {
            u32 ring = __shfl_sync(ALL_LANES, out.word[i], j), value = 0;
            if (!ring) continue;
#pragma unroll
            for (int s = 0; s < HUB_SLICES; s++) value |= ((__shfl_sync(ALL_LANES, slice[i][s], j) >> lane) & 1u) << s;
            if ((ring >> lane) & 1)
                to.add(w, (int)value + mine, blockIdx.y * (256 * LANE_WORDS) + (j * LANE_WORDS + i) * 32 + lane);
        }
}
// A block of 256 threads per row from num_hub on: each warp counts an eighth.
extern "C" __global__ void __launch_bounds__(256)
    count_giants(int num_nodes, int map_words, int limit, int far, int first_far, int* far_values, const int* row_ptr,
                 const int* heads, const u32* inner, const u32* outer, const u32* sets, const u32* somes,
                 const u32* fulls, u32* bins, int stride) {
    const Bins to = {bins, far_values, stride, limit, far, first_far};
    __shared__ u32 slices[8][GIANT_SLICES][8 * LANE_WORDS];
    __shared__ int full_sums[8];
    int w = num_nodes - 1 - (int)blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, mine;
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * LANE_WORDS), map_offset = (size_t)blockIdx.y * map_words;
    u32 slice[LANE_WORDS][GIANT_SLICES];
    int begin = row_ptr[w], length = row_ptr[w + 1] - begin;
    count_slice<GIANT_SLICES>(sets + offset, somes + map_offset, fulls + map_offset, heads, begin, length, length,
                              threadIdx.x >> 3, 32, slice, mine);
    add_quarters<GIANT_SLICES>(slice);
    mine = sum_of_rows(mine);
    if (lane < 8)
#pragma unroll
        for (int i = 0; i < LANE_WORDS; i++)
#pragma unroll
            for (int s = 0; s < GIANT_SLICES; s++) slices[warp][s][lane * LANE_WORDS + i] = slice[i][s];
    if (lane == 0) full_sums[warp] = mine;
    __syncthreads();
    for (int i = threadIdx.x; i < 256 * LANE_WORDS; i += 256) {
        size_t at = offset + (size_t)w * (8 * LANE_WORDS) + (i >> 5);
        if (!(((outer[at] & ~inner[at]) >> (i & 31)) & 1)) continue;
        u32 value = 0;
        for (int q = 0; q < 8; q++) {
            value += full_sums[q];
            for (int s = 0; s < GIANT_SLICES; s++) value += ((slices[q][s][i >> 5] >> (i & 31)) & 1u) << s;
        }
        to.add(w, (int)value, blockIdx.y * (256 * LANE_WORDS) + i);
    }
}

// An inner ring, where degrees inside are those of the graph: eight lanes count 32 consecutive rows with bit-sliced
// counters, and add them to the bins whenever the degree changes.
extern "C" __global__ void count_inner(int num_nodes, int limit, const int* row_ptr, const u32* inner, const u32* outer,
                                       u32* bins, int stride) {
    size_t offset = (size_t)blockIdx.y * num_nodes * (8 * LANE_WORDS);
    int lane8 = threadIdx.x & 7, first = thread_index() / 8 * 32, last = min(num_nodes, first + 32);
    bins += blockIdx.y * (256 * LANE_WORDS) + lane8 * LANE_WORDS * 32;
    u32 slice[LANE_WORDS][6] = {};
    for (int w = first; w < last; w++) {
        Row out = load_row(outer + offset, w, lane8), in = load_row(inner + offset, w, lane8);
        int degree = row_ptr[w + 1] - row_ptr[w];
        bool ends = w + 1 == last || row_ptr[w + 2] - row_ptr[w + 1] != degree;
#pragma unroll
        for (int i = 0; i < LANE_WORDS; i++) {
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
