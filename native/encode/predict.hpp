// Which algorithm will be faster, from the searches of a few sampled roots; no clock is read.
#pragma once

#include <cstdint>
#include <functional>

#include "core/graph.hpp"
#include "core/workers.hpp"

namespace egonet {

// Means over the sample.
struct Sample {
    double source_arcs = 0;   // arcs that a search from one root reads
    double source_nodes = 0;  // nodes of its ego-network
    double fresh_nodes = 0;   // those that the ego-network of the root before does not have
    double ring_nodes = 0;    // those of its last ring
    double push_arcs = 0;     // arcs that a pass of 512 neighboring roots reads on its way to the last ring: a node
                              // is read again for every distance at which it has roots
    double push_nodes = 0;    // nodes, counted likewise
    double ring_arcs = 0;     // arcs of the nodes that are in the last ring of some root of the pass
    double pass_nodes = 0;    // nodes that it meets
};

// Searches from some roots of some balls, reading about `most_arcs` arcs, and extrapolates to passes of 512. One worker
// calls `meanwhile`, if there is such a function.
Sample sample_searches(Job& job, const Graph& graph, const Settings& settings, const Roots& roots,
                       std::int64_t most_arcs, const std::function<void()>& meanwhile = {});

// The predicted nanoseconds of one thread; their ratios are what counts.
struct Costs {
    double triangle = 0, source = 0, bitwise = 0;  // zero: cannot serve the call
};

// Source alone, for a few roots of a large graph; `least` is what any other algorithm takes before its first row.
struct SourceCosts {
    double source, least;
};

SourceCosts predict_source(const Graph& graph, const Settings& settings, const Roots& roots, std::int64_t most_arcs);

Costs predict_costs(const Graph& graph, const Settings& settings, const Roots& roots, const Sample& sample);

}  // namespace egonet
