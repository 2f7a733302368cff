// Prefix sums, and rows from the order of the search to the order of the roots.
//
// Layout. A search appends each row as one run of (code, count): row i is the `length[i]` entries from `start[i]` on.
// `place_rows` copies the runs into compressed rows; `mark_codes`, `number_marks`
// (a prefix sum over the marks) and `renumber` turn codes into columns numbered 0, 1, ... in the order of the codes.
// Invariant: `column_of` increases with the code, so that rows sorted by code are sorted by column.

// out[i] = sum of the first i items, out[count] = the sum of all; FLAGS counts nonzero items. `positions`, if given,
// receives the sum of all, the positions of these items, and `count`.
template <bool FLAGS, class In, class Out>
__device__ __forceinline__ void prefix_sums(i64 count, const In* in, Out* out, u64* state, u32* ticket,
                                            i64* positions = nullptr) {
    int tile = take_tile(ticket);
    i64 first = ((i64)tile * 256 + threadIdx.x) * TILE_ITEMS;
    int items[TILE_ITEMS], sum = 0;
    Eight<In> eight;
    if (first + TILE_ITEMS <= count) {
        eight = *(const Eight<In>*)(in + first);
    } else {
#pragma unroll
        for (int j = 0; j < TILE_ITEMS; j++) eight.item[j] = first + j < count ? in[first + j] : (In)0;
    }
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
        items[j] = FLAGS ? eight.item[j] != 0 : (int)eight.item[j];
        sum += items[j];
    }
    int total;
    i64 before, running = sum_before_thread(sum, state, tile, total, before);
    running += before;
    Eight<Out> sums;
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
        sums.item[j] = (Out)running;
        if (positions && items[j]) positions[1 + running] = first + j;
        running += items[j];
        if (first + j == count - 1) {
            out[count] = (Out)running;
            if (positions) positions[0] = running, positions[1 + running] = count;
        }
    }
    if (first + TILE_ITEMS <= count) {
        *(Eight<Out>*)(out + first) = sums;
    } else {
#pragma unroll
        for (int j = 0; j < TILE_ITEMS; j++)
            if (first + j < count) out[first + j] = sums.item[j];
    }
}

extern "C" {
__global__ void __launch_bounds__(256) sum_nonzero(i64 count, const int* in, int* out, u64* state, u32* ticket) {
    prefix_sums<true>(count, in, out, state, ticket);
}
__global__ void __launch_bounds__(256) sum_lengths(i64 count, const int* in, i64* out, u64* state, u32* ticket) {
    prefix_sums<false>(count, in, out, state, ticket);
}
// Columns of codes by their marks. listed: the number of codes, the codes, and `range`.
__global__ void __launch_bounds__(256)
    number_marks(i64 range, const u8* marks, int* column_of, u64* state, u32* ticket, i64* listed) {
    prefix_sums<true>(range, marks, column_of, state, ticket, listed);
}

// Rows as 32-bit positions, and facts: [0] largest degree, [1] sum of squared degrees, [2] nodes of degree 0; all
// zero at the start.
__global__ void degree_facts(int num_nodes, const i64* indptr, int* row_ptr, u64* facts) {
    u64 largest = 0, squares = 0, isolated = 0;
    for (int v = thread_index(); v < num_nodes; v += gridDim.x * blockDim.x) {
        i64 begin = indptr[v], end = indptr[v + 1];
        u64 degree = (u64)(end - begin);
        row_ptr[v] = (int)begin;
        if (v == num_nodes - 1) row_ptr[num_nodes] = (int)end;
        largest = degree > largest ? degree : largest;
        squares += degree * degree;
        isolated += degree == 0;
    }
    for (int step = 16; step; step >>= 1) {
        u64 other = __shfl_xor_sync(ALL_LANES, largest, step);
        largest = other > largest ? other : largest;
        squares += __shfl_xor_sync(ALL_LANES, squares, step);
        isolated += __shfl_xor_sync(ALL_LANES, isolated, step);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicMax(&facts[0], largest);
        atomicAdd(&facts[1], squares);
        if (isolated) atomicAdd(&facts[2], isolated);
    }
}

// Eight lanes copy a row, with columns for codes if there is `column_of`; rows past `capacity` are skipped.
#define PLACE_ROWS(name, Code)                                                                               \
    __global__ void name(int num_rows, i64 capacity, const i64* start, const int* length, const i64* indptr, \
                         const Code* codes, const int* counts, const int* column_of, Code* codes_out,        \
                         int* counts_out) {                                                                  \
        int i = blockIdx.x * 32 + (threadIdx.x >> 3);                                                        \
        if (i >= num_rows) return;                                                                           \
        i64 from = start[i], to = indptr[i];                                                                 \
        int num = length[i];                                                                                 \
        if (from + num > capacity || to + num > capacity) return;                                            \
        for (int k = threadIdx.x & 7; k < num; k += 8) {                                                     \
            codes_out[to + k] = column_of ? (Code)column_of[codes[from + k]] : codes[from + k];              \
            counts_out[to + k] = counts[from + k];                                                           \
        }                                                                                                    \
    }
PLACE_ROWS(place_rows, int)
PLACE_ROWS(place_wide_rows, i64)

__global__ void mark_codes(i64 num_entries, const int* codes, u8* used) {
    for (i64 k = thread_index(); k < num_entries; k += (i64)gridDim.x * blockDim.x) mark_code(used, codes[k]);
}
__global__ void renumber(i64 num_entries, const int* column_of, int* codes) {
    for (i64 k = thread_index(); k < num_entries; k += (i64)gridDim.x * blockDim.x) codes[k] = column_of[codes[k]];
}
// A sort key per entry: row, then column; eight lanes a row.
__global__ void entry_order(int num_rows, const i64* indptr, const int* columns, u64* order) {
    int i = blockIdx.x * 32 + (threadIdx.x >> 3);
    if (i >= num_rows) return;
    for (i64 k = indptr[i] + (threadIdx.x & 7); k < indptr[i + 1]; k += 8) order[k] = (u64)i << 32 | (u32)columns[k];
}
}  // extern "C"
