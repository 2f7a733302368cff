// Threads that share a list of blocks while the calling thread keeps watch.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace egonet {

// Called on the calling thread with the roots done so far, at most ten times a second; what it throws stops the work.
using Watch = std::function<void(std::int64_t done)>;

// What workers and the watching thread share.
struct Job {
    int threads = 1;
    bool in_line = false;  // run on the calling thread, without a watch: for work of milliseconds
    Watch watch;
    std::atomic<bool> cancelled{false};
    std::atomic<std::int64_t> done{0};
};

// Calls work(worker) once for each worker 0 ... threads - 1, each on its own thread, and returns when all have
// returned. The first exception, of a worker or of the watch, cancels the job and is thrown again here.
void run_workers(Job& job, const std::function<void(int worker)>& work);

// Hands blocks 0 ... num_blocks - 1 to workers, each block to one of them, rising for each worker.
// `make(worker)` returns an object that is called with each block and owns the worker's private scratch; if it
// has finish(), that is called after its last block.
template <class Make>
void run_blocks(Job& job, std::int64_t num_blocks, Make make) {
    std::atomic<std::int64_t> next{0};
    run_workers(job, [&](int worker) {
        std::int64_t block = next.fetch_add(1);
        if (block >= num_blocks) return;
        auto work = make(worker);
        for (; block < num_blocks && !job.cancelled.load(std::memory_order_relaxed); block = next.fetch_add(1))
            work(block);
        if constexpr (requires { work.finish(); }) work.finish();
    });
}

}  // namespace egonet
