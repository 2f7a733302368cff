// Any radius, 512 roots at a time: for graphs whose ego-networks overlap.
//
// The nodes are renamed so that the roots of a pass lie close together: the more their balls overlap, the more
// the roots of each bit of a node. See bitwise_kernel.hpp for the search itself. A pass that finds too little
// overlap, or too many different keys, is done root by root instead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "bitwise/bitwise_pass.hpp"
#include "core/keys.hpp"
#include "core/rows.hpp"
#include "core/tally.hpp"
#include "core/workers.hpp"
#include "encode/source.hpp"
#include "platform/simd.hpp"

namespace egonet {

const PassSteps& pass_steps(Simd simd);

// How much a worker may allocate, and which code it runs.
struct BitwiseOptions {
    Simd simd;
    std::int64_t most_slots;
    std::int32_t lanes;  // a multiple of 64, at least the roots of a pass
    bool may_fall_back;  // do a pass root by root when that is predicted to be faster
};

// The private scratch of one worker.
class PassScratch {
public:
    // `direct` finds slots by a table over all codes instead of a hash table.
    PassScratch(const Adjacency& adjacency, const Settings& settings, const KeyCodec& codec, bool direct,
                const BitwiseOptions& options, const std::atomic<bool>& cancelled);
    ~PassScratch();
    PassScratch(const PassScratch&) = delete;
    PassScratch& operator=(const PassScratch&) = delete;

    Pass pass;

    // Forgets every slot, whose counts must be zero.
    void reset_slots();

private:
    Buffer<Lanes> seen_, front_, next_;
    Buffer<std::uint8_t> queued_;
    Buffer<std::int32_t> frontier_, candidates_, touched_;
    Buffer<std::uint32_t> counts_;
};

// True if the last ring, as the level phase found it, is cheaper to count root by root.
bool sharing_is_low(const Pass& pass);

template <class Search, class Tally>
class BitwiseRows {
public:
    BitwiseRows(Job& job, const Adjacency& adjacency, const Settings& settings, const KeyCodec& codec,
                const std::int32_t* roots, const BitwiseOptions& options, Collector& collector, int worker)
        : job_(job),
          roots_(roots),
          options_(options),
          steps_(pass_steps(options.simd)),
          collector_(collector),
          worker_(worker),
          scratch_(std::make_unique<PassScratch>(adjacency, settings, codec, std::is_same_v<Tally, DenseTally>, options,
                                                 job.cancelled)),
          tally_(std::make_unique<Tally>(codec.range())),
          search_(adjacency, settings, codec, *tally_),
          writer_(collector.writer(worker)) {}

    void operator()(std::int64_t block) {
        const Layout& layout = collector_.layout();
        const std::int64_t begin = layout.begin(block);
        const int count = static_cast<int>(layout.end(block) - begin);
        if (!run_pass(begin, count)) {
            for (int lane = 0; lane < count && !job_.cancelled.load(std::memory_order_relaxed); ++lane) {
                search_(roots_[begin + lane]);
                writer_.drain_row(layout.row(begin + lane), *tally_);
            }
        }
        if (job_.cancelled.load(std::memory_order_relaxed)) return;
        writer_.end_block(collector_.block(block));
        job_.done.fetch_add(count, std::memory_order_relaxed);
    }

    void finish() { collector_.set_codes(worker_, tally_->codes()); }

private:
    // Writes the rows of the block, or returns false and leaves them to the searches.
    bool run_pass(std::int64_t begin, int count) {
        if (to_skip_ > 0) return --to_skip_, false;
        Pass& pass = scratch_->pass;
        const bool has_ring = steps_.levels(pass, roots_ + begin, count);
        const bool worthwhile = !(has_ring && options_.may_fall_back && sharing_is_low(pass));
        if (has_ring && worthwhile) steps_.last_ring(pass);
        steps_.clear(pass);
        const bool complete = worthwhile && !pass.slots.overflow;
        // Where one pass meets too many keys the next ones will: try again after 1, 2, 4, ... others.
        after_overflow_ = pass.slots.overflow ? std::clamp<std::int64_t>(2 * after_overflow_, 1, 64) : 0;
        to_skip_ = after_overflow_;
        if (complete) emit(begin, count);
        else std::fill_n(pass.slots.counts, std::int64_t{pass.slots.size} * options_.lanes, 0);
        scratch_->reset_slots();
        return complete;
    }

    // Slots in the order of their codes give every row its entries in the order of their columns.
    void emit(std::int64_t begin, int count) {
        Slots& slots = scratch_->pass.slots;
        order_.resize(slots.size);
        columns_.resize(slots.size);
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(),
                  [&](std::int32_t a, std::int32_t b) { return slots.code_of[a] < slots.code_of[b]; });
        for (std::int32_t i = 0; i < slots.size; ++i) columns_[i] = tally_->column_of(slots.code_of[order_[i]]);
        std::int64_t length[num_lanes];
        Entry* place[num_lanes];
        steps_.lengths(slots, order_.data(), slots.size, length);
        Entry* entries = writer_.reserve(std::accumulate(length, length + count, std::int64_t{0}));
        for (int lane = 0; lane < count; ++lane) {
            place[lane] = entries;
            entries += length[lane];
            writer_.end_row(collector_.layout().row(begin + lane), length[lane]);
        }
        steps_.emit(slots, order_.data(), columns_.data(), slots.size, place);
    }

    Job& job_;
    const std::int32_t* roots_;
    const BitwiseOptions& options_;
    const PassSteps& steps_;
    Collector& collector_;
    int worker_;
    std::unique_ptr<PassScratch> scratch_;
    std::unique_ptr<Tally> tally_;
    Search search_;
    RowWriter writer_;
    std::vector<std::int32_t> order_, columns_;
    std::int64_t after_overflow_ = 0, to_skip_ = 0;  // passes that are not even tried
};

// `roots` are in the numbering of `adjacency`, in the order of the collector's layout.
template <class Tally>
void encode_bitwise(Job& job, const Adjacency& adjacency, const Settings& settings, const KeyCodec& codec,
                    const std::int32_t* roots, const BitwiseOptions& options, Collector& collector) {
    // The passes of a small graph are short enough to look at the watch between them.
    const Caller caller = adjacency.num_nodes < 1 << 16 ? Caller::works : Caller::watches;
    const auto run = [&]<class Search>() {
        run_blocks(
            job, collector.layout().num_blocks(),
            [&](int worker) {
                return BitwiseRows<Search, Tally>(job, adjacency, settings, codec, roots, options, collector, worker);
            },
            caller);
    };
    if (settings.degrees == Degrees::total) run.template operator()<TotalSearch<Tally>>();
    else run.template operator()<LayeredSearch<Tally>>();
}

}  // namespace egonet
