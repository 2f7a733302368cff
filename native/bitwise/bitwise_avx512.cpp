// The bit-parallel search for processors with AVX512.
#define EGONET_LEVEL avx512
#include "bitwise/bitwise_kernel.hpp"
