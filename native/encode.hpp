// The kernel's front door: picks an algorithm and runs it.
#pragma once

#include "graph.hpp"
#include "rows.hpp"
#include "simd.hpp"
#include "workers.hpp"

namespace egonet {

enum class Algorithm { automatic, triangle, source, bitwise };

struct Choice {
    Algorithm algorithm;
    Simd simd;
};

Result encode(Job& job, const Graph& graph, const Settings& settings, const Roots& roots, const Choice& choice);

}  // namespace egonet
