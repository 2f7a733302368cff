// Python bindings of pair encodings: arrays in, arrays out; they know no graphs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/results.hpp"
#include "pairs/pair_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

using PairArray = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

// direction: 0 symmetric, 1 rows list out-neighbors, 2 rows list in-neighbors.
nb::tuple encode_pairs(Int64s indptr, Int32s indices, PairArray pairs, std::int64_t radius, bool without_edge,
                       bool ordered, std::int64_t max_degree, bool log_bins, int direction,
                       std::optional<Int32s> labels, bool divided, int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::PairSettings settings{radius,         without_edge,   ordered || direction != 0, max_degree, log_bins,
                                        direction == 0, direction == 2, labels_of(labels),         divided};
    const egonet::PairList list{pairs.data(), static_cast<std::int64_t>(pairs.shape(0))};
    return watched_rows(threads, progress, list.count,
                        [&](egonet::Job& job) { return egonet::encode_pairs(job, graph, settings, list); });
}

}  // namespace

void bind_pairs(nb::module_& module) {
    module.def("encode_pairs", &encode_pairs, "indptr"_a.noconvert(), "indices"_a.noconvert(), "pairs"_a.noconvert(),
               "radius"_a, "without_edge"_a, "ordered"_a, "max_degree"_a, "log_bins"_a, "direction"_a,
               "labels"_a.noconvert().none(), "divided"_a, "threads"_a, "progress"_a.none());
}
