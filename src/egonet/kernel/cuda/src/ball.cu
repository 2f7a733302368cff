// Any ball, any settings: a block searches from one root with everything in device memory. The fallback when no
// faster search supports a root: only the device's memory limits it.
//
// Layout, per block: `distances` (num_nodes) is the distance of a node, or -1; `queue` (num_nodes) the ball in order
// of discovery; `keys` and `tallies` (`slots`, a power of two >= 2 * num_nodes) a hash table from codes to counts,
// and `taken` (num_nodes) the slots in use. Rows are unsorted.
// Invariant: between roots every distance is -1, every key -1 and every tally 0.
#define FREE_KEY (-1ll)

struct CodeTable {
    i64* keys;
    int* tallies;
    int* taken;
    int* num_taken;
    i64 mask;

    // A ball has at most num_nodes codes, half the slots, so that every probe ends.
    __device__ __forceinline__ void add(i64 code) {
        i64 slot = (i64)(((u64)code * 0x9e3779b97f4a7c15ull) >> 20) & mask;
        for (;; slot = (slot + 1) & mask) {
            i64 stored = keys[slot];
            if (stored == FREE_KEY) {
                stored = (i64)atomicCAS((u64*)&keys[slot], (u64)FREE_KEY, (u64)code);
                if (stored == FREE_KEY) {
                    taken[atomicAdd(num_taken, 1)] = (int)slot;
                    stored = code;
                }
            }
            if (stored == code) {
                atomicAdd(&tallies[slot], 1);
                return;
            }
        }
    }
};

// Tallies queue[ring ... end), all at `distance`, by a warp each; the neighbors of inner rings are all inside.
__device__ __forceinline__ void tally_ring(const Codec& codec, CodeTable table, const int* queue,
                                           const volatile int* distances, int ring, int end, int distance, bool last,
                                           bool frontier, const int* row_ptr, const int* indices) {
    int lane = threadIdx.x & 31;
    for (int t = ring + (threadIdx.x >> 5); t < end; t += blockDim.x >> 5) {
        int u = queue[t], closer = 0, same = 0, degree = row_ptr[u + 1] - row_ptr[u];
        bool plain = distance == 0 || (codec.kind == 0 && !last);
        if (!plain) {
            for (int k = row_ptr[u] + lane; k < row_ptr[u + 1]; k += 32) {
                int at = distances[indices[k]];
                closer += at >= 0 && at < distance;
                same += at == distance && (frontier || !last);
            }
            closer = __reduce_add_sync(ALL_LANES, closer);
            same = __reduce_add_sync(ALL_LANES, same);
        }
        int farther = last && distance > 0 ? 0 : degree - closer - same;
        if (lane == 0) table.add(codec.code<i64>(distance, u, closer, same, farther));
    }
}

template <class Code>
__device__ __forceinline__ void search_balls(const Codec& codec, int num_nodes, int num_todo, const int* todo,
                                             const i64* roots, int radius, bool frontier, const int* row_ptr,
                                             const int* indices, int* next, const RowBuffer<Code>& rows, int* scratch,
                                             i64* key_scratch, i64 slots) {
    __shared__ int item, size, num_taken;
    __shared__ i64 position;
    int* distances = scratch + (3 * (i64)num_nodes + slots) * blockIdx.x;
    int* queue = distances + num_nodes;
    CodeTable table = {key_scratch + slots * blockIdx.x, queue + 2 * (i64)num_nodes, queue + num_nodes, &num_taken,
                       slots - 1};
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(next, 1), num_taken = 0;
        __syncthreads();
        if (item >= num_todo) break;
        int row = todo ? todo[item] : item, root = roots ? (int)roots[row] : row;
        if (threadIdx.x == 0) queue[0] = root, distances[root] = 0, size = 1;
        __syncthreads();
        int ring = 0, end = 1;
        // Before each step queue[ring ... end) is the ring at `distance`, and everything nearer has been tallied.
        for (int distance = 0; ring < end; distance++) {
            bool last = distance == radius;
            tally_ring(codec, table, queue, distances, ring, end, distance, last, frontier, row_ptr, indices);
            __syncthreads();
            if (last) break;
            for (int t = ring + (threadIdx.x >> 5); t < end; t += blockDim.x >> 5) {
                int u = queue[t];
                for (int k = row_ptr[u] + (threadIdx.x & 31); k < row_ptr[u + 1]; k += 32) {
                    int v = indices[k];
                    if (distances[v] < 0 && atomicCAS(&distances[v], -1, distance + 1) < 0)
                        queue[atomicAdd(&size, 1)] = v;
                }
            }
            __syncthreads();
            ring = end, end = size;
            __syncthreads();
        }
        if (threadIdx.x == 0) position = rows.reserve(row, num_taken);
        __syncthreads();
        bool fits = position + num_taken <= rows.capacity;
        for (int i = threadIdx.x; i < num_taken; i += blockDim.x) {
            i64 slot = table.taken[i];
            i64 code = table.keys[slot], at = position + i;
            if (fits) rows.codes[at] = (Code)code, rows.counts[at] = table.tallies[slot];
            mark_code(rows.marks, code);
            table.keys[slot] = FREE_KEY, table.tallies[slot] = 0;
        }
        for (int i = threadIdx.x; i < size; i += blockDim.x) distances[queue[i]] = -1;
    }
}

extern "C" {
#define BALL_KERNEL(name, Code)                                                                                   \
    __global__ void __launch_bounds__(256)                                                                        \
        name(i64 base, i64 limit, i64 label_base, const int* labels, int kind, int num_nodes, int num_todo,       \
             const int* todo, const i64* roots, int radius, int frontier, const int* row_ptr, const int* indices, \
             int* next, ROW_PARAMETERS(Code), int* scratch, i64* key_scratch, i64 slots) {                        \
        Codec codec = {base, limit, label_base, labels, kind};                                                    \
        search_balls<Code>(codec, num_nodes, num_todo, todo, roots, radius, frontier, row_ptr, indices, next,     \
                           ROW_ARGUMENTS, scratch, key_scratch, slots);                                           \
    }
BALL_KERNEL(ball, int)
BALL_KERNEL(ball_wide, i64)
}  // extern "C"
