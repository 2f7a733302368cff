// The bit-parallel search for any processor.
#define EGONET_LEVEL baseline
#include "bitwise_kernel.hpp"
