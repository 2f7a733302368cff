// Python bindings of dense tables in known columns.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "columns/known_columns.hpp"
#include "columns/matrix_steps.hpp"
#include "input/compress.hpp"
#include "input/join.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

using Keys = Int64Rows;
using Table = Array<float, nb::ndim<2>>;

egonet::KnownColumns make_columns(const Keys& keys, std::vector<std::int64_t> radii, const std::string& degrees,
                                  bool frontier_edges, std::int64_t max_degree, bool binned) {
    const egonet::Degrees kind = degrees == "total"     ? egonet::Degrees::total
                                 : degrees == "layered" ? egonet::Degrees::layered
                                                        : egonet::Degrees::full;
    const egonet::Settings settings{0, kind, frontier_edges, max_degree, nullptr, true};
    return {keys.data(),
            static_cast<std::int64_t>(keys.shape(0)),
            static_cast<int>(keys.shape(1)),
            std::move(radii),
            settings,
            binned};
}

// Arcs in any order as undirected edges, loops dropped and repeats merged.
egonet::input::CompressedRows compress_any(const egonet::ArcList& arcs, std::int64_t num_nodes) {
    std::vector<std::int32_t> from(arcs.count), to(arcs.count);
    for (std::int64_t arc = 0; arc < arcs.count; ++arc) {
        from[arc] = static_cast<std::int32_t>(arcs.sources[arc] - arcs.first);
        to[arc] = static_cast<std::int32_t>(arcs.targets[arc] - arcs.first);
    }
    egonet::Job job;
    return egonet::input::compress<std::int32_t>(job, {from.data(), to.data(), 1, 1, arcs.count}, num_nodes, true);
}

// Adds the counts of one graph to zeros; false if an arc points outside or lacks its opposite where both ways are
// wanted, or a key has no column or does not fit.
bool count_graph(const egonet::KnownColumns& columns, const egonet::ArcList& arcs, std::int64_t num_nodes,
                 float* table) {
    if (num_nodes > std::numeric_limits<std::int32_t>::max() || !arcs.stays_within(num_nodes)) return false;
    if (columns.both_ways && !arcs.is_mutual()) return false;
    if (columns.supports_few(num_nodes)) return columns.count_few(arcs, num_nodes, table);
    egonet::input::JoinedRows sorted(num_nodes, arcs.count);
    // Most data sets list both directions of every edge in order, and such arcs are rows already.
    if (!arcs.first && sorted.add_undirected(arcs.sources, arcs.targets, arcs.count, num_nodes))
        return columns.count({sorted.indptr.get(), sorted.indices.get(), num_nodes}, table);
    const auto rows = compress_any(arcs, num_nodes);
    return columns.count({rows.indptr.get(), rows.indices.get(), num_nodes}, table);
}

// The counts of one graph, too small to be worth looking at its arrays as such; its arcs are read as undirected edges.
//
// sources, targets  the addresses of num_arcs 64-bit integers each
// table             the address of a buffer for the counts, overwritten; the caller keeps all three alive
// returns           whether the counts of every node are in the table; false if an arc points outside, or a key has no
//                   column or does not fit
bool count_at(const egonet::KnownColumns& columns, std::uintptr_t sources, std::uintptr_t targets,
              std::int64_t num_arcs, std::int64_t num_nodes, std::uintptr_t table) try {
    float* const counts = reinterpret_cast<float*>(table);
    std::fill_n(counts, num_nodes * columns.num_columns(), 0.0f);
    return count_graph(
        columns,
        {reinterpret_cast<const std::int64_t*>(sources), reinterpret_cast<const std::int64_t*>(targets), num_arcs},
        num_nodes, counts);
} catch (const egonet::TooLarge&) {
    return false;
}

// The same for many graphs side by side.
//
// index      the arcs of the graphs, one graph after the other
// graph_ptr  where the nodes of each graph begin, and the last one's end
// arc_ptr    where its arcs begin, likewise
// local      whether nodes are counted from 0 in every graph, not through
// table      (num_nodes, num_columns), zeros
bool count_many(const egonet::KnownColumns& columns, EdgeIndex index, Int64s graph_ptr, Int64s arc_ptr, bool local,
                Table table) try {
    const auto total = static_cast<std::int64_t>(index.shape(1)), num_nodes = static_cast<std::int64_t>(table.shape(0));
    const std::size_t count = graph_ptr.size();
    const std::int64_t *nodes = graph_ptr.data(), *arcs = arc_ptr.data();
    if (static_cast<std::int64_t>(table.shape(1)) != columns.num_columns()) return false;
    if (!count || arc_ptr.size() != count) return false;
    if (nodes[0] != 0 || nodes[count - 1] != num_nodes || !std::is_sorted(nodes, nodes + count)) return false;
    if (arcs[0] != 0 || arcs[count - 1] != total || !std::is_sorted(arcs, arcs + count)) return false;
    nb::gil_scoped_release released;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        const egonet::ArcList one{index.data() + arcs[i], index.data() + total + arcs[i], arcs[i + 1] - arcs[i],
                                  local ? 0 : nodes[i]};
        if (!count_graph(columns, one, nodes[i + 1] - nodes[i], table.data() + nodes[i] * columns.num_columns()))
            return false;
    }
    return true;
} catch (const egonet::TooLarge&) {
    return false;
}

// The same for rows that are an undirected graph already.
bool count_rows(const egonet::KnownColumns& columns, Int64s indptr, Int32s indices, Table table) try {
    const egonet::Graph graph{indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1};
    if (static_cast<std::int64_t>(table.shape(1)) != columns.num_columns()) return false;
    nb::gil_scoped_release released;
    return columns.count(graph, table.data());
} catch (const egonet::TooLarge&) {
    return false;
}

// A job whose work takes about a few nanoseconds per entry.
void limit_to_entries(egonet::Job& job, int threads, std::int64_t num_entries) {
    job.threads = threads;
    job.limit_threads(4.0 * static_cast<double>(num_entries));
}

template <class Value>
egonet::Compressed<Value> as_matrix(const Int64s& indptr, const Int32s& columns, const Array<const Value>& values,
                                    std::int64_t num_columns) {
    return {indptr.data(), columns.data(), values.data(), static_cast<std::int64_t>(indptr.size()) - 1, num_columns};
}

// matrices  (indptr, columns, values, number of columns) of each, with the same number of rows
// returns   the same without the number of columns
nb::tuple join_columns(const std::vector<std::tuple<Int64s, Int32s, Int32s, std::int64_t>>& matrices, int threads) {
    std::vector<egonet::Compressed<std::int32_t>> views;
    std::int64_t num_entries = 0;
    for (const auto& [indptr, columns, values, num_columns] : matrices) {
        views.push_back(as_matrix(indptr, columns, values, num_columns));
        num_entries += static_cast<std::int64_t>(columns.size());
    }
    const std::int64_t num_rows = views[0].num_rows;
    egonet::Buffer<std::int64_t> indptr;
    egonet::Buffer<std::int32_t> columns, values;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        limit_to_entries(job, threads, num_entries);
        indptr = egonet::make_touched_buffer<std::int64_t>(job, num_rows + 1);
        columns = egonet::make_touched_buffer<std::int32_t>(job, num_entries);
        values = egonet::make_touched_buffer<std::int32_t>(job, num_entries);
        egonet::join_columns(job, views, indptr.get(), columns.get(), values.get());
    }
    return nb::make_tuple(as_array(std::move(indptr), num_rows + 1), as_array(std::move(columns), num_entries),
                          as_array(std::move(values), num_entries));
}

template <class Value>
nb::tuple sum_graphs(Int64s indptr, Int32s columns, Array<const Value> values, std::int64_t num_columns,
                     Int64s graph_ptr, Array<const double> share, int threads) {
    egonet::GraphSums sums;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        limit_to_entries(job, threads, static_cast<std::int64_t>(columns.size()));
        sums = egonet::sum_graphs(job, as_matrix(indptr, columns, values, num_columns),
                                  {graph_ptr.data(), graph_ptr.size()}, share.data());
    }
    return nb::make_tuple(as_array(std::move(sums.indptr)), as_array(std::move(sums.columns)),
                          as_array(std::move(sums.values)));
}

// returns  (num_columns, num_rows): the matrix with every column without gaps
template <class Value>
nb::object dense_columns(Int64s indptr, Int32s columns, Array<const Value> values, std::int64_t num_columns,
                         int threads) {
    const egonet::Compressed<Value> matrix = as_matrix(indptr, columns, values, num_columns);
    egonet::Buffer<Value> dense;
    {
        nb::gil_scoped_release released;
        egonet::Job job;
        limit_to_entries(job, threads, static_cast<std::int64_t>(columns.size()) + matrix.num_rows * num_columns / 8);
        dense = egonet::make_touched_buffer<Value>(job, matrix.num_rows * num_columns);
        egonet::write_dense_columns(job, matrix, dense.get());
    }
    return as_array(std::move(dense), num_columns, matrix.num_rows);
}

template <class Value>
void bind_steps(nb::module_& module) {
    module.def("dense_columns", &dense_columns<Value>, "indptr"_a.noconvert(), "columns"_a.noconvert(),
               "values"_a.noconvert(), "num_columns"_a, "threads"_a);
    module.def("sum_graphs", &sum_graphs<Value>, "indptr"_a.noconvert(), "columns"_a.noconvert(),
               "values"_a.noconvert(), "num_columns"_a, "graph_ptr"_a.noconvert(), "share"_a.noconvert(), "threads"_a);
}

}  // namespace

void bind_dense(nb::module_& module) {
    nb::class_<egonet::KnownColumns>(module, "KnownColumns")
        .def(
            "__init__",
            [](egonet::KnownColumns* self, Keys keys, std::vector<std::int64_t> radii, const std::string& degrees,
               bool frontier_edges, std::int64_t max_degree, bool binned) {
                new (self) egonet::KnownColumns(
                    make_columns(keys, std::move(radii), degrees, frontier_edges, max_degree, binned));
            },
            "keys"_a.noconvert(), "radii"_a, "degrees"_a, "frontier_edges"_a, "max_degree"_a, "binned"_a)
        .def_rw("both_ways", &egonet::KnownColumns::both_ways)
        .def("count_at", &count_at, "sources"_a, "targets"_a, "num_arcs"_a, "num_nodes"_a, "table"_a)
        .def("count_many", &count_many, "index"_a.noconvert(), "graph_ptr"_a.noconvert(), "arc_ptr"_a.noconvert(),
             "local"_a, "table"_a.noconvert())
        .def("count_rows", &count_rows, "indptr"_a.noconvert(), "indices"_a.noconvert(), "table"_a.noconvert());
    bind_steps<std::int32_t>(module);
    bind_steps<double>(module);
    module.def("join_columns", &join_columns, "matrices"_a, "threads"_a);
}
