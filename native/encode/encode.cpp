#include "encode/encode.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bitwise/bitwise.hpp"
#include "core/keys.hpp"
#include "core/parallel.hpp"
#include "core/tally.hpp"
#include "encode/cluster.hpp"
#include "encode/predict.hpp"
#include "encode/source.hpp"
#include "encode/triangle.hpp"

namespace egonet {

namespace {

// Below this product of roots and arcs the work takes milliseconds and starting threads is not worth it.
constexpr double in_line_work = 4e6;

// Scratch of the bit-parallel search, all workers together, where the machine has few cores.
constexpr std::int64_t scratch_bytes = std::int64_t{384} << 20;

std::int64_t block_size(std::int64_t num_rows, int threads) {
    return std::clamp<std::int64_t>(num_rows / (16 * threads), 1, 1024);
}

using Nodes = std::vector<std::int32_t>;

// Only total degrees with frontier edges count ring edges once, from the end of lower rank.
bool wants_split(const Settings& settings) {
    return settings.symmetric && settings.degrees == Degrees::total && settings.frontier_edges && settings.radius > 0;
}

// Small graphs with long keys would not pay back a table over all codes.
template <class Run>
Result collect(Job& job, const Graph& graph, const KeyCodec& codec, Layout layout, const Run& run) {
    const std::int64_t worth = std::max<std::int64_t>(4096, 4 * (layout.num_rows + graph.num_arcs()));
    return collect_rows(job, codec, std::move(layout), worth, run);
}

Result run_triangle(Job& job, const Graph& graph, const Settings& settings, const Roots& roots) {
    const KeyCodec codec(job, graph, settings);
    return collect(job, graph, codec, {roots.count, block_size(roots.count, job.threads), {}},
                   [&]<class Tally>(Collector& collector) {
                       encode_by_triangles<Tally>(job, graph, settings, codec, roots, collector);
                   });
}

Result run_source(Job& job, const Graph& graph, const Settings& settings, const Roots& roots) {
    const KeyCodec codec(job, graph, settings);
    // A split layout costs one pass over all arcs, which a few roots would not pay back.
    const bool split = wants_split(settings) && roots.count >= graph.num_nodes / 16;
    const Adjacency adjacency = make_adjacency(job, graph, split);
    return collect(job, graph, codec, {roots.count, block_size(roots.count, job.threads), {}},
                   [&]<class Tally>(Collector& collector) {
                       encode_by_sources<Tally>(job, adjacency, settings, codec, roots, collector);
                   });
}

// The rows in the order of their roots' new numbers.
std::vector<std::int64_t> order_rows(const Roots& roots, const std::vector<std::int32_t>& nodes,
                                     const std::vector<std::int32_t>& number) {
    if (!roots.list) return {nodes.begin(), nodes.end()};
    std::vector<std::int64_t> order(roots.count);
    std::iota(order.begin(), order.end(), 0);
    const auto by_number = [&](std::int64_t row) { return std::pair(number[roots[row]], row); };
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return by_number(a) < by_number(b); });
    return order;
}

// How many roots a pass searches from: all lanes, unless that leaves too few passes for the workers. A pass of total degrees
// costs half as much for half as many roots only in part; of other degrees almost, and passes differ more.
std::int64_t roots_per_pass(std::int64_t num_roots, Degrees degrees, int threads) {
    const std::int64_t wanted = (degrees == Degrees::total ? 2 : 4) * std::int64_t{threads};
    if (threads == 1 || num_roots > wanted * num_lanes) return num_lanes;
    return std::clamp<std::int64_t>((num_roots / wanted + 63) / 64 * 64, 64, num_lanes);
}

struct BitwiseCall {
    Simd simd;
    bool may_fall_back;
    Nodes order;  // by cluster_order; empty if that has not been called
};

Result run_bitwise(Job& job, const Graph& graph, const Settings& settings, const Roots& roots, BitwiseCall call) {
    const Nodes nodes = call.order.empty() ? cluster_order(graph, num_lanes) : std::move(call.order);
    std::vector<std::int32_t> number(graph.num_nodes);
    for_nodes(job, graph.num_nodes, [&](std::int32_t place) { number[nodes[place]] = place; });
    const Buffer<std::int32_t> labels = make_buffer<std::int32_t>(graph.num_nodes);
    Settings renamed = settings;
    if (settings.labels) {
        for_nodes(job, graph.num_nodes, [&](std::int32_t place) { labels[place] = settings.labels[nodes[place]]; });
        renamed.labels = labels.get();
    }
    const KeyCodec codec(job, graph, renamed);
    const Adjacency adjacency = make_renamed_adjacency(job, graph, nodes.data(), number.data(), wants_split(settings));
    // A worker has three vectors, lists and marks per node; at least a quarter of the budget is for slots.
    const std::int64_t worker_bytes = graph.num_nodes * (3 * sizeof(Lanes) + 13) + 1;
    const std::int64_t budget = std::max(scratch_bytes, std::int64_t{64 << 20} * job.threads);
    job.threads = static_cast<int>(std::clamp<std::int64_t>(budget * 3 / 4 / worker_bytes, 1, job.threads));
    Layout layout{roots.count, roots_per_pass(roots.count, settings.degrees, job.threads),
                  order_rows(roots, nodes, number)};
    std::vector<std::int32_t> sources(roots.count);
    for_ranges(job, roots.count, 4096, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t place = first; place < last; ++place) sources[place] = number[roots[layout.order[place]]];
    });
    const auto lanes = static_cast<std::int32_t>((layout.block_size + 63) / 64 * 64);
    const std::int64_t slots = (budget / job.threads - worker_bytes) / (lanes * std::int64_t{sizeof(std::uint32_t)});
    const BitwiseOptions options{call.simd, std::clamp<std::int64_t>(slots, 4096, 65536), lanes, call.may_fall_back};
    return collect(job, graph, codec, std::move(layout), [&]<class Tally>(Collector& collector) {
        encode_bitwise<Tally>(job, adjacency, renamed, codec, sources.data(), options, collector);
    });
}

// A pass of fewer roots than this leaves most of its lanes empty.
constexpr std::int64_t fewest_for_bitwise = 64;

}  // namespace

Prediction predict(Job& job, const Graph& graph, const Settings& settings, const Roots& roots,
                   const std::function<void()>& meanwhile) {
    // The sample may cost a few hundredths of the work.
    const double passes = double(roots.count) / num_lanes;
    const auto most_arcs = static_cast<std::int64_t>(std::clamp(passes * double(graph.num_arcs()) / 16, 2e4, 4e6));
    Prediction prediction{Algorithm::source, sample_searches(job, graph, settings, roots, most_arcs, meanwhile), {}};
    prediction.costs = predict_costs(graph, settings, roots, prediction.sample);
    const Costs& costs = prediction.costs;
    if (costs.triangle > 0 && costs.triangle < costs.source) prediction.algorithm = Algorithm::triangle;
    else if (settings.radius > 1 && roots.count >= fewest_for_bitwise && costs.bitwise < costs.source)
        prediction.algorithm = Algorithm::bitwise;
    return prediction;
}

// What "automatic" takes; searches are sampled only where there is something to weigh. `work` becomes the prediction.
// Other workers order the nodes of a small graph meanwhile, in case it will be "bitwise".
static Algorithm choose_algorithm(Job& job, const Graph& graph, const Settings& settings, const Roots& roots,
                                  double& work, Nodes& order) {
    const bool triangles = settings.radius == 1 && settings.symmetric;
    // The triangles of all edges serve all roots.
    if (triangles && roots.count >= graph.num_nodes) return Algorithm::triangle;
    if (!triangles && roots.count < fewest_for_bitwise) return Algorithm::source;
    // Sampling passes reads the whole graph where roots are far apart. A batch of a large graph is counted before that.
    if (roots.count && roots.count < graph.num_nodes / 16) {
        const SourceCosts costs = predict_source(graph, settings, roots, graph.num_arcs() / 16);
        if (costs.source < costs.least) {
            work = costs.source;
            return Algorithm::source;
        }
    }
    std::function<void()> meanwhile;
    if (job.threads > 1 && settings.radius > 1 && graph.num_arcs() < 1 << 21)
        meanwhile = [&] { order = cluster_order(graph, num_lanes); };
    const Prediction prediction = predict(job, graph, settings, roots, meanwhile);
    if (prediction.algorithm == Algorithm::source) work = prediction.costs.source;
    if (prediction.algorithm == Algorithm::bitwise) work = prediction.costs.bitwise;
    return prediction.algorithm;
}

Result encode(Job& job, const Graph& graph, const Settings& settings, const Roots& roots, const Choice& choice) {
    const double most_reads = double(roots.count) * double(graph.num_arcs());
    if (most_reads <= in_line_work) job.in_line = true;
    if (job.in_line) job.threads = 1;
    const bool automatic = choice.algorithm == Algorithm::automatic;
    double work = 2 * most_reads;
    Nodes order;
    const Algorithm algorithm =
        automatic ? choose_algorithm(job, graph, settings, roots, work, order) : choice.algorithm;
    if (algorithm == Algorithm::triangle)
        work = std::min(work, 40.0 * double(graph.num_arcs()) + 40.0 * double(graph.num_nodes));
    if (automatic) job.limit_threads(work);
    switch (algorithm) {
        case Algorithm::triangle: return run_triangle(job, graph, settings, roots);
        case Algorithm::bitwise:
            return run_bitwise(job, graph, settings, roots, {choice.simd, automatic, std::move(order)});
        default: return run_source(job, graph, settings, roots);
    }
}

Result encode_arcs(Job& job, const Graph& graph, const Settings& settings, const SupportedArcs& arcs) {
    const KeyCodec codec(job, graph, settings);
    return collect(job, graph, codec, {arcs.count, block_size(arcs.count, job.threads), {}},
                   [&]<class Tally>(Collector& collector) {
                       search_rows<Tally>(
                           job, collector, codec.range(),
                           [&](Tally& tally) { return ArcSearch<Tally>(graph, settings, codec, arcs, tally); },
                           Caller::works);
                   });
}

}  // namespace egonet
