// The Python face of pair encodings: arrays in, arrays out; it knows no graphs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/results.hpp"
#include "pairs/pair_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using egonet::bindings::Int32s;
using egonet::bindings::Int64s;
using PairArray = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

// direction: 0 symmetric, 1 rows list out-neighbors, 2 rows list in-neighbors.
nb::tuple encode_pairs(Int64s indptr, Int32s indices, PairArray pairs, std::int64_t radius, bool without_edge,
                       bool ordered, std::int64_t max_degree, bool log_bins, int direction,
                       std::optional<Int32s> labels, bool divided, int threads, nb::object progress) {
    const egonet::Graph graph{indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1};
    const egonet::PairSettings settings{
        radius,         without_edge,   ordered || direction != 0,         max_degree, log_bins,
        direction == 0, direction == 2, labels ? labels->data() : nullptr, divided};
    const egonet::PairList list{pairs.data(), static_cast<std::int64_t>(pairs.shape(0))};
    egonet::Job job;
    job.threads = threads;
    job.watch = egonet::bindings::make_watch(progress, list.count);
    egonet::Result result;
    {
        nb::gil_scoped_release released;
        result = egonet::encode_pairs(job, graph, settings, list);
    }
    if (!progress.is_none()) progress(list.count, list.count);
    return egonet::bindings::as_tuple(result);
}

}  // namespace

void bind_pairs(nb::module_& module) {
    module.def("encode_pairs", &encode_pairs, "indptr"_a.noconvert(), "indices"_a.noconvert(), "pairs"_a.noconvert(),
               "radius"_a, "without_edge"_a, "ordered"_a, "max_degree"_a, "log_bins"_a, "direction"_a,
               "labels"_a.noconvert().none(), "divided"_a, "threads"_a, "progress"_a.none());
}
