// The bit-parallel search for processors with AVX2.
#define EGONET_LEVEL avx2
#include "bitwise/bitwise_kernel.hpp"
