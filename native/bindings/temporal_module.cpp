// Python bindings of rows as of a time: arrays in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/options.hpp"
#include "bindings/results.hpp"
#include "temporal/replay.hpp"
#include "temporal/row_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

const std::map<std::string, egonet::Counted> counted_names = {{"nodes", egonet::Counted::edges},
                                                              {"events", egonet::Counted::events}};

egonet::Settings settings_of(std::int64_t radius, const std::string& degrees, const std::string& follow,
                             bool frontier_edges, std::int64_t max_degree, bool symmetric,
                             const std::int32_t* labels = nullptr) {
    return {radius,
            choose_degrees(degrees),
            frontier_edges,
            max_degree,
            labels,
            symmetric,
            choose(follow_names, follow, "follow")};
}

nb::tuple replay_windows(Int32s sources, Int32s targets, std::int64_t num_nodes, std::int64_t largest_degree,
                         Int32s nodes, Int64s first, Int64s last, Int64s order, std::int64_t radius,
                         const std::string& degrees, const std::string& follow, bool frontier_edges,
                         std::int64_t max_degree, bool symmetric, const std::string& count,
                         std::optional<Int32s> labels, int threads, nb::object progress) {
    const egonet::Events events{sources.data(), targets.data(), static_cast<std::int64_t>(sources.size())};
    const egonet::Queries queries{nodes.data(), first.data(), last.data(), static_cast<std::int64_t>(nodes.size())};
    const egonet::Settings settings =
        settings_of(radius, degrees, follow, frontier_edges, max_degree, symmetric, labels_of(labels));
    std::vector<std::int64_t> rows(order.data(), order.data() + order.size());
    return watched_rows(threads, progress, queries.count, [&](egonet::Job& job) {
        return egonet::replay_windows(job, events, num_nodes, largest_degree, settings,
                                      choose(counted_names, count, "count"), queries, std::move(rows));
    });
}

void add_events(egonet::WindowArcs& graph, Int32s sources, Int32s targets) {
    nb::gil_scoped_release released;
    for (std::size_t i = 0; i < sources.size(); ++i) graph.add(sources.data()[i], targets.data()[i]);
}

void remove_events(egonet::WindowArcs& graph, Int32s sources, Int32s targets) {
    nb::gil_scoped_release released;
    for (std::size_t i = 0; i < sources.size(); ++i) graph.remove(sources.data()[i], targets.data()[i]);
}

nb::tuple window_rows(const egonet::WindowArcs& graph, Int64s roots, std::optional<Int32s> labels,
                      std::int64_t largest_label, std::int64_t radius, const std::string& degrees,
                      const std::string& follow, bool frontier_edges, std::int64_t max_degree, bool symmetric,
                      const std::string& count, int threads) {
    const egonet::Settings settings =
        settings_of(radius, degrees, follow, frontier_edges, max_degree, symmetric, labels_of(labels));
    const egonet::Roots chosen{roots.data(), static_cast<std::int64_t>(roots.size())};
    return watched_rows(threads, nb::none(), chosen.count, [&](egonet::Job& job) {
        return egonet::window_rows(job, graph, settings, choose(counted_names, count, "count"), largest_label, chosen);
    });
}

void make_reader(egonet::RowReader* place, const egonet::WindowArcs& graph, std::int64_t radius,
                 const std::string& degrees, const std::string& follow, bool frontier_edges, std::int64_t max_degree,
                 bool symmetric, const std::string& count) {
    new (place) egonet::RowReader(graph, settings_of(radius, degrees, follow, frontier_edges, max_degree, symmetric),
                                  choose(counted_names, count, "count"));
}

// Keeps the GIL: a reader has one scratch, and a few rows take microseconds.
nb::tuple read_rows(egonet::RowReader& reader, const std::vector<std::int64_t>& roots, std::optional<Int32s> labels,
                    std::int64_t largest_label) {
    egonet::Result result = reader.read(roots, labels_of(labels), largest_label);
    return as_tuple(result);
}

}  // namespace

void bind_temporal(nb::module_& module) {
    module.def("replay_windows", &replay_windows, "sources"_a.noconvert(), "targets"_a.noconvert(), "num_nodes"_a,
               "largest_degree"_a, "nodes"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(),
               "order"_a.noconvert(), "radius"_a, "degrees"_a, "follow"_a, "frontier_edges"_a, "max_degree"_a,
               "symmetric"_a, "count"_a, "labels"_a.noconvert().none(), "threads"_a, "progress"_a.none());
    nb::class_<egonet::WindowArcs>(module, "WindowGraph")
        .def(nb::init<std::int64_t, bool, bool>(), "num_nodes"_a, "symmetric"_a, "both"_a)
        .def("reserve", &egonet::WindowArcs::reserve, "num_nodes"_a)
        .def("add", &add_events, "sources"_a.noconvert(), "targets"_a.noconvert())
        .def("remove", &remove_events, "sources"_a.noconvert(), "targets"_a.noconvert())
        .def("add_one", &egonet::WindowArcs::add, "source"_a, "target"_a)
        .def("rows", &window_rows, "roots"_a.noconvert(), "labels"_a.noconvert().none(), "largest_label"_a, "radius"_a,
             "degrees"_a, "follow"_a, "frontier_edges"_a, "max_degree"_a, "symmetric"_a, "count"_a, "threads"_a)
        .def_prop_ro("num_nodes", &egonet::WindowArcs::num_nodes)
        .def_prop_ro("num_arcs", &egonet::WindowArcs::num_arcs)
        .def_prop_ro("pool_size", &egonet::WindowArcs::pool_size);
    nb::class_<egonet::RowReader>(module, "RowReader")
        .def("__init__", &make_reader, nb::keep_alive<1, 2>(), "graph"_a, "radius"_a, "degrees"_a, "follow"_a,
             "frontier_edges"_a, "max_degree"_a, "symmetric"_a, "count"_a)
        .def("rows", &read_rows, "roots"_a, "labels"_a.noconvert().none(), "largest_label"_a);
}
