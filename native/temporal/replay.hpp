// Rows as of a time: events are replayed in order, and each query is counted in the graph of its window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/keys.hpp"
#include "core/searched_rows.hpp"
#include "encode/in_out.hpp"
#include "encode/source.hpp"
#include "temporal/event_search.hpp"
#include "temporal/window_graph.hpp"

namespace egonet {

// Events in order of time.
struct Events {
    const std::int32_t* source;
    const std::int32_t* target;
    std::int64_t count;
};

// Query `row` is about node[row] in the graph of events first[row] ... last[row] - 1. In the order of `order` both
// bounds never fall.
struct Queries {
    const std::int32_t* node;
    const std::int64_t* first;
    const std::int64_t* last;
    std::int64_t count;
};

// A window graph that follows a window over events.
class Replay {
public:
    Replay(const Events& events, std::int64_t num_nodes, bool symmetric, bool both)
        : events_(events), graph_(num_nodes, symmetric, both) {}

    const WindowArcs& graph() const { return graph_; }

    void move_to(std::int64_t first, std::int64_t last) {
        if (first >= last_) {
            // Nothing that is inside stays: the events in between are never added.
            for (; first_ < last_; ++first_) graph_.remove(events_.source[first_], events_.target[first_]);
            first_ = last_ = first;
        }
        for (; last_ < last; ++last_) graph_.add(events_.source[last_], events_.target[last_]);
        for (; first_ < first; ++first_) graph_.remove(events_.source[first_], events_.target[first_]);
    }

private:
    const Events& events_;
    WindowArcs graph_;
    std::int64_t first_ = 0, last_ = 0;  // the events inside
};

// A search of the graph as it is; its neighbors change with every event.
template <class Search, class Tally>
Search make_search(const WindowArcs& graph, const Settings& settings, const KeyCodec& codec, Tally& tally) {
    if constexpr (std::is_same_v<Search, EventSearch<Tally>>) return Search(graph, settings, codec, tally);
    else if constexpr (std::is_same_v<Search, InOutSearch<Tally>>)
        return Search(Arcs{graph.rows(), *graph.others()}, settings, codec, tally);
    else return Search(graph.rows(), settings, codec, tally);
}

// Calls run<Search>() with the search that counts the degrees of the settings.
template <class Tally, class Run>
void with_search(Degrees degrees, Counted counted, const Run& run) {
    if (counted == Counted::events) run.template operator()<EventSearch<Tally>>();
    else if (degrees == Degrees::total) run.template operator()<TotalSearch<Tally>>();
    else if (degrees == Degrees::in_out) run.template operator()<InOutSearch<Tally>>();
    else run.template operator()<LayeredSearch<Tally>>();
}

// The search of one worker: it moves the window to each query, in increasing order.
template <class Search, class Tally>
class ReplaySearch {
public:
    ReplaySearch(const Events& events, std::int64_t num_nodes, const Settings& settings, const KeyCodec& codec,
                 const Queries& queries, Tally& tally)
        : queries_(queries),
          replay_(std::make_unique<Replay>(events, num_nodes, settings.symmetric, settings.degrees == Degrees::in_out)),
          search_(make_search<Search>(replay_->graph(), settings, codec, tally)) {}

    void operator()(std::int64_t row) {
        replay_->move_to(queries_.first[row], queries_.last[row]);
        search_(queries_.node[row]);
    }

private:
    const Queries& queries_;
    std::unique_ptr<Replay> replay_;  // kept in place: the search refers to it
    Search search_;
};

// The rows of all queries; `largest_degree` is at least that of any node in any window, in what is counted.
inline Result replay_windows(Job& job, const Events& events, std::int64_t num_nodes, std::int64_t largest_degree,
                             const Settings& settings, Counted counted, const Queries& queries,
                             std::vector<std::int64_t> order) {
    const std::int32_t* labels = settings.labels;
    const std::int64_t largest_label =
        labels && num_nodes ? *std::max_element(labels, labels + num_nodes) : std::int64_t{0};
    const KeyCodec codec(largest_degree, num_nodes, settings, largest_label);
    const std::int64_t block_size = std::clamp<std::int64_t>(queries.count / (8 * job.threads), 64, 8192);
    if (queries.count + events.count < 2000) job.threads = 1;
    return collect_rows(job, codec, {queries.count, block_size, std::move(order)}, 4096 + 64 * queries.count,
                        [&]<class Tally>(Collector& collector) {
                            with_search<Tally>(settings.degrees, counted, [&]<class Search>() {
                                search_rows<Tally>(job, collector, codec.range(), [&](Tally& tally) {
                                    return ReplaySearch<Search, Tally>(events, num_nodes, settings, codec, queries,
                                                                       tally);
                                });
                            });
                        });
}

// The rows of some nodes in the graph as it is now; no label is larger than `largest_label`.
inline Result window_rows(Job& job, const WindowArcs& graph, const Settings& settings, Counted counted,
                          std::int64_t largest_label, const Roots& roots) {
    const KeyCodec codec(largest_of(graph, counted), graph.num_nodes(), settings, largest_label);
    job.limit_threads(200.0 * double(roots.count));
    const std::int64_t block_size = std::clamp<std::int64_t>(roots.count / (8 * job.threads), 1, 1024);
    return collect_rows(job, codec, {roots.count, block_size, {}}, 4096 + 64 * roots.count,
                        [&]<class Tally>(Collector& collector) {
                            with_search<Tally>(settings.degrees, counted, [&]<class Search>() {
                                search_rows<Tally>(
                                    job, collector, codec.range(),
                                    [&](Tally& tally) {
                                        return [&roots, search = make_search<Search>(graph, settings, codec, tally)](
                                                   std::int64_t row) mutable { search(roots[row]); };
                                    },
                                    Caller::works);
                            });
                        });
}

}  // namespace egonet
