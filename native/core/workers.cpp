#include "core/workers.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace egonet {

namespace {

// Counts the workers still running and keeps the first exception.
struct Gate {
    std::mutex mutex;
    std::condition_variable finished;
    int running = 0;
    std::exception_ptr error;

    void fail(Job& job, std::exception_ptr reason) {
        std::lock_guard lock(mutex);
        if (!error) error = reason;
        job.cancelled = true;
    }

    void leave() {
        std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_one();
    }

    bool wait() {
        std::unique_lock lock(mutex);
        return finished.wait_for(lock, std::chrono::milliseconds(100), [this] { return running == 0; });
    }
};

void guarded(Job& job, Gate& gate, const std::function<void(int)>& work, int worker) {
    try {
        work(worker);
    } catch (...) {
        gate.fail(job, std::current_exception());
    }
    gate.leave();
}

void keep_watch(Job& job, Gate& gate) {
    bool watching = static_cast<bool>(job.watch);
    while (!gate.wait()) {
        if (!watching) continue;
        try {
            job.watch(job.done.load(std::memory_order_relaxed));
        } catch (...) {
            gate.fail(job, std::current_exception());
            watching = false;
        }
    }
}

}  // namespace

void run_workers(Job& job, const std::function<void(int)>& work) {
    if (job.in_line) {
        for (int worker = 0; worker < job.threads; ++worker) work(worker);
        return;
    }
    Gate gate;
    std::vector<std::thread> threads;
    threads.reserve(job.threads);
    gate.running = job.threads;
    for (int worker = 0; worker < job.threads; ++worker) {
        try {
            threads.emplace_back([&, worker] { guarded(job, gate, work, worker); });
        } catch (const std::system_error&) {
            // The system gives no more threads: those that run share the blocks, or this one does them all.
            for (int missing = worker; missing < job.threads; ++missing) {
                if (missing == 0)
                    guarded(job, gate, work, 0);
                else
                    gate.leave();
            }
            break;
        }
    }
    keep_watch(job, gate);
    for (std::thread& thread : threads) thread.join();
    if (gate.error) std::rethrow_exception(gate.error);
}

}  // namespace egonet
