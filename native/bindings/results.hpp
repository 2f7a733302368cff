// Results of kernels as NumPy arrays, and the watch that looks for Ctrl-C and reports progress.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "bindings/arrays.hpp"
#include "core/graph.hpp"
#include "core/rows.hpp"
#include "core/workers.hpp"

namespace egonet::bindings {

inline nanobind::tuple as_tuple(Result& result) {
    return nanobind::make_tuple(as_array(std::move(result.indptr), result.num_rows + 1),
                                as_array(std::move(result.columns), result.num_entries),
                                as_array(std::move(result.counts), result.num_entries),
                                as_array(std::move(result.keys), result.num_columns, result.width));
}

// What Python raises is thrown through the kernel.
inline Watch make_watch(nanobind::object progress, std::int64_t total) {
    return [progress = std::move(progress), total](std::int64_t done) {
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        if (!progress.is_none()) progress(std::min(done, total), total);
    };
}

// Runs a kernel without the GIL, with Ctrl-C and progress up to `total`; returns what it returns.
template <class Run>
auto watched(int threads, const nanobind::object& progress, std::int64_t total, const Run& run) {
    Job job;
    job.threads = threads;
    job.watch = make_watch(progress, total);
    auto result = [&] {
        nanobind::gil_scoped_release released;
        return run(job);
    }();
    if (!progress.is_none()) progress(total, total);
    return result;
}

// The same for kernels that return rows.
template <class Run>
nanobind::tuple watched_rows(int threads, const nanobind::object& progress, std::int64_t total, const Run& run) {
    Result result = watched(threads, progress, total, run);
    return as_tuple(result);
}

// What kernels take: a graph, the roots (all nodes if none are given), and labels or null.
inline Graph graph_of(const Int64s& indptr, const Int32s& indices) {
    return {indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1};
}

inline Roots roots_of(const std::optional<Int64s>& roots, const Graph& graph) {
    if (!roots) return {nullptr, graph.num_nodes};
    return {roots->data(), static_cast<std::int64_t>(roots->size())};
}

inline const std::int32_t* labels_of(const std::optional<Int32s>& labels) { return labels ? labels->data() : nullptr; }

}  // namespace egonet::bindings
