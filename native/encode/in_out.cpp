#include "encode/in_out.hpp"

#include <algorithm>

namespace egonet {

namespace {

// Writes the rows of blocks of roots, one search each.
template <class Tally>
class InOutRows {
public:
    InOutRows(Job& job, const Arcs& arcs, Follow follow, const Settings& settings, const KeyCodec& codec,
              const Roots& roots, Collector& collector, int worker)
        : job_(job),
          roots_(roots),
          collector_(collector),
          worker_(worker),
          tally_(std::make_unique<Tally>(codec.range())),
          search_(arcs, follow, settings, codec, *tally_),
          writer_(collector.writer(worker)) {}

    void operator()(std::int64_t block) {
        const Layout& layout = collector_.layout();
        for (std::int64_t row = layout.begin(block); row < layout.end(block); ++row) {
            if (job_.cancelled.load(std::memory_order_relaxed)) return;
            search_(roots_[row]);
            writer_.drain_row(row, *tally_);
        }
        job_.done += layout.end(block) - layout.begin(block);
        writer_.end_block(collector_.block(block));
    }

    void finish() { collector_.set_codes(worker_, tally_->codes()); }

private:
    Job& job_;
    const Roots& roots_;
    Collector& collector_;
    int worker_;
    std::unique_ptr<Tally> tally_;  // kept in place: the search refers to it
    InOutSearch<Tally> search_;
    RowWriter writer_;
};

}  // namespace

Result encode_in_out(Job& job, const Arcs& arcs, Follow follow, const Settings& settings, const Roots& roots) {
    const double most_reads = 2 * double(roots.count) * double(arcs.out.num_arcs());
    constexpr double in_line_work = 4e6;
    if (most_reads <= in_line_work) job.in_line = true;
    if (job.in_line) job.threads = 1;
    const std::int64_t largest =
        std::max(KeyCodec::largest_degree_of(job, arcs.out), KeyCodec::largest_degree_of(job, arcs.in));
    const KeyCodec codec(job, arcs.out, settings, largest);
    const std::int64_t block_size = std::clamp<std::int64_t>(roots.count / (16 * job.threads), 1, 1024);
    // A table over all codes must be cleared once, which small graphs with long keys would not pay back.
    const std::int64_t worth = std::max<std::int64_t>(4096, 4 * (roots.count + arcs.out.num_arcs()));
    const bool dense = codec.range() <= std::min(DenseTally::max_range, worth);
    Collector collector(job, {roots.count, block_size, {}}, codec);
    const auto run = [&]<class Tally>() {
        run_blocks(
            job, collector.layout().num_blocks(),
            [&](int worker) { return InOutRows<Tally>(job, arcs, follow, settings, codec, roots, collector, worker); },
            Caller::watches);
    };
    if (dense) run.template operator()<DenseTally>();
    else run.template operator()<CodeTally>();
    return collector.assemble(job, dense);
}

}  // namespace egonet
