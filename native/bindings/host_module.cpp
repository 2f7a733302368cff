// The Python face of what the host does for a GPU: small things, each of which Python would take microseconds for.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "columns/narrow_rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Anything = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Positions = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::int64_t as_word(nb::handle number) {
    const std::int64_t word = PyLong_AsLongLong(number.ptr());
    if (word == -1 && PyErr_Occurred()) nb::raise_python_error();
    return word;
}

// An argument of a kernel: a whole number, 0 for None, or where an array of a device begins.
std::int64_t word_of(nb::handle argument) {
    if (PyLong_Check(argument.ptr())) return as_word(argument);
    if (argument.is_none()) return 0;
    const nb::object pointer = nb::getattr(nb::getattr(argument, "data", nb::none()), "ptr", nb::none());
    return as_word(pointer.is_none() ? argument : nb::handle(pointer));
}

void lay_out(nb::tuple arguments, std::uintptr_t room) {
    auto* words = reinterpret_cast<std::int64_t*>(room);
    for (nb::handle argument : arguments) *words++ = word_of(argument);
}

// Arrays of so many bytes one behind another, each on a multiple of a power of two; returns where the last ends.
std::int64_t place_arrays(nb::dict places, nb::dict sizes, std::int64_t begin, std::int64_t alignment) {
    for (const auto& [name, size] : sizes) {
        begin = (begin + alignment - 1) & -alignment;
        places[name] = begin;
        begin += as_word(size);
    }
    return begin;
}

// The GIL is kept: giving it back would take longer than the rows of a small graph.
nb::tuple narrow_rows(Int64s indptr, Positions positions) {
    if (indptr.size() == 0 || positions.size() < indptr.size())
        throw nb::value_error("positions have no room for the rows.");
    const std::int64_t num_nodes = static_cast<std::int64_t>(indptr.size()) - 1;
    const egonet::DegreeFacts facts = egonet::narrow_rows(indptr.data(), num_nodes, positions.data());
    return nb::make_tuple(facts.largest, facts.sum_of_squares, facts.num_isolated);
}

std::uintptr_t address(Anything array) { return reinterpret_cast<std::uintptr_t>(array.data()); }

}  // namespace

void bind_host(nb::module_& module) {
    module.def("narrow_rows", &narrow_rows, "indptr"_a.noconvert(), "positions"_a.noconvert());
    module.def("address", &address, "array"_a.noconvert());
    module.def("lay_out", &lay_out, "arguments"_a, "room"_a);
    module.def("place_arrays", &place_arrays, "places"_a, "sizes"_a, "begin"_a, "alignment"_a);
}
