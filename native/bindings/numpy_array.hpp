// The numbers of numpy arrays where they stand. Whoever keeps the array alive keeps the view valid.
//
// Asking an array for a buffer takes a tenth of a microsecond and memory, because numpy writes down what it looks like
// each time. The fields of an array have stood in the same places since numpy 1.7, as macros compiled into other
// people's extensions rely on; they are looked at directly once an array known to us was found to be laid out like that.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <optional>

#include "input/join.hpp"

namespace egonet::input {

class ArrayReader {
public:
    // Takes numpy's types, and checks the layout.
    ArrayReader() {
        const nanobind::module_ numpy = nanobind::module_::import_("numpy");
        const nanobind::object dtype = numpy.attr("dtype");
        for (std::size_t i = 0; i < known.size(); ++i) dtypes_[i] = dtype(nanobind::str(&known[i].code, 1));
        type_ = numpy.attr("ndarray");
        const nanobind::object three = numpy.attr("arange")(3, nanobind::arg("dtype") = dtypes_[0]);
        if (!has_known_layout(three.ptr())) type_ = nanobind::none();
    }

    // Asks for the memory that says where the numbers are; for `look` some time later.
    [[gnu::always_inline]] void prefetch_header(PyObject* array) const {
        __builtin_prefetch(array);
        __builtin_prefetch(reinterpret_cast<const char*>(array) + 64);
    }

    // The same one step on: the header must be there.
    [[gnu::always_inline]] void prefetch_size(PyObject* array) const {
        if (is_plain(array)) __builtin_prefetch(fields(array).dimensions);
    }

    // The numbers of an array of one dimension without gaps; nothing if it is something else.
    std::optional<View> look(PyObject* array) const {
        if (is_plain(array)) {
            const Fields& at = fields(array);
            for (std::size_t i = 0; i < known.size(); ++i)
                if (at.dtype == dtypes_[i].ptr()) {
                    if (at.num_dimensions != 1 || (at.flags & in_place) != in_place) return std::nullopt;
                    return View{at.data, at.dimensions[0], known[i].kind, known[i].bytes};
                }
        }
        return look_at_buffer(array);
    }

private:
    struct Fields {
        PyObject_HEAD
        char* data;
        int num_dimensions;
        Py_ssize_t* dimensions;
        Py_ssize_t* strides;
        PyObject* base;
        PyObject* dtype;
        int flags;
    };
    struct Numbers {
        char code;
        View::Kind kind;
        int bytes;
    };
    static constexpr int in_place = 0x0101;  // without gaps, and aligned
    // What indices and values mostly are comes first.
    static constexpr std::array<Numbers, 13> known{{{'i', View::Kind::whole, 4},
                                                    {'l', View::Kind::whole, sizeof(long)},
                                                    {'d', View::Kind::real, 8},
                                                    {'f', View::Kind::real, 4},
                                                    {'q', View::Kind::whole, 8},
                                                    {'?', View::Kind::natural, 1},
                                                    {'b', View::Kind::whole, 1},
                                                    {'B', View::Kind::natural, 1},
                                                    {'h', View::Kind::whole, 2},
                                                    {'H', View::Kind::natural, 2},
                                                    {'I', View::Kind::natural, 4},
                                                    {'L', View::Kind::natural, sizeof(long)},
                                                    {'Q', View::Kind::natural, 8}}};

    static const Fields& fields(PyObject* array) { return *reinterpret_cast<const Fields*>(array); }
    bool is_plain(PyObject* array) const { return reinterpret_cast<PyObject*>(Py_TYPE(array)) == type_.ptr(); }

    // Whether the fields of [0, 1, 2] say so.
    bool has_known_layout(PyObject* array) const {
        if (!is_plain(array) || Py_TYPE(array)->tp_basicsize < static_cast<Py_ssize_t>(sizeof(Fields))) return false;
        const std::optional<View> told = look_at_buffer(array);
        const Fields& at = fields(array);
        return told && at.data == told->data && at.num_dimensions == 1 && at.dtype == dtypes_[0].ptr() &&
               (at.flags & in_place) == in_place && at.dimensions[0] == 3 && told->size == 3;
    }

    static std::optional<View> look_at_buffer(PyObject* array) {
        Py_buffer buffer;
        if (PyObject_GetBuffer(array, &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
            PyErr_Clear();
            return std::nullopt;
        }
        std::optional<View> view;
        const char* format = buffer.format ? buffer.format : "";
        for (const Numbers& numbers : known)
            if (buffer.ndim == 1 && format[0] == numbers.code && format[1] == 0 && buffer.itemsize == numbers.bytes)
                view = View{buffer.buf, buffer.len / numbers.bytes, numbers.kind, numbers.bytes};
        PyBuffer_Release(&buffer);
        return view;
    }

    nanobind::object type_;
    std::array<nanobind::object, known.size()> dtypes_;
};

}  // namespace egonet::input
