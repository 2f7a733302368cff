#include "encode/in_out.hpp"

#include <algorithm>

namespace egonet {

Result encode_in_out(Job& job, const Graph& graph, bool by_target, const Settings& settings, const Roots& roots) {
    const double most_reads = 2 * double(roots.count) * double(graph.num_arcs());
    constexpr double in_line_work = 4e6;
    if (most_reads <= in_line_work) job.in_line = true;
    if (job.in_line) job.threads = 1;
    const Reversed reversed(graph);
    const std::int64_t largest =
        std::max(KeyCodec::largest_degree_of(job, graph), KeyCodec::largest_degree_of(job, reversed.graph()));
    const KeyCodec codec(job, graph, settings, largest);
    const Adjacency rows = make_adjacency(job, graph, false), others = make_adjacency(job, reversed.graph(), false);
    const Arcs arcs{by_target ? others : rows, by_target ? rows : others};
    const std::int64_t block_size = std::clamp<std::int64_t>(roots.count / (16 * job.threads), 1, 1024);
    // A table over all codes must be cleared once, which small graphs with long keys would not pay back.
    const std::int64_t worth = std::max<std::int64_t>(4096, 4 * (roots.count + graph.num_arcs()));
    return collect_rows(job, codec, {roots.count, block_size, {}}, worth, [&]<class Tally>(Collector& collector) {
        search_rows<Tally>(job, collector, codec.range(), [&](Tally& tally) {
            return [&roots, search = InOutSearch<Tally>(arcs, settings, codec, tally)](std::int64_t row) mutable {
                search(roots[row]);
            };
        });
    });
}

}  // namespace egonet
