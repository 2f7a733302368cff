// Which instruction sets the bit-parallel code was compiled for, and which of them this processor has.
#pragma once

namespace egonet {

enum class Simd { baseline, avx2, avx512 };

// The best one that is compiled in and that the processor has.
Simd best_simd();

}  // namespace egonet
