// Python bindings of color refinement and of the nested encodings: arrays in, arrays out; they know no graphs.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/results.hpp"
#include "nested/common_neighbors.hpp"
#include "nested/pair_rooted.hpp"
#include "nested/refined.hpp"
#include "wl/ego_networks.hpp"
#include "wl/folklore.hpp"
#include "wl/individualize.hpp"
#include "wl/refine_rounds.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

nb::object refine(Int64s indptr, Int32s indices, Int64s reverse_ptr, Int32s reverse_indices, Int64s start,
                  int threads) {
    const egonet::Graph graph = graph_of(indptr, indices), reverse = graph_of(reverse_ptr, reverse_indices);
    auto colors = egonet::make_buffer<std::int64_t>(graph.num_nodes);
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        job.threads = threads;
        egonet::refine(job, graph, reverse, start.data(), colors.get());
    }
    return as_array(std::move(colors), graph.num_nodes);
}

nb::object refine_pairs(Int64s indptr, Int32s indices, Int64s graph_ptr, Int64s start) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const auto num_graphs = static_cast<std::int64_t>(graph_ptr.size()) - 1;
    std::int64_t num_pairs = 0;
    for (std::int64_t g = 0; g < num_graphs; ++g) {
        const std::int64_t n = graph_ptr.data()[g + 1] - graph_ptr.data()[g];
        num_pairs += n * n;
    }
    auto colors = egonet::make_buffer<std::int64_t>(num_pairs);
    {
        nb::gil_scoped_release released;
        egonet::Folklore(graph, graph_ptr.data(), num_graphs, start.data()).run(colors.get());
    }
    return as_array(std::move(colors), num_pairs);
}

nb::tuple ego_networks(Int64s indptr, Int32s indices, Int64s roots, std::int64_t radius) {
    egonet::EgoNetworks found;
    {
        nb::gil_scoped_release released;
        found = egonet::ego_networks(graph_of(indptr, indices), {roots.data(), static_cast<std::int64_t>(roots.size())},
                                     radius);
    }
    return nb::make_tuple(as_array(found.ptr), as_array(found.node), as_array(found.distance), as_array(found.indptr),
                          as_array(found.indices));
}

template <class Count>
nb::tuple nested(const egonet::Graph& graph, const std::optional<Int64s>& roots, int threads,
                 const nb::object& progress, Count count) {
    const egonet::Roots chosen = roots_of(roots, graph);
    egonet::NestedResult found =
        watched(threads, progress, chosen.count, [&](egonet::Job& job) { return count(job, chosen); });
    egonet::Result &rows = found.rows, &inner = found.histograms;
    return nb::make_tuple(
        as_array(std::move(rows.indptr), rows.num_rows + 1), as_array(std::move(rows.columns), rows.num_entries),
        as_array(std::move(rows.counts), rows.num_entries), as_array(std::move(inner.indptr), inner.num_rows + 1),
        as_array(std::move(inner.columns), inner.num_entries), as_array(std::move(inner.counts), inner.num_entries),
        as_array(std::move(inner.keys), inner.num_columns, inner.width));
}

nb::tuple common_neighbors(Int64s indptr, Int32s indices, std::optional<Int64s> roots, std::optional<Int32s> labels,
                           int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    return nested(graph, roots, threads, progress, [&](egonet::Job& job, const egonet::Roots& chosen) {
        return egonet::common_neighbors(job, graph, chosen, labels_of(labels));
    });
}

nb::tuple pair_rooted(Int64s indptr, Int32s indices, std::optional<Int64s> roots, std::int64_t radius, bool edges_only,
                      std::optional<Int32s> labels, int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    return nested(graph, roots, threads, progress, [&](egonet::Job& job, const egonet::Roots& chosen) {
        return egonet::pair_rooted(job, graph, chosen, radius, labels_of(labels), edges_only);
    });
}

nb::tuple refined(Int64s indptr, Int32s indices, std::optional<Int64s> roots, std::int64_t radius, std::int32_t depth,
                  std::optional<Int32s> labels, int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::LabeledGraph source{graph, labels_of(labels), nullptr, 1};
    return nested(graph, roots, threads, progress, [&](egonet::Job& job, const egonet::Roots& chosen) {
        return egonet::refined(job, source, chosen, {depth, false, radius});
    });
}

nb::tuple individualize(Int64s indptr, Int32s indices, std::int32_t depth, std::int64_t radius, bool all_cells,
                        std::optional<Int32s> labels, std::optional<Int32s> arc_labels, std::int32_t num_kinds,
                        int threads) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::LabeledGraph source{graph, labels_of(labels), labels_of(arc_labels), num_kinds};
    auto classes = egonet::make_buffer<std::int64_t>(graph.num_nodes);
    auto complete = egonet::make_buffer<bool>(graph.num_nodes);
    egonet::Job job;
    job.threads = threads;
    job.watch = make_watch(nb::none(), graph.num_nodes);
    {
        nb::gil_scoped_release released;
        egonet::individualize(job, source, {depth, all_cells, radius < 0 ? egonet::no_radius : radius}, classes.get(),
                              complete.get());
    }
    return nb::make_tuple(as_array(std::move(classes), graph.num_nodes),
                          as_array(std::move(complete), graph.num_nodes));
}

}  // namespace

void bind_wl(nb::module_& module) {
    module.def("refine", &refine, "indptr"_a.noconvert(), "indices"_a.noconvert(), "reverse_ptr"_a.noconvert(),
               "reverse_indices"_a.noconvert(), "start"_a.noconvert(), "threads"_a);
    module.def("refine_pairs", &refine_pairs, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "graph_ptr"_a.noconvert(), "start"_a.noconvert());
    module.def("ego_networks", &ego_networks, "indptr"_a.noconvert(), "indices"_a.noconvert(), "roots"_a.noconvert(),
               "radius"_a);
    module.def("common_neighbors", &common_neighbors, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "roots"_a.noconvert().none(), "labels"_a.noconvert().none(), "threads"_a, "progress"_a.none());
    module.def("pair_rooted", &pair_rooted, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "roots"_a.noconvert().none(), "radius"_a, "edges_only"_a, "labels"_a.noconvert().none(), "threads"_a,
               "progress"_a.none());
    module.def("refined", &refined, "indptr"_a.noconvert(), "indices"_a.noconvert(), "roots"_a.noconvert().none(),
               "radius"_a, "depth"_a, "labels"_a.noconvert().none(), "threads"_a, "progress"_a.none());
    module.def("individualize", &individualize, "indptr"_a.noconvert(), "indices"_a.noconvert(), "depth"_a, "radius"_a,
               "all_cells"_a, "labels"_a.noconvert().none(), "arc_labels"_a.noconvert().none(), "num_kinds"_a,
               "threads"_a);
}
