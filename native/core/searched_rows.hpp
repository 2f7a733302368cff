// What all algorithms with one search per row share: the loop over rows, and the choice of a tally.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/rows.hpp"
#include "core/tally.hpp"
#include "core/workers.hpp"

namespace egonet {

// Writes the rows of blocks: search(row) adds the keys of a row of the result to the worker's tally.
template <class Tally, class Search>
class SearchedRows {
public:
    template <class Make>
    SearchedRows(Job& job, Collector& collector, std::int64_t range, int worker, const Make& make)
        : job_(job),
          collector_(collector),
          worker_(worker),
          tally_(std::make_unique<Tally>(range)),
          search_(make(*tally_)),
          writer_(collector.writer(worker)) {}

    void operator()(std::int64_t block) {
        const Layout& layout = collector_.layout();
        for (std::int64_t place = layout.begin(block); place < layout.end(block); ++place) {
            if (job_.cancelled.load(std::memory_order_relaxed)) return;
            search_(layout.row(place));
            writer_.drain_row(layout.row(place), *tally_);
            if (++num_done_ == done_together) report();
        }
        report();
        writer_.end_block(collector_.block(block));
    }

    void finish() { collector_.set_codes(worker_, tally_->codes()); }

private:
    // Writing to a number that all workers share is slow, so rows are reported a few at a time.
    static constexpr std::int64_t done_together = 16;

    void report() { job_.done.fetch_add(std::exchange(num_done_, 0), std::memory_order_relaxed); }

    Job& job_;
    Collector& collector_;
    int worker_;
    std::int64_t num_done_ = 0;
    std::unique_ptr<Tally> tally_;  // kept in place: the search refers to it
    Search search_;
    RowWriter writer_;
};

// Fills the collector; `make(tally)` returns the search of one worker. Codes are 0 ... range - 1.
template <class Tally, class Make>
void search_rows(Job& job, Collector& collector, std::int64_t range, const Make& make,
                 Caller caller = Caller::watches) {
    using Search = decltype(make(std::declval<Tally&>()));
    run_blocks(
        job, collector.layout().num_blocks(),
        [&](int worker) { return SearchedRows<Tally, Search>(job, collector, range, worker, make); }, caller);
}

// Calls run<Tally>(collector) with a table over all codes if there are at most `worth` of them, since it must be
// cleared, and with a dictionary otherwise; and puts the rows together.
template <class Codec, class Run>
Result collect_rows(Job& job, const Codec& codec, Layout layout, std::int64_t worth, const Run& run) {
    const bool dense = codec.range() <= std::min(DenseTally::max_range, worth);
    Collector collector(job, std::move(layout), codec);
    if (dense) run.template operator()<DenseTally>(collector);
    else run.template operator()<CodeTally>(collector);
    return collector.assemble(job, dense);
}

}  // namespace egonet
