#include "core/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#if defined(_WIN32)
#include <thread>
#else
#include <pthread.h>
#endif

namespace egonet {

namespace {

constexpr std::chrono::milliseconds between_looks{100};

#if defined(_WIN32)
using Thread = std::thread;
#else
// A thread with a stack of 1 MB. The C library keeps up to 40 MB of ended threads' stacks for new ones: that is five of the
// usual size, and mapping the stacks of 15 threads takes 0.2 milliseconds.
class Thread {
public:
    explicit Thread(std::function<void()> run) : run_(std::make_unique<std::function<void()>>(std::move(run))) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, std::size_t{1} << 20);
        const auto call = [](void* run) -> void* {
            (*static_cast<std::function<void()>*>(run))();
            return nullptr;
        };
        const int error = pthread_create(&thread_, &attributes, call, run_.get());
        pthread_attr_destroy(&attributes);
        if (error) throw std::system_error(error, std::generic_category());
    }
    void join() { pthread_join(thread_, nullptr); }

private:
    std::unique_ptr<std::function<void()>> run_;  // stays in place when the thread object is moved
    pthread_t thread_;
};
#endif

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

// Rounds of work. A thread that wakes up after a round has been closed leaves it out, so that a short round does not wait
// for sleeping threads.
class Team {
public:
    explicit Team(Job& job) : job_(job) {}

    ~Team() {
        begin_round(nullptr, 0, 0);
        for (Thread& thread : threads_) thread.join();
    }

    // The thread at `place` calls work(place + first). Starts threads up to `count`, which take part at once, while later
    // ones are started. Returns how many there are: perhaps fewer, if the system gives no more, or more from before.
    int begin_round(const std::function<void(int)>* work, int first, int count) {
        const int before = static_cast<int>(threads_.size());
        work_ = work;
        first_ = first;
        const std::uint64_t seen = state_.load() / one_round;
        {
            std::lock_guard lock(mutex_);
            state_.store((seen + 1) * one_round + open);
        }
        if (before) started_.notify_all();
        try {
            for (int place = before; place < count; ++place)
                threads_.emplace_back([this, place, seen] { follow(place, seen); });
        } catch (const std::system_error&) {
        }
        return static_cast<int>(threads_.size());
    }

    // From now on the round is over when nobody is inside: after all threads were, or closed to those that were not.
    void end_round(bool with_all) {
        num_needed_ = with_all ? threads_.size() : 0;
        if (!with_all) state_.fetch_and(~open);
    }

    // Returns whether the round is over; waits for that at most until the next look at the watch.
    bool wait() {
        if (wait_briefly([this] { return is_over(); })) return true;
        std::unique_lock lock(mutex_);
        return finished_.wait_for(lock, between_looks, [this] { return is_over(); });
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

    void rethrow() {
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    // The state of the round: its number, how many threads have entered and how many are inside, and whether it is open.
    static constexpr std::uint64_t open = 1, inside = 2, entered = 1 << 16, one_round = std::uint64_t{1} << 32;

    static bool is_empty(std::uint64_t state) { return state % entered / inside == 0; }

    bool is_over() const {
        const std::uint64_t state = state_.load();
        return is_empty(state) && state % one_round / entered >= num_needed_;
    }

    // Enters the round after `seen`, or a later one; false if it is closed.
    bool enter(std::uint64_t& seen) {
        std::uint64_t state = state_.load();
        while (state & open)
            if (state_.compare_exchange_weak(state, state + inside + entered)) break;
        seen = state / one_round;
        return state & open;
    }

    void follow(int place, std::uint64_t seen) {
        while (true) {
            const auto started = [&] { return state_.load() / one_round != seen; };
            if (!wait_briefly(started)) {
                std::unique_lock lock(mutex_);
                started_.wait(lock, started);
            }
            if (!enter(seen)) continue;
            const bool ends = !work_;
            if (!ends) call(*work_, place + first_);
            const std::uint64_t left = state_.fetch_sub(inside) - inside;
            if (ends) return;
            if (is_empty(left)) {
                std::lock_guard lock(mutex_);
                finished_.notify_one();
            }
        }
    }

    Job& job_;
    std::mutex mutex_;
    std::condition_variable started_, finished_;
    std::atomic<std::uint64_t> state_{0};
    const std::function<void(int)>* work_ = nullptr;  // null: the threads end
    int first_ = 0;
    std::uint64_t num_needed_ = 0;  // threads that must enter the round before it is over
    std::exception_ptr error_;
    std::vector<Thread> threads_;
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
    team.end_round(!works);
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
    team.rethrow();
}

}  // namespace egonet
