// The entry point of the kernel: chooses an algorithm and runs it.
#pragma once

#include <functional>

#include "core/graph.hpp"
#include "core/rows.hpp"
#include "core/workers.hpp"
#include "encode/arc_rows.hpp"
#include "encode/predict.hpp"
#include "platform/simd.hpp"

namespace egonet {

enum class Algorithm { automatic, triangle, source, bitwise };

struct Choice {
    Algorithm algorithm;
    Simd simd;
};

// What a call would cost, from the searches of a few sampled roots.
struct Prediction {
    Algorithm algorithm;  // what "automatic" would take
    Sample sample;
    Costs costs;  // nanoseconds of one thread
};

Prediction predict(Job& job, const Graph& graph, const Settings& settings, const Roots& roots,
                   const std::function<void()>& meanwhile = {});

Result encode(Job& job, const Graph& graph, const Settings& settings, const Roots& roots, const Choice& choice);

// Radius 1, from the triangles at each arc; the neighbors in `graph` itself are not read.
Result encode_arcs(Job& job, const Graph& graph, const Settings& settings, const SupportedArcs& arcs);

}  // namespace egonet
