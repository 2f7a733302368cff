// Steps of learning vectors for processors with AVX2.
#define EGONET_LEVEL avx2
#include "learn/pair_kernel.hpp"
