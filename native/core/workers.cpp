#include "core/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace egonet {

namespace {

constexpr std::chrono::milliseconds between_looks{100};

// Waits a few microseconds for something that is about to happen; a sleeping thread takes longer to wake up.
template <class Condition>
bool wait_briefly(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    do {
        for (int i = 0; i < 16; ++i) {
            if (condition()) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    } while (std::chrono::steady_clock::now() < end);
    return condition();
}

}  // namespace

// All threads take part in every round, and a round ends when all have left it: so none can miss one.
class Team {
public:
    explicit Team(Job& job) : job_(job) {}

    ~Team() {
        begin_round(nullptr, 0, 0);
        for (std::thread& thread : threads_) thread.join();
    }

    // The thread at `place` calls work(place + first). Starts threads up to `count`, which take part at once, while later
    // ones are started. Returns how many there are: perhaps fewer, if the system gives no more, or more from before.
    int begin_round(const std::function<void(int)>* work, int first, int count) {
        const int before = static_cast<int>(threads_.size());
        work_ = work;
        first_ = first;
        running_ = std::max(before, count);
        const std::uint64_t seen = round_.load();
        {
            std::lock_guard lock(mutex_);
            round_.fetch_add(1);
        }
        if (before) begun_.notify_all();
        try {
            for (int place = before; place < count; ++place)
                threads_.emplace_back([this, place, seen] { follow(place, seen); });
        } catch (const std::system_error&) {
            running_ -= count - static_cast<int>(threads_.size());
        }
        return static_cast<int>(threads_.size());
    }

    // Returns whether the round is over; waits for that at most until the next look at the watch.
    bool wait() {
        if (wait_briefly([this] { return running_ == 0; })) return true;
        std::unique_lock lock(mutex_);
        return finished_.wait_for(lock, between_looks, [this] { return running_ == 0; });
    }

    void call(const std::function<void(int)>& work, int worker) {
        try {
            work(worker);
        } catch (...) {
            fail();
        }
    }

    // Keeps the first exception and cancels the job.
    void fail() {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        job_.cancelled = true;
    }

    void end_round() {
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    void follow(int place, std::uint64_t seen) {
        while (true) {
            if (!wait_briefly([&] { return round_ != seen; })) {
                std::unique_lock lock(mutex_);
                begun_.wait(lock, [&] { return round_ != seen; });
            }
            ++seen;
            if (!work_) return;
            call(*work_, place + first_);
            if (running_.fetch_sub(1) == 1) {
                std::lock_guard lock(mutex_);
                finished_.notify_one();
            }
        }
    }

    Job& job_;
    std::mutex mutex_;
    std::condition_variable begun_, finished_;
    std::atomic<std::uint64_t> round_{0};
    std::atomic<int> running_{0};
    const std::function<void(int)>* work_ = nullptr;  // null: the threads end
    int first_ = 0;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

Job::Job() : last_look_(std::chrono::steady_clock::now()) {}
Job::~Job() = default;

void Job::look() {
    if (!watch || in_line) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look_ < between_looks) return;
    last_look_ = now;
    watch(done.load(std::memory_order_relaxed));
}

void Job::limit_threads(double nanoseconds) {
    threads = static_cast<int>(std::clamp(nanoseconds / 4e5, 1.0, double(threads)));
}

void run_workers(Job& job, const std::function<void(int)>& work, Caller caller) {
    const bool works = caller == Caller::works;
    if (job.in_line || (works && job.threads == 1)) {
        for (int worker = 0; worker < job.threads; ++worker) work(worker);
        return;
    }
    if (!job.team) job.team = std::make_unique<Team>(job);
    Team& team = *job.team;
    const int first = works ? 1 : 0;
    // A team that was larger before has workers too many, which only leave.
    const std::function<void(int)> guarded = [&](int worker) {
        if (worker < job.threads) work(worker);
    };
    const int size = team.begin_round(&guarded, first, job.threads - first);
    if (works) team.call(work, 0);
    for (int missing = first + size; missing < job.threads; ++missing) team.call(work, missing);
    bool watching = static_cast<bool>(job.watch);
    while (!team.wait()) {
        if (!watching) continue;
        try {
            job.look();
        } catch (...) {
            team.fail();
            watching = false;
        }
    }
    team.end_round();
}

}  // namespace egonet
