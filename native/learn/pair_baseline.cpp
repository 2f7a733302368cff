// Steps of learning vectors for every processor.
#define EGONET_LEVEL baseline
#include "learn/pair_kernel.hpp"
