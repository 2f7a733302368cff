// CUDA on one processor: a fiber per thread of a block, switched where threads wait for one another. The order in which
// fibers run is drawn again in each round, so that a missing barrier shows; blocks run one after another.
#pragma once
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#ifndef __x86_64__
#error "the fibers are written for x86-64"
#endif

#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __align__(n) alignas(n)
#define DYNAMIC_SHARED(type, name) type* name = (type*)emulation::dynamic_shared

struct uint2 {
    unsigned x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};
struct int2 {
    int x, y;
};
inline int2 make_int2(int x, int y) { return {x, y}; }
struct int4 {
    int x, y, z, w;
};
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
struct Dim {
    unsigned x, y, z;
};

extern "C" void switch_stack(void** save, void* load);
asm(R"(
.text
.globl switch_stack
switch_stack:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
)");

namespace emulation {

constexpr std::size_t stack_size = 64 * 1024;
alignas(16) static unsigned char dynamic_shared[256 * 1024];

struct Barrier {
    int live = 0, arrived = 0;
    unsigned generation = 0;
    std::uint64_t slot[32] = {};
};
struct Fiber {
    void* stack_pointer;
    bool done;
    unsigned thread;
};

static Dim block_index, block_dim, grid_dim;
static std::vector<Fiber> fibers;
static std::vector<Barrier> warps;
static Barrier block;
static Fiber* current;
static void* scheduler_stack;
static unsigned char* stacks;
static bool moved;
static std::uint64_t dice = 88172645463325252ull;
static void (*body)(void*);
static void* body_arguments;

inline std::uint64_t roll() {
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return dice;
}
inline void yield() { switch_stack(&current->stack_pointer, scheduler_stack); }
inline void release_if_complete(Barrier& barrier) {
    if (barrier.live == 0 || barrier.arrived < barrier.live) return;
    barrier.arrived = 0;
    barrier.generation++;
    moved = true;
}
inline void wait(Barrier& barrier) {
    unsigned generation = barrier.generation;
    barrier.arrived++;
    release_if_complete(barrier);
    while (barrier.generation == generation) yield();
}
inline Barrier& my_warp() { return warps[current->thread / 32]; }
inline int my_lane() { return current->thread % 32; }

// Every lane gives a value and gets those of all lanes; absent lanes count as 0.
struct Lanes {
    std::uint64_t value[32];
};
inline Lanes exchange(std::uint64_t value) {
    Barrier& warp = my_warp();
    warp.slot[my_lane()] = value;
    wait(warp);
    Lanes lanes;
    std::memcpy(lanes.value, warp.slot, sizeof lanes.value);
    wait(warp);
    return lanes;
}

extern "C" inline void run_fiber() {
    body(body_arguments);
    Barrier& warp = my_warp();
    warp.slot[my_lane()] = 0;
    warp.live--;
    block.live--;
    release_if_complete(warp);
    release_if_complete(block);
    current->done = true;
    moved = true;
    for (;;) yield();
}

inline void start_fibers(unsigned count) {
    if (!stacks)
        stacks = (unsigned char*)mmap(nullptr, 1024 * stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                      -1, 0);
    fibers.assign(count, {});
    warps.assign((count + 31) / 32, {});
    block = {};
    block.live = count;
    for (unsigned thread = 0; thread < count; thread++) {
        auto* top = (std::uint64_t*)(stacks + (thread + 1) * stack_size);
        *--top = 0;
        *--top = (std::uint64_t)&run_fiber;
        for (int i = 0; i < 6; i++) *--top = 0;
        fibers[thread] = {top, false, thread};
        warps[thread / 32].live++;
    }
}

inline int run_block(unsigned count) {
    start_fibers(count);
    std::vector<unsigned> order(count);
    for (unsigned i = 0; i < count; i++) order[i] = i;
    for (unsigned left = count; left;) {
        moved = false;
        for (unsigned i = count - 1; i > 0; i--) std::swap(order[i], order[roll() % (i + 1)]);
        for (unsigned i : order) {
            if (fibers[i].done) continue;
            current = &fibers[i];
            switch_stack(&scheduler_stack, current->stack_pointer);
            left -= fibers[i].done;
        }
        if (!moved) return 1;
    }
    return 0;
}

template <class... A, std::size_t... I>
int launch(void (*kernel)(A...), const unsigned* shape, void** arguments, std::index_sequence<I...>) {
    auto call = [&] { kernel(*(std::remove_cv_t<std::remove_reference_t<A>>*)arguments[I]...); };
    body = [](void* bound) { (*(decltype(call)*)bound)(); };
    body_arguments = &call;
    grid_dim = {shape[0], shape[1], 1};
    block_dim = {shape[2], 1, 1};
    for (unsigned y = 0; y < shape[1]; y++)
        for (unsigned x = 0; x < shape[0]; x++) {
            block_index = {x, y, 0};
            if (run_block(shape[2])) return 1;
        }
    return 0;
}
template <class... A>
int launch(void (*kernel)(A...), const unsigned* shape, void** arguments) {
    return launch(kernel, shape, arguments, std::index_sequence_for<A...>{});
}

template <class T>
std::uint64_t bits_of(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace emulation

struct ThreadIndex {
    unsigned x;
};
#define threadIdx (ThreadIndex{emulation::current->thread})
#define blockIdx emulation::block_index
#define blockDim emulation::block_dim
#define gridDim emulation::grid_dim

template <class A, class B>
std::common_type_t<A, B> min(A a, B b) {
    return b < a ? b : a;
}
template <class A, class B>
std::common_type_t<A, B> max(A a, B b) {
    return a < b ? b : a;
}

inline void __syncthreads() { emulation::wait(emulation::block); }
inline void __syncwarp() { emulation::wait(emulation::my_warp()); }
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
    return emulation::from_bits<T>(emulation::exchange(emulation::bits_of(value)).value[lane & 31]);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
    int lane = emulation::my_lane();
    return emulation::from_bits<T>(emulation::exchange(emulation::bits_of(value)).value[lane ^ mask]);
}
template <class T>
T __shfl_up_sync(unsigned, T value, int delta) {
    int lane = emulation::my_lane();
    return emulation::from_bits<T>(
        emulation::exchange(emulation::bits_of(value)).value[lane < delta ? lane : lane - delta]);
}
inline unsigned __ballot_sync(unsigned, bool value) {
    emulation::Lanes lanes = emulation::exchange(value);
    unsigned ballot = 0;
    for (int i = 0; i < 32; i++) ballot |= (unsigned)(lanes.value[i] != 0) << i;
    return ballot;
}
inline bool __any_sync(unsigned mask, bool value) { return __ballot_sync(mask, value) != 0; }
inline bool __all_sync(unsigned mask, bool value) { return !__any_sync(mask, !value); }
inline int __reduce_add_sync(unsigned, int value) {
    emulation::Lanes lanes = emulation::exchange((unsigned)value);
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += (int)lanes.value[i];
    return sum;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(unsigned x) { return __builtin_ffs((int)x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
template <class T>
T __ldcg(const T* from) {
    return *from;
}

// Atomic operations let others run first now and then, as they would.
inline void maybe_yield() {
    if (emulation::roll() % 16 == 0) emulation::moved = true, emulation::yield();
}
template <class T, class V>
T atomicAdd(T* at, V value) {
    maybe_yield();
    T old = *at;
    *at = old + (T)value;
    return old;
}
template <class T, class V>
T atomicOr(T* at, V value) {
    maybe_yield();
    T old = *at;
    *at = old | (T)value;
    return old;
}
template <class T, class V>
T atomicAnd(T* at, V value) {
    maybe_yield();
    T old = *at;
    *at = old & (T)value;
    return old;
}
template <class T, class V>
T atomicMax(T* at, V value) {
    maybe_yield();
    T old = *at;
    if (old < (T)value) *at = (T)value;
    return old;
}
template <class T, class A, class B>
T atomicCAS(T* at, A expected, B value) {
    maybe_yield();
    T old = *at;
    if (old == (T)expected) *at = (T)value;
    return old;
}
