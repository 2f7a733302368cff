// Shared by all kernel families: integer names, warp sums, the hash of a node, and keys as codes.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define ALL_LANES 0xffffffffu
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(type, name)                                  \
    extern __shared__ __align__(16) unsigned char dynamic_shared[]; \
    type* name = (type*)dynamic_shared
#endif

__device__ __forceinline__ int thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Sums over the 8 lanes that share a row, over a warp, and the largest value of a warp's four rows.
__device__ __forceinline__ int sum_of_8(int x) {
    x += __shfl_xor_sync(ALL_LANES, x, 4);
    x += __shfl_xor_sync(ALL_LANES, x, 2);
    return x + __shfl_xor_sync(ALL_LANES, x, 1);
}
__device__ __forceinline__ int max_of_rows(int x) {
    x = max(x, __shfl_xor_sync(ALL_LANES, x, 8));
    return max(x, __shfl_xor_sync(ALL_LANES, x, 16));
}
__device__ __forceinline__ int inclusive_sum(int x, int lane) {
    for (int step = 1; step < 32; step <<= 1) {
        int y = __shfl_up_sync(ALL_LANES, x, step);
        if (lane >= step) x += y;
    }
    return x;
}

// Multiplicative hashing takes the high bits, so that node numbers with a pattern still spread.
__device__ __forceinline__ u32 hash_node(int node, int shift) { return ((u32)node * 2654435769u) >> shift; }

// A key (distance, degree fields, label) as one number whose order is the order of the keys: mixed radix, every
// field smaller than its base. kind: 0 total, 1 layered, 2 full.
struct Codec {
    i64 base, limit, label_base;
    const int* labels;
    int kind;

    template <class Code>
    __device__ __forceinline__ Code field(Code code, int value) const {
        return code * (Code)base + min((Code)value, (Code)limit);
    }
    // Code is int where all codes are known to fit.
    template <class Code>
    __device__ __forceinline__ Code code(int distance, int node, int closer, int same, int farther) const {
        Code code = distance;
        if (kind == 0) {
            code = field<Code>(code, closer + same + farther);
        } else {
            if (kind == 2) code = field<Code>(code, closer);
            code = field<Code>(field<Code>(code, same), farther);
        }
        return labels ? code * (Code)label_base + labels[node] : code;
    }
};

// Marks a code as used, if there are marks; reading first avoids thousands of equal stores to one address.
__device__ __forceinline__ void mark_code(u8* marks, i64 code) {
    if (marks && !marks[code]) marks[code] = 1;
}

// The buffer that searches append rows to. Rows past `capacity` are not written, but the cursor still advances.
#define ROW_PARAMETERS(Code) u64 *cursor, i64 capacity, i64 *start, int *length, Code *codes, int *counts, u8 *marks
#define ROW_ARGUMENTS {cursor, capacity, start, length, codes, counts, marks}
template <class Code>
struct RowBuffer {
    u64* cursor;
    i64 capacity, *start;
    int* length;
    Code* codes;
    int* counts;
    u8* marks;

    // One thread reserves the entries of a row.
    __device__ __forceinline__ i64 reserve(int row, int total) const {
        start[row] = (i64)atomicAdd(cursor, (u64)total);
        length[row] = total;
        return start[row];
    }
};
