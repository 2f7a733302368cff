// Python bindings of sums and walks around pairs: arrays in, arrays out; they know no graphs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bindings/arrays.hpp"
#include "bindings/results.hpp"
#include "links/link_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

nb::tuple sum_links(Int64s indptr, Int32s indices, Int64Rows pairs, std::int64_t radius, bool without_edge, bool walks,
                    Int64Rows weights, int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::LinkSettings settings{radius, without_edge, walks, weights.data(),
                                        static_cast<std::int64_t>(weights.shape(1))};
    const auto count = static_cast<std::int64_t>(pairs.shape(0));
    egonet::LinkSums found = watched(threads, progress, count, [&](egonet::Job& job) {
        return egonet::sum_links(job, graph, settings, pairs.data(), count);
    });
    return nb::make_tuple(as_array(std::move(found.sums), count, radius + 2, radius + 2, settings.num_weights),
                          as_array(std::move(found.walks), count, settings.num_walks()));
}

}  // namespace

void bind_links(nb::module_& module) {
    module.def("sum_links", &sum_links, "indptr"_a.noconvert(), "indices"_a.noconvert(), "pairs"_a.noconvert(),
               "radius"_a, "without_edge"_a, "walks"_a, "weights"_a.noconvert(), "threads"_a, "progress"_a.none());
}
