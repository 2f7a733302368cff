// The bit-parallel search for processors with AVX2.
#define EGONET_LEVEL avx2
#include "bitwise_kernel.hpp"
