// The numbers of arrays where they stand. Whoever keeps the array alive keeps the view valid.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>

#include "input/join.hpp"

namespace egonet::input {

// The numbers of an array of one dimension without gaps; nothing if it is something else.
inline std::optional<View> look(PyObject* array) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(array, &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
        PyErr_Clear();
        return std::nullopt;
    }
    const std::string_view format = buffer.format ? buffer.format : "";
    const auto is_one_of = [&](std::string_view codes) {
        return buffer.ndim == 1 && format.size() == 1 && codes.find(format[0]) != codes.npos;
    };
    const auto view_of = [&](View::Kind kind) {
        return View{buffer.buf, buffer.len / buffer.itemsize, kind, static_cast<int>(buffer.itemsize)};
    };
    std::optional<View> view;
    if (is_one_of("bhilq")) view = view_of(View::Kind::whole);
    if (is_one_of("?BHILQ")) view = view_of(View::Kind::natural);
    if (is_one_of("fd")) view = view_of(View::Kind::real);
    PyBuffer_Release(&buffer);
    return view;
}

}  // namespace egonet::input
