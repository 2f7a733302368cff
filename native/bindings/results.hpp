// Results of kernels as NumPy arrays, and the watch that looks for Ctrl-C and reports progress.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>

#include "bindings/arrays.hpp"
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

}  // namespace egonet::bindings
