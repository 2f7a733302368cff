// How fast the GPU reads at random: the floor of searches whose rows lie all over the memory.
//
// Every group of lanes reads whole rows of 32, 64 or 128 bytes, 16 bytes a lane, at addresses drawn by hashing, eight in
// flight; the set of rows is a power of two, so that it can be chosen to lie in the cache or not.
extern "C" __global__ void read_rows(const uint4* rows, unsigned mask, int lanes, int steps, unsigned* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, reader = thread / lanes, lane = thread % lanes, sum = 0;
    for (int step = 0; step < steps; step += 8) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            unsigned at = reader * 2654435761u + (step + j) * 2891336453u;
            at ^= at >> 15;
            at *= 2246822519u;
            at ^= at >> 13;
            uint4 row = __ldcg(&rows[(size_t)(at & mask) * lanes + lane]);
            sum ^= row.x ^ row.w;
        }
    }
    if (sum == 0x1234567u) out[0] = sum;
}
