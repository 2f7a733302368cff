// Steps of learning vectors for processors with AVX-512.
#define EGONET_LEVEL avx512
#include "learn/pair_kernel.hpp"
