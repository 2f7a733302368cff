// NumPy arrays as the bindings take and return them: without gaps, in the memory of the processor.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/workers.hpp"

namespace egonet::bindings {

namespace nb = nanobind;

// An array of one dimension that is read, or (of another shape) an array of values.
template <class T, class Shape = nb::ndim<1>>
using Array = nb::ndarray<T, Shape, nb::c_contig, nb::device::cpu>;
using Int32s = Array<const std::int32_t>;
using Int64s = Array<const std::int64_t>;
using Int64Rows = Array<const std::int64_t, nb::ndim<2>>;
using EdgeIndex = Array<const std::int64_t, nb::shape<2, -1>>;

// An array that takes over a buffer.
template <class T, class... Shape>
nb::object as_array(Buffer<T> buffer, Shape... shape) {
    T* memory = buffer.release();
    nb::capsule owner(memory, [](void* p) noexcept { egonet::free_memory(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(memory, {static_cast<std::size_t>(shape)...}, owner));
}

template <class T>
nb::object as_array(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// The names of a table as Arrow keeps them: where each begins, and all their bytes.
template <class Table>
nb::tuple as_parts(const Table& table, int threads) {
    const auto count = static_cast<std::int64_t>(table.size());
    Job job;
    job.threads = threads;
    auto parts = [&] {
        nb::gil_scoped_release released;
        return parts_of(job, table);
    }();
    const std::int64_t size = parts.offsets[count];
    return nb::make_tuple(as_array(std::move(parts.offsets), count + 1), as_array(std::move(parts.bytes), size));
}

}  // namespace egonet::bindings
