// The Python face of dense tables in known columns.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "compress.hpp"
#include "join.hpp"
#include "known_columns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Int32s = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Keys = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Arcs = nb::ndarray<const std::int64_t, nb::shape<2, -1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

egonet::KnownColumns make_columns(const Keys& keys, std::vector<std::int64_t> radii, const std::string& degrees,
                                  bool frontier_edges, std::int64_t max_degree, bool binned) {
    const egonet::Degrees kind = degrees == "total"     ? egonet::Degrees::total
                                 : degrees == "layered" ? egonet::Degrees::layered
                                                        : egonet::Degrees::full;
    const egonet::Settings settings{0, kind, frontier_edges, max_degree, nullptr, true};
    return {keys.data(), static_cast<std::int64_t>(keys.shape(0)), static_cast<int>(keys.shape(1)), std::move(radii),
            settings, binned};
}

// Arcs in any order as undirected edges, loops dropped and repeats merged; false if one points outside.
bool compress_any(const std::int64_t* sources, const std::int64_t* targets, std::int64_t count, std::int64_t num_nodes,
                  egonet::input::CompressedRows& rows) {
    std::vector<std::int32_t> from, to;
    from.reserve(count);
    to.reserve(count);
    for (std::int64_t arc = 0; arc < count; ++arc) {
        if (std::min(sources[arc], targets[arc]) < 0 || std::max(sources[arc], targets[arc]) >= num_nodes) return false;
        if (sources[arc] == targets[arc]) continue;
        from.push_back(static_cast<std::int32_t>(sources[arc]));
        to.push_back(static_cast<std::int32_t>(targets[arc]));
    }
    rows = egonet::input::compress(from.data(), to.data(), from.size(), num_nodes, true);
    return true;
}

// index    the arcs of one graph, read as undirected edges
// table    (num_nodes, num_columns), zeros
// returns  whether the counts of every vertex are in the table; false if an arc points outside, or a
//          key has no column or does not fit
bool count_arcs(const egonet::KnownColumns& columns, Arcs index, Table table) try {
    const auto count = static_cast<std::int64_t>(index.shape(1)), num_nodes = static_cast<std::int64_t>(table.shape(0));
    if (static_cast<std::int64_t>(table.shape(1)) != columns.num_columns()) return false;
    if (num_nodes > std::numeric_limits<std::int32_t>::max()) return false;
    const std::int64_t *sources = index.data(), *targets = sources + count;
    nb::gil_scoped_release released;
    egonet::input::JoinedRows sorted(num_nodes, count);
    // Most data sets list both directions of every edge in order, and such arcs are rows already.
    if (sorted.add_undirected(sources, targets, count, num_nodes))
        return columns.count({sorted.indptr.get(), sorted.indices.get(), num_nodes}, table.data());
    egonet::input::CompressedRows rows;
    return compress_any(sources, targets, count, num_nodes, rows) &&
           columns.count({rows.indptr.data(), rows.indices.data(), num_nodes}, table.data());
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

// Adds counts[i], of row r and column c, to table[r, places[c]].
void fill_table(Int64s indptr, Int32s columns, Int32s counts, Int64s places, Table table) {
    nb::gil_scoped_release released;
    const std::size_t num_columns = table.shape(1);
    for (std::size_t row = 0; row + 1 < indptr.size(); ++row) {
        float* to = table.data() + row * num_columns;
        for (std::int64_t i = indptr.data()[row]; i < indptr.data()[row + 1]; ++i)
            to[places.data()[columns.data()[i]]] += static_cast<float>(counts.data()[i]);
    }
}

}  // namespace

void bind_dense(nb::module_& module) {
    nb::class_<egonet::KnownColumns>(module, "KnownColumns")
        .def("__init__",
             [](egonet::KnownColumns* self, Keys keys, std::vector<std::int64_t> radii, const std::string& degrees,
                bool frontier_edges, std::int64_t max_degree, bool binned) {
                 new (self) egonet::KnownColumns(
                     make_columns(keys, std::move(radii), degrees, frontier_edges, max_degree, binned));
             },
             "keys"_a.noconvert(), "radii"_a, "degrees"_a, "frontier_edges"_a, "max_degree"_a, "binned"_a)
        .def("count_arcs", &count_arcs, "index"_a.noconvert(), "table"_a.noconvert())
        .def("count_rows", &count_rows, "indptr"_a.noconvert(), "indices"_a.noconvert(), "table"_a.noconvert());
    module.def("fill_table", &fill_table, "indptr"_a.noconvert(), "columns"_a.noconvert(), "counts"_a.noconvert(),
               "places"_a.noconvert(), "table"_a.noconvert());
}
