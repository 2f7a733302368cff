// Python bindings of edge types and ring statistics: arrays in, arrays out.
#include <nanobind/nanobind.h>

#include "bindings/results.hpp"
#include "core/graph.hpp"
#include "core/workers.hpp"
#include "input/subdivide.hpp"
#include "statistics/rings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

using Values = Array<const double, nb::ndim<2>>;
using Table = Array<double, nb::ndim<3>>;
using Counts = Array<std::int64_t, nb::ndim<2>>;

nb::tuple subdivide(Int32s first, Int32s second, Int32s types, std::int64_t num_nodes, bool both_ways) {
    egonet::input::Subdivided made;
    {
        nb::gil_scoped_release released;
        made = egonet::input::subdivide(first.data(), second.data(), types.data(),
                                        static_cast<std::int64_t>(first.size()), num_nodes, both_ways);
    }
    return nb::make_tuple(as_array(std::move(made.indptr)), as_array(std::move(made.indices)),
                          as_array(std::move(made.types)));
}

// values        (count, num_columns): those of the nodes first_node ... first_node + count - 1
// first, step   distances of the rings
// sums ...      (num_roots, num_rings, num_columns), overwritten; counts (num_roots, num_rings)
void ring_statistics(Int64s indptr, Int32s indices, Values values, std::int64_t first_node, std::int64_t first,
                     std::int64_t step, Table sums, Table lows, Table highs, Counts counts, int threads) {
    const egonet::Graph graph{indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1};
    const egonet::NodeValues of_nodes{values.data(), first_node, static_cast<std::int64_t>(values.shape(0)),
                                      static_cast<std::int64_t>(values.shape(1))};
    const egonet::Rings rings{first, step, static_cast<std::int64_t>(counts.shape(1))};
    const egonet::RingTable table{sums.data(), lows.data(), highs.data(), counts.data()};
    egonet::Job job;
    job.threads = threads;
    job.watch = make_watch(nb::none(), 0);
    nb::gil_scoped_release released;
    egonet::ring_statistics(job, graph, static_cast<std::int64_t>(counts.shape(0)), of_nodes, rings, table);
}

}  // namespace

void bind_attributes(nb::module_& module) {
    module.def("subdivide", &subdivide, "first"_a.noconvert(), "second"_a.noconvert(), "types"_a.noconvert(),
               "num_nodes"_a, "both_ways"_a);
    module.def("ring_statistics", &ring_statistics, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "values"_a.noconvert(), "first_node"_a, "first"_a, "step"_a, "sums"_a.noconvert(), "lows"_a.noconvert(),
               "highs"_a.noconvert(), "counts"_a.noconvert(), "threads"_a);
}
