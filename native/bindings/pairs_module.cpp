// Python bindings of pair encodings: arrays in, arrays out; they know no graphs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/options.hpp"
#include "bindings/results.hpp"
#include "pairs/encode_pairs.hpp"
#include "pairs/end_distances.hpp"
#include "temporal/replay_pairs.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

using PairArray = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

const std::map<std::string, egonet::Direction> direction_names = {
    {"none", egonet::Direction::none}, {"out", egonet::Direction::out}, {"in", egonet::Direction::in}};

egonet::PairList list_of(const PairArray& pairs) { return {pairs.data(), static_cast<std::int64_t>(pairs.shape(0))}; }

egonet::PairSettings settings_of(std::vector<std::int64_t> radii, const std::string& degrees, const std::string& follow,
                                 bool without_edge, bool ordered, std::int64_t max_degree, bool log_bins,
                                 const std::string& direction, const std::optional<Int32s>& labels, bool divided) {
    return {std::move(radii),
            choose_degrees(degrees),
            choose(follow_names, follow, "follow"),
            without_edge,
            ordered,
            max_degree,
            log_bins,
            choose(direction_names, direction, "direction"),
            labels_of(labels),
            divided};
}

nb::tuple encode_pairs(Int64s indptr, Int32s indices, PairArray pairs, std::vector<std::int64_t> radii,
                       const std::string& degrees, const std::string& follow, bool without_edge, bool ordered,
                       std::int64_t max_degree, bool log_bins, const std::string& direction,
                       std::optional<Int32s> labels, bool divided, int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::PairSettings settings = settings_of(std::move(radii), degrees, follow, without_edge, ordered,
                                                      max_degree, log_bins, direction, labels, divided);
    const egonet::PairList list = list_of(pairs);
    return watched_rows(threads, progress, list.count,
                        [&](egonet::Job& job) { return egonet::encode_pairs(job, graph, settings, list); });
}

nb::tuple replay_pairs(Int32s sources, Int32s targets, std::int64_t num_nodes, std::int64_t largest_degree,
                       PairArray pairs, Int64s first, Int64s last, Int64s order, std::vector<std::int64_t> radii,
                       const std::string& degrees, const std::string& follow, bool without_edge, bool ordered,
                       std::int64_t max_degree, bool log_bins, const std::string& direction,
                       std::optional<Int32s> labels, bool divided, int threads, nb::object progress) {
    const egonet::Events events{sources.data(), targets.data(), static_cast<std::int64_t>(sources.size())};
    const egonet::PairSettings settings = settings_of(std::move(radii), degrees, follow, without_edge, ordered,
                                                      max_degree, log_bins, direction, labels, divided);
    const egonet::PairQueries queries{list_of(pairs), first.data(), last.data()};
    std::vector<std::int64_t> rows(order.data(), order.data() + order.size());
    return watched_rows(threads, progress, queries.pairs.count, [&](egonet::Job& job) {
        return egonet::replay_pairs(job, events, num_nodes, largest_degree, settings, queries, std::move(rows));
    });
}

nb::object end_distances(Int64s indptr, Int32s indices, PairArray pairs, std::int64_t longest,
                         const std::string& direction, int threads, nb::object progress) {
    const egonet::Graph graph = graph_of(indptr, indices);
    const egonet::Direction along = choose(direction_names, direction, "direction");
    const egonet::PairList list = list_of(pairs);
    auto found = watched(threads, progress, list.count,
                         [&](egonet::Job& job) { return egonet::end_distances(job, graph, list, longest, along); });
    return as_array(std::move(found), list.count);
}

}  // namespace

void bind_pairs(nb::module_& module) {
    module.def("encode_pairs", &encode_pairs, "indptr"_a.noconvert(), "indices"_a.noconvert(), "pairs"_a.noconvert(),
               "radii"_a, "degrees"_a, "follow"_a, "without_edge"_a, "ordered"_a, "max_degree"_a, "log_bins"_a,
               "direction"_a, "labels"_a.noconvert().none(), "divided"_a, "threads"_a, "progress"_a.none());
    module.def("replay_pairs", &replay_pairs, "sources"_a.noconvert(), "targets"_a.noconvert(), "num_nodes"_a,
               "largest_degree"_a, "pairs"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(),
               "order"_a.noconvert(), "radii"_a, "degrees"_a, "follow"_a, "without_edge"_a, "ordered"_a, "max_degree"_a,
               "log_bins"_a, "direction"_a, "labels"_a.noconvert().none(), "divided"_a, "threads"_a,
               "progress"_a.none());
    module.def("end_distances", &end_distances, "indptr"_a.noconvert(), "indices"_a.noconvert(), "pairs"_a.noconvert(),
               "longest"_a, "direction"_a, "threads"_a, "progress"_a.none());
}
