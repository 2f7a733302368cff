// The bit-parallel search for any processor.
#define EGONET_LEVEL baseline
#include "bitwise/bitwise_kernel.hpp"
