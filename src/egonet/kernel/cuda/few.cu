// Balls that overlap much: rows of few arcs, and rings before the last, counted without leaving the registers.
//
// Layout. Sets and rows as in `bits.cuh`, bins as in `count.cu`. Eight lanes count many rows one after another, in
// counters that are bit-sliced over the rows: bit s of how often a lane's bit b was met is bit b of slice[s].
// Invariant: a counter is emptied into the bins before it could overflow, after 31 rows or 32. Rows of fewer than 1 <<
// BITS arcs: eight lanes count TINY_ROWS rows one after another. Bits of the ring are sorted by value into masks, and
// each mask is added to the bit-sliced counter of its value, emptied at the end.
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
    // While the rows of one vertex's neighbours are on their way, all that the next needs to ask for its own is
    // fetched.
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
#define FEW_KERNELS(N)                                                                                                \
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
FEW_KERNELS(1)
FEW_KERNELS(2)
}  // extern "C"
