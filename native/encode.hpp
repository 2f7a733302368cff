// The kernel's front door: picks an algorithm and runs it.
#pragma once

#include "graph.hpp"
#include "rows.hpp"
#include "workers.hpp"

namespace egonet {

enum class Algorithm { automatic, triangle, source, bitwise };

Result encode(Job& job, const Graph& graph, const Settings& settings, const Roots& roots, Algorithm algorithm);

}  // namespace egonet
