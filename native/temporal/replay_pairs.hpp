// Rows of pairs as of a time: events are replayed in order, and each pair is counted in the graph of its window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/searched_rows.hpp"
#include "pairs/encode_pairs.hpp"
#include "pairs/pair_codec.hpp"
#include "pairs/pair_search.hpp"
#include "temporal/replay.hpp"

namespace egonet {

// Pair `row` is counted in the graph of events first[row] ... last[row] - 1.
struct PairQueries {
    PairList pairs;
    const std::int64_t* first;
    const std::int64_t* last;
};

// The search of one worker: it moves the window to each query, in increasing order.
template <class Search, class Tally>
class ReplayPairSearch {
public:
    ReplayPairSearch(const Events& events, std::int64_t num_nodes, const PairSettings& settings, const PairCodec& codec,
                     const PairQueries& queries, Tally& tally)
        : queries_(queries),
          replay_(std::make_unique<Replay>(events, num_nodes, settings.direction == Direction::none,
                                           settings.degrees == Degrees::in_out)),
          search_(PairGraph{&replay_->graph().rows(), replay_->graph().others()}, settings, codec, tally) {}

    void operator()(std::int64_t row) {
        replay_->move_to(queries_.first[row], queries_.last[row]);
        search_(queries_.pairs.first(row), queries_.pairs.second(row));
    }

private:
    const PairQueries& queries_;
    std::unique_ptr<Replay> replay_;  // kept in place: the search refers to it
    Search search_;
};

// The rows of all pairs; in the order of `order` both bounds never fall. `largest_degree` is at least that of any node in
// any window.
inline Result replay_pairs(Job& job, const Events& events, std::int64_t num_nodes, std::int64_t largest_degree,
                           const PairSettings& settings, const PairQueries& queries, std::vector<std::int64_t> order) {
    const std::int32_t* labels = settings.labels;
    const std::int64_t largest_label =
        labels && num_nodes ? *std::max_element(labels, labels + num_nodes) : std::int64_t{0};
    const PairCodec codec(largest_degree, num_nodes, settings, largest_label);
    const std::int64_t count = queries.pairs.count;
    const std::int64_t block_size = std::clamp<std::int64_t>(count / (8 * job.threads), 64, 8192);
    if (count + events.count < 2000) job.threads = 1;
    return collect_rows(
        job, codec, {count, block_size, std::move(order)}, 4096 + 64 * count, [&]<class Tally>(Collector& collector) {
            with_pair_search<Tally>(codec, [&]<class Search>() {
                search_rows<Tally>(job, collector, codec.range(), [&](Tally& tally) {
                    return ReplayPairSearch<Search, Tally>(events, num_nodes, settings, codec, queries, tally);
                });
            });
        });
}

}  // namespace egonet
