// Threads that share a list of blocks. They start with the first list that needs them and end with the job.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace egonet {

// Called on the calling thread with the roots done so far, at most ten times a second; what it throws stops the work.
using Watch = std::function<void(std::int64_t done)>;

class Team;

// What workers and the calling thread share.
struct Job {
    Job();
    ~Job();

    int threads = 1;
    bool in_line = false;  // run on the calling thread, without a watch: for work of milliseconds
    Watch watch;
    std::atomic<bool> cancelled{false};
    alignas(64) std::atomic<std::int64_t> done{
        0};  // written by all workers; on a separate cache line from what they read

    // Calls the watch if a tenth of a second has passed; for the calling thread, between blocks.
    void look();

    // At most one thread for every 400 microseconds of predicted work: less does not pay for starting it and waiting for it.
    void limit_threads(double nanoseconds);

    alignas(64) std::unique_ptr<Team> team;

private:
    std::chrono::steady_clock::time_point last_look_;
};

// What the calling thread does meanwhile: it is worker 0 and looks at the watch between blocks, which suits blocks of
// milliseconds; or it only keeps watch, so that long blocks can be interrupted and reported on.
enum class Caller { works, watches };

// Calls work(worker) once for each worker 0 ... threads - 1, each on its own thread where the system gives one, and
// returns when all have returned; if the caller works too, workers that have not started when it returns are left out. The
// first exception, of a worker or of the watch, cancels the job and is thrown here.
void run_workers(Job& job, const std::function<void(int worker)>& work, Caller caller = Caller::watches);

// Hands blocks 0 ... num_blocks - 1 to workers, each block to one of them, increasing for each worker.
// `make(worker)` returns an object that is called with each block and owns the worker's private scratch; if it
// has finish(), that is called after its last block.
template <class Make>
void run_blocks(Job& job, std::int64_t num_blocks, Make make, Caller caller = Caller::works) {
    std::atomic<std::int64_t> next{0};
    const auto work_on = [&](int worker) {
        std::int64_t block = next.fetch_add(1);
        if (block >= num_blocks) return;
        auto work = make(worker);
        for (; block < num_blocks && !job.cancelled.load(std::memory_order_relaxed); block = next.fetch_add(1)) {
            work(block);
            if (worker == 0 && caller == Caller::works) job.look();
        }
        if constexpr (requires { work.finish(); }) work.finish();
    };
    if (num_blocks == 1 && caller == Caller::works) work_on(0);
    else run_workers(job, work_on, caller);
}

}  // namespace egonet
