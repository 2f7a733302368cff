// Steps of learning vectors for every processor.
#define EGONET_LEVEL baseline
#include "pair_kernel.hpp"
