#include "encode.hpp"

#include <algorithm>

#include "keys.hpp"
#include "source.hpp"
#include "tally.hpp"
#include "triangle.hpp"

namespace egonet {

namespace {

// Below this product of roots and arcs the work takes milliseconds and starting threads is not worth it.
constexpr double in_line_work = 4e6;

std::int64_t block_size(std::int64_t num_rows, int threads) {
    return std::clamp<std::int64_t>(num_rows / (16 * threads), 1, 1024);
}

template <class Tally>
void run_source(Job& job, const Graph& graph, const Settings& settings, const KeyCodec& codec, const Roots& roots,
                Collector& collector) {
    // A split layout costs one pass over all arcs, which a few roots would not pay back.
    const bool split = settings.symmetric && settings.degrees == Degrees::total && settings.frontier_edges &&
                       settings.radius > 0 && roots.count >= graph.num_nodes / 16;
    const Adjacency adjacency = make_adjacency(job, graph, split);
    encode_by_sources<Tally>(job, adjacency, settings, codec, roots, collector);
}

template <class Tally>
void run(Job& job, const Graph& graph, const Settings& settings, const KeyCodec& codec, const Roots& roots,
         Algorithm algorithm, Collector& collector) {
    if (algorithm == Algorithm::triangle)
        encode_by_triangles<Tally>(job, graph, settings, codec, roots, collector);
    else
        run_source<Tally>(job, graph, settings, codec, roots, collector);
}

}  // namespace

Result encode(Job& job, const Graph& graph, const Settings& settings, const Roots& roots, Algorithm algorithm) {
    const KeyCodec codec(graph, settings);
    if (double(roots.count) * double(graph.num_arcs()) <= in_line_work) job.in_line = true;
    if (job.in_line) job.threads = 1;
    if (algorithm == Algorithm::automatic)
        algorithm = settings.radius == 1 && settings.symmetric && roots.count >= graph.num_nodes / 4
                        ? Algorithm::triangle
                        : Algorithm::source;
    Collector collector({roots.count, block_size(roots.count, job.threads), {}}, codec, job.threads);
    const bool dense = codec.range() <= DenseTally::max_range;
    if (dense)
        run<DenseTally>(job, graph, settings, codec, roots, algorithm, collector);
    else
        run<CodeTally>(job, graph, settings, codec, roots, algorithm, collector);
    return collector.assemble(job, dense);
}

}  // namespace egonet
