// The bitwise search, before and after: arcs of the renumbered graph, and rows from bins.
//
// Layout. Arcs are sorted as numbers, tail << shift | head. A run is a range of one row's heads with equal degrees:
// the ring at distance 1 of that node is the list of its runs. A row of the result is the root, its runs, the bins in
// use in increasing order (see `count.cu`), and the far values.
// Invariant: bins are empty before and after a batch; `used` counts the bins in use in each chunk of 128 values.
extern "C" {
// Sorted arcs become heads, and a mark where a run of equal (clipped) degrees begins in a row.
#define SPLIT_ARCS(name, Arc)                                                                                 \
    __global__ void name(int num_arcs, int shift, int limit, const Arc* arcs, const int* row_ptr, int* heads, \
                         u8* begins) {                                                                        \
        int k = thread_index();                                                                               \
        if (k >= num_arcs) return;                                                                            \
        int head = (int)(arcs[k] & (((Arc)1 << shift) - 1)), tail = (int)(arcs[k] >> shift);                  \
        int before = k > row_ptr[tail] ? (int)(arcs[k - 1] & (((Arc)1 << shift) - 1)) : -1;                   \
        heads[k] = head;                                                                                      \
        begins[k] = before < 0 || min(row_ptr[before + 1] - row_ptr[before], limit) !=                        \
                                      min(row_ptr[head + 1] - row_ptr[head], limit);                          \
    }
SPLIT_ARCS(split_ranked_arcs, u64)
SPLIT_ARCS(split_ranked_arcs_narrow, u32)

// Rows from bins: each thread reads 128 values of one root.
#define CHUNK 128
__global__ void count_bins(int num_values, int stride, const u32* bins, int* used) {
    int i = blockIdx.y * 256 + threadIdx.x, first = blockIdx.x * CHUNK, count = 0;
    for (int v = first; v < min(num_values, first + CHUNK); v++) count += bins[(size_t)v * stride + i] != 0;
    used[(size_t)blockIdx.x * stride + i] = count;
}
// Per root, a warp: used[] becomes the number of bins in use before each chunk; the row has one entry for the root,
// the runs of its neighbors' degrees, and the bins.
__global__ void row_lengths(int num_chunks, int stride, int num_roots, const int* roots, const int* row_ptr,
                            const int* run_of, int* used, const int* num_far, int* length) {
    int i = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31, before = 0;
    if (i >= num_roots) return;
    for (int first = 0; first < num_chunks; first += 32) {
        int mine = first + lane < num_chunks ? used[(size_t)(first + lane) * stride + i] : 0;
        int scan = inclusive_sum(mine, lane);
        if (first + lane < num_chunks) used[(size_t)(first + lane) * stride + i] = before + scan - mine;
        before += __shfl_sync(ALL_LANES, scan, 31);
    }
    int root = roots[i], runs = run_of[row_ptr[root + 1]] - run_of[row_ptr[root]];
    if (lane == 0) length[i] = 1 + runs + before + (num_far ? num_far[i] : 0);
}
// Writes the bins of a batch after the root and its runs, and clears them.
__global__ void drain_bins(int num_values, int stride, int num_roots, int code, const int* roots, const int* row_ptr,
                           const int* run_of, u32* bins, const int* used, const i64* start, int* codes, int* counts) {
    int i = blockIdx.y * 256 + threadIdx.x, first = blockIdx.x * CHUNK;
    if (i >= num_roots) return;
    int root = roots[i];
    i64 to = start[i] + 1 + run_of[row_ptr[root + 1]] - run_of[row_ptr[root]] + used[(size_t)blockIdx.x * stride + i];
#pragma unroll 8
    for (int v = first; v < min(num_values, first + CHUNK); v++) {
        u32 count = bins[(size_t)v * stride + i];
        if (!count) continue;
        codes[to] = code + v;
        counts[to++] = (int)count;
        bins[(size_t)v * stride + i] = 0;
    }
}
// Sorts the far values of a root, a warp each, and writes its runs of equal ones to far_runs as (value, count); at
// most FAR_ROWS values, of which 0 is no value.
#define FAR_ROWS 256
__global__ void __launch_bounds__(256)
    sort_far(int num_rows, int stride, int num_roots, const int* far_values, int2* far_runs, int* num_far) {
    __shared__ int sorted[8][FAR_ROWS];
    int i = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31, *mine = sorted[threadIdx.x >> 5], runs = 0;
    if (i >= num_roots) return;
    for (int k = lane; k < FAR_ROWS; k += 32) mine[k] = k < num_rows ? far_values[(size_t)k * stride + i] : 0;
    __syncwarp();
    // After each outer step ranges of `size` are sorted, alternately increasing and decreasing.
    for (int size = 2; size <= FAR_ROWS; size <<= 1)
        for (int step = size >> 1; step; step >>= 1) {
            for (int pair = lane; pair < FAR_ROWS / 2; pair += 32) {
                int low = 2 * pair - (pair & (step - 1)), high = low + step;
                bool falls = (low & size) != 0;
                if ((mine[low] > mine[high]) != falls) {
                    int swapped = mine[low];
                    mine[low] = mine[high], mine[high] = swapped;
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
// Writes the root and the runs of its neighbors' degrees; a warp per root.
__global__ void write_near(int num_roots, int base, int limit, const int* roots, const int* row_ptr, const int* heads,
                           const int* run_of, const i64* run_begin, const i64* start, int* codes, int* counts) {
    int i = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (i >= num_roots) return;
    int root = roots[i], first = run_of[row_ptr[root]], last = run_of[row_ptr[root + 1]];
    if (lane == 0) codes[start[i]] = min(row_ptr[root + 1] - row_ptr[root], limit), counts[start[i]] = 1;
    for (int run = first + lane; run < last; run += 32) {
        i64 k = run_begin[run];
        int head = heads[k];
        codes[start[i] + 1 + run - first] = base + min(row_ptr[head + 1] - row_ptr[head], limit);
        counts[start[i] + 1 + run - first] = (int)(run_begin[run + 1] - k);
    }
}
}  // extern "C"
