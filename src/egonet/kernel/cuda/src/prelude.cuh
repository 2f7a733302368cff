// What every kernel family shares: integer names, warp sums, the hash of a node, and keys as codes.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define ALL_LANES 0xffffffffu
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(type, name)                                 \
    extern __shared__ __align__(16) unsigned char dynamic_shared[]; \
    type* name = (type*)dynamic_shared
#endif

__device__ __forceinline__ int thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ i64 wide_index() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }

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

// Notes that a code is in use, if anybody asked; reading first keeps thousands of equal stores to one address off the
// memory system.
__device__ __forceinline__ void mark_code(u8* marks, i64 code) {
    if (marks && !marks[code]) marks[code] = 1;
}

// Adds to one of two counters in a word; returns what the counter was.
__device__ __forceinline__ u32 add_half(u16* halves, int i, u32 more) {
    int shift = (i & 1) * 16;
    return (atomicAdd((u32*)halves + (i >> 1), more << shift) >> shift) & 0xffff;
}
