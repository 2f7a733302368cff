// Python bindings of the kernel: arrays in, arrays out; they know no graphs.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <optional>
#include <string>

#include "bindings/arrays.hpp"
#include "bindings/options.hpp"
#include "bindings/results.hpp"
#include "columns/row_classes.hpp"
#include "columns/row_distances.hpp"
#include "encode/encode.hpp"
#include "encode/in_out.hpp"
#include "encode/sample_balls.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

const std::map<std::string, egonet::Algorithm> algorithm_names = {{"auto", egonet::Algorithm::automatic},
                                                                  {"triangle", egonet::Algorithm::triangle},
                                                                  {"source", egonet::Algorithm::source},
                                                                  {"bitwise", egonet::Algorithm::bitwise}};
const std::map<std::string, egonet::Simd> simd_names = {
    {"baseline", egonet::Simd::baseline}, {"avx2", egonet::Simd::avx2}, {"avx512", egonet::Simd::avx512}};

// "auto" is the best the processor has; a better one raises.
egonet::Simd choose_simd(const std::string& option) {
    const egonet::Simd best = egonet::best_simd();
    if (option == "auto") return best;
    const egonet::Simd chosen = choose(simd_names, option, "simd");
    if (chosen > best) throw nb::value_error(("this processor or build has no " + option + ".").c_str());
    return chosen;
}

// Mean nodes and arcs of the balls of some roots, reading about `most_arcs` arcs.
nb::tuple sample_balls(Int64s indptr, Int32s indices, std::optional<Int64s> roots, std::int64_t radius,
                       std::int64_t most_arcs) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::Roots chosen = roots_of(roots, graph);
    nb::gil_scoped_release released;
    const egonet::BallSize mean = egonet::sample_balls(graph, chosen, radius, most_arcs);
    nb::gil_scoped_acquire acquired;
    return nb::make_tuple(mean.nodes, mean.arcs);
}

// What "auto" would take, the arcs and nodes of one search and of one pass, and the seconds of one thread.
nb::tuple predict(Int64s indptr, Int32s indices, std::optional<Int64s> roots, std::int64_t radius,
                  const std::string& degrees, bool frontier_edges, bool symmetric) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::Settings settings{radius,   choose(degree_names, degrees, "degrees"), frontier_edges, -1, nullptr,
                                    symmetric};
    const egonet::Roots chosen = roots_of(roots, graph);
    egonet::Prediction prediction;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        prediction = egonet::predict(job, graph, settings, chosen);
    }
    std::string name;
    for (const auto& [option, algorithm] : algorithm_names)
        if (algorithm == prediction.algorithm) name = option;
    const egonet::Sample& sample = prediction.sample;
    const egonet::Costs& costs = prediction.costs;
    return nb::make_tuple(name, sample.source_arcs, sample.source_nodes, sample.push_arcs + sample.ring_arcs,
                          sample.pass_nodes, costs.triangle * 1e-9, costs.source * 1e-9, costs.bitwise * 1e-9);
}

nb::tuple encode(Int64s indptr, Int32s indices, std::optional<Int64s> roots, std::int64_t radius,
                 const std::string& degrees, bool frontier_edges, std::int64_t max_degree, std::optional<Int32s> labels,
                 bool symmetric, int threads, const std::string& algorithm, const std::string& simd,
                 nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::Settings settings{
        radius, choose(degree_names, degrees, "degrees"), frontier_edges, max_degree, labels_of(labels), symmetric};
    const egonet::Roots chosen = roots_of(roots, graph);
    const egonet::Choice choice{choose(algorithm_names, algorithm, "algorithm"), choose_simd(simd)};
    return watched_rows(threads, progress, chosen.count,
                        [&](egonet::Job& job) { return egonet::encode(job, graph, settings, chosen, choice); });
}

// indptr, indices  the arcs by their sources, or by their targets if `by_target`
nb::tuple encode_in_out(Int64s indptr, Int32s indices, bool by_target, std::optional<Int64s> roots, std::int64_t radius,
                        const std::string& follow, bool frontier_edges, std::int64_t max_degree,
                        std::optional<Int32s> labels, int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::Settings settings{radius,
                                    egonet::Degrees::in_out,
                                    frontier_edges,
                                    max_degree,
                                    labels_of(labels),
                                    false,
                                    choose(follow_names, follow, "follow")};
    const egonet::Roots chosen = roots_of(roots, graph);
    return watched_rows(threads, progress, chosen.count, [&](egonet::Job& job) {
        return egonet::encode_in_out(job, graph, by_target, settings, chosen);
    });
}

nb::tuple encode_arcs(Int64s indptr, std::int64_t first, std::int64_t last, Int32s indices, Int32s supports,
                      const std::string& degrees, std::int64_t max_degree, std::optional<Int32s> labels, int threads) {
    const egonet::Graph graph{indptr.data(), nullptr, static_cast<std::int64_t>(indptr.size()) - 1};
    const egonet::Settings settings{1,   choose(degree_names, degrees, "degrees"), true, max_degree, labels_of(labels),
                                    true};
    const egonet::SupportedArcs range{first, last - first, indices.data(), supports.data()};
    return watched_rows(threads, nb::none(), last - first,
                        [&](egonet::Job& job) { return egonet::encode_arcs(job, graph, settings, range); });
}

nb::object row_classes(Int64s indptr, Int32s columns, Int32s values) {
    const std::int64_t num_rows = static_cast<std::int64_t>(indptr.size()) - 1;
    auto classes = egonet::make_buffer<std::int64_t>(num_rows);
    {
        nb::gil_scoped_release released;
        egonet::row_classes(indptr.data(), columns.data(), values.data(), num_rows, classes.get());
    }
    return as_array(std::move(classes), num_rows);
}

nb::object row_distances(Int64s indptr, Int32s columns, Int32s values, Int64s query, std::int64_t total) {
    const std::int64_t num_rows = static_cast<std::int64_t>(indptr.size()) - 1;
    auto distances = egonet::make_buffer<std::int64_t>(num_rows);
    {
        nb::gil_scoped_release released;
        egonet::row_distances(indptr.data(), columns.data(), values.data(), num_rows, query.data(), total,
                              distances.get());
    }
    return as_array(std::move(distances), num_rows);
}

}  // namespace

void bind_kernel(nb::module_& module) {
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const egonet::TooLarge& too_large) {
            PyErr_SetString(PyExc_OverflowError, too_large.what());
        }
    });
    module.def("encode", &encode, "indptr"_a.noconvert(), "indices"_a.noconvert(), "roots"_a.noconvert().none(),
               "radius"_a, "degrees"_a, "frontier_edges"_a, "max_degree"_a, "labels"_a.noconvert().none(),
               "symmetric"_a, "threads"_a, "algorithm"_a, "simd"_a, "progress"_a.none());
    module.def("encode_in_out", &encode_in_out, "indptr"_a.noconvert(), "indices"_a.noconvert(), "by_target"_a,
               "roots"_a.noconvert().none(), "radius"_a, "follow"_a, "frontier_edges"_a, "max_degree"_a,
               "labels"_a.noconvert().none(), "threads"_a, "progress"_a.none());
    module.def("encode_arcs", &encode_arcs, "indptr"_a.noconvert(), "first"_a, "last"_a, "indices"_a.noconvert(),
               "supports"_a.noconvert(), "degrees"_a, "max_degree"_a, "labels"_a.noconvert().none(), "threads"_a);
    module.def("predict", &predict, "indptr"_a.noconvert(), "indices"_a.noconvert(), "roots"_a.noconvert().none(),
               "radius"_a, "degrees"_a, "frontier_edges"_a, "symmetric"_a);
    module.def("sample_balls", &sample_balls, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "roots"_a.noconvert().none(), "radius"_a, "most_arcs"_a);
    module.def("row_classes", &row_classes, "indptr"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert());
    module.def("row_distances", &row_distances, "indptr"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(),
               "query"_a.noconvert(), "total"_a);
    module.def("simd_level", [] {
        for (const auto& [option, level] : simd_names)
            if (level == egonet::best_simd()) return option;
        return std::string("baseline");
    });
}
