// Sizes of some balls, for the plan: a block walks from one root with the ball as bits in shared memory.
//
// Layout. `seen` in shared memory has a bit per vertex of the graph. The ball in order of discovery is the block's
// stretch of `queues`, `num_nodes` long. Roots are the middles of equal stretches of all that are asked for.
// sums[0] and sums[1] end as the vertices of all balls and the arcs that leave these.
// A warp begins no list after it has read `most` neighbours, so that no graph makes this long: a ball of which so many
// arcs have been read and that is not all found is counted too small.
// Invariant: the bits are those of queue[0 ... size) whenever the threads of a block meet.

extern "C" __global__ void __launch_bounds__(1024)
sample_balls(int num_nodes, i64 num_roots, const i64* roots, int radius, const int* row_ptr, const int* indices,
             int most, int* queues, u64* sums) {
    DYNAMIC_SHARED(u32, seen);
    __shared__ int size;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, left = most;
    int* queue = queues + (i64)num_nodes * blockIdx.x;
    for (int i = threadIdx.x; i < (num_nodes + 31) >> 5; i += blockDim.x) seen[i] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        i64 row = num_roots * (2 * blockIdx.x + 1) / (2 * gridDim.x);
        int root = (int)(roots ? roots[row] : row);
        seen[root >> 5] = 1u << (root & 31);
        queue[0] = root;
        size = 1;
    }
    __syncthreads();
    // Before each step queue[ring ... size) is the ring at `distance`.
    for (int ring = 0, distance = 0; distance < radius && ring < size; distance++) {
        int end = size;
        __syncthreads();
        for (int t = ring + warp; t < end && left > 0; t += warps) {
            int u = queue[t], from = row_ptr[u], to = row_ptr[u + 1];
            left -= to - from;
            for (int k = from + lane; k < to; k += 32) {
                int v = indices[k];
                u32 bit = 1u << (v & 31);
                // Most have been met before, and lanes that change one word wait for each other.
                if (seen[v >> 5] & bit) continue;
                if (!(atomicOr(&seen[v >> 5], bit) & bit)) queue[atomicAdd(&size, 1)] = v;
            }
        }
        __syncthreads();
        ring = end;
    }
    // Vertices are counted once, so that no sum exceeds the arcs of the graph, which have 32-bit positions.
    int arcs = 0;
    for (int t = threadIdx.x; t < size; t += blockDim.x) arcs += row_ptr[queue[t] + 1] - row_ptr[queue[t]];
    arcs = __reduce_add_sync(ALL_LANES, arcs);
    if (lane == 0 && arcs) atomicAdd(&sums[1], (u64)arcs);
    if (threadIdx.x == 0) atomicAdd(&sums[0], (u64)size);
}
