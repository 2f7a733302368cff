// The kernel's front door: picks an algorithm and runs it.
#pragma once

#include "graph.hpp"
#include "predict.hpp"
#include "rows.hpp"
#include "simd.hpp"
#include "workers.hpp"

namespace egonet {

enum class Algorithm { automatic, triangle, source, bitwise };

struct Choice {
    Algorithm algorithm;
    Simd simd;
};

// What a call would cost, from the searches of a few sampled roots.
struct Prediction {
    Algorithm algorithm;   // what "automatic" would take
    Sample sample;
    Costs costs;           // nanoseconds of one thread
};

Prediction predict(const Graph& graph, const Settings& settings, const Roots& roots);

Result encode(Job& job, const Graph& graph, const Settings& settings, const Roots& roots, const Choice& choice);

}  // namespace egonet
