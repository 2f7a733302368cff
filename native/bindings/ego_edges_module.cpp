// Python bindings of the edges of ego-networks: arrays in, arrays out; they know no graphs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/options.hpp"
#include "bindings/results.hpp"
#include "encode/ego_edges.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

nb::tuple count_ego_edges(Int64s indptr, Int32s indices, std::optional<Int64s> roots, std::int64_t radius,
                          const std::string& degrees, bool frontier_edges, std::int64_t max_degree, bool log_bins,
                          int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::EgoEdgeSettings settings{radius, choose(degree_names, degrees, "degrees"), frontier_edges, max_degree,
                                           log_bins};
    const egonet::Roots chosen = roots_of(roots, graph);
    return watched_rows(threads, progress, chosen.count,
                        [&](egonet::Job& job) { return egonet::count_ego_edges(job, graph, settings, chosen); });
}

nb::tuple list_ego_networks(Int64s indptr, Int32s indices, std::int64_t radius) {
    const egonet::Graph graph = graph_of(indptr, indices);
    egonet::EgoNetworkList list;
    {
        nb::gil_scoped_release released;
        list = egonet::list_ego_networks(graph, radius);
    }
    return nb::make_tuple(as_array(std::move(list.nodes)), as_array(std::move(list.edges)));
}

}  // namespace

void bind_ego_edges(nb::module_& module) {
    module.def("count_ego_edges", &count_ego_edges, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "roots"_a.noconvert().none(), "radius"_a, "degrees"_a, "frontier_edges"_a, "max_degree"_a, "log_bins"_a,
               "threads"_a, "progress"_a.none());
    module.def("list_ego_networks", &list_ego_networks, "indptr"_a.noconvert(), "indices"_a.noconvert(), "radius"_a);
}
