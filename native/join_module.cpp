// The Python face of joining graphs: lists of arrays in, the arrays of their union out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "join.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::input;

namespace {

using Int32s = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Arcs = nb::ndarray<const std::int64_t, nb::shape<2, -1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object as_array(egonet::Buffer<T> buffer, std::int64_t size) {
    T* memory = buffer.release();
    nb::capsule owner(memory, [](void* p) noexcept { std::free(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(memory, {static_cast<std::size_t>(size)}, owner));
}

// The numbers of an array of one dimension without gaps; nothing if it is something else. Whoever keeps the array
// alive keeps the view valid.
std::optional<View> view_of(nb::handle array) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
        PyErr_Clear();
        return std::nullopt;
    }
    View view{buffer.buf, buffer.itemsize ? buffer.len / buffer.itemsize : 0, View::Kind::whole,
              static_cast<int>(buffer.itemsize)};
    const char* format = buffer.format ? buffer.format : "";
    bool known = buffer.ndim == 1 && format[0] != 0 && format[1] == 0;
    if (known && std::strchr("?BHILQ", format[0]))
        view.kind = View::Kind::natural;
    else if (known && std::strchr("fd", format[0]))
        view.kind = View::Kind::real;
    else
        known = known && std::strchr("bhilq", format[0]);
    PyBuffer_Release(&buffer);
    return known ? std::optional(view) : std::nullopt;
}

// One attribute of some objects, kept alive and looked at. Objects and arrays are strewn over the memory, and waiting
// for them one by one is most of the work: hence one loop for each, which asks for what comes later.
class Views {
public:
    Views(const char* name, const nb::list& objects) {
        const nb::object word = nb::steal(PyUnicode_InternFromString(name));
        const std::size_t count = objects.size();
        kept_.reserve(count);
        views_.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (i + ahead < count) __builtin_prefetch(PyList_GET_ITEM(objects.ptr(), i + ahead));
            kept_.push_back(nb::getattr(PyList_GET_ITEM(objects.ptr(), i), word));
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (i + ahead < count) __builtin_prefetch(kept_[i + ahead].ptr());
            const std::optional<View> view = view_of(kept_[i]);
            if (!view) break;
            views_.push_back(*view);
        }
    }

    // Whether every attribute is an array that can be looked at.
    bool are_arrays() const { return views_.size() == kept_.size(); }
    const View& operator[](std::size_t i) const { return views_[i]; }

    // Where the numbers of each view begin and the last one's end, all side by side and each view's less `less`;
    // nothing if a view has fewer than that.
    egonet::Buffer<std::int64_t> pointers(std::int64_t less) const {
        auto pointers = egonet::make_buffer<std::int64_t>(static_cast<std::int64_t>(views_.size()) + 1);
        pointers[0] = 0;
        for (std::size_t i = 0; i < views_.size(); ++i) {
            if (views_[i].size < less) return nullptr;
            pointers[i + 1] = pointers[i] + views_[i].size - less;
        }
        return pointers;
    }

private:
    static constexpr std::size_t ahead = 16;
    std::vector<nb::object> kept_;
    std::vector<View> views_;
};

nb::object indptr_of(JoinedRows& rows) { return as_array(std::move(rows.indptr), rows.num_nodes + 1); }
nb::object indices_of(JoinedRows& rows) { return as_array(std::move(rows.indices), rows.num_arcs); }

// graphs   objects with indptr and indices, and with data if `has_values`; without, their rows are taken as they are
// returns  indptr, indices, where each graph begins, and whether some value is not 1; None if a graph needs a closer look: it is malformed, or
//          (with values) lists a zero or is not undirected, sorted and without loops
nb::object join_rows(const nb::list& graphs, bool has_values) {
    const std::size_t count = graphs.size();
    const Views starts("indptr", graphs), columns("indices", graphs);
    const Views values("data", has_values ? graphs : nb::list());
    if (!starts.are_arrays() || !columns.are_arrays() || !values.are_arrays()) return nb::none();
    auto graph_ptr = starts.pointers(1);
    if (!graph_ptr || graph_ptr[count] > std::numeric_limits<std::int32_t>::max()) return nb::none();
    JoinedRows rows(graph_ptr[count], columns.pointers(0)[count]);
    bool good = true;
    {
        nb::gil_scoped_release released;
        for (std::size_t i = 0; i < count && good; ++i) {
            if (i + 4 < count) {
                prefetch(starts[i + 4]);
                prefetch(columns[i + 4]);
                if (has_values) prefetch(values[i + 4]);
            }
            good = rows.add(starts[i], columns[i]);
            if (has_values)
                good = good && values[i].size == columns[i].size && rows.add_values(values[i]) &&
                       rows.last_is_undirected();
        }
    }
    if (!good) return nb::none();
    const bool weighted = rows.weighted;
    return nb::make_tuple(indptr_of(rows), indices_of(rows), as_array(std::move(graph_ptr), count + 1), weighted);
}

// index, sizes, counts  the arcs of every graph side by side, its vertices and its arcs
// returns               indptr and indices; None if a graph needs a closer look, as above, or its arcs are not sorted
nb::object join_arcs(Arcs index, Int64s sizes, Int64s counts) {
    std::int64_t num_nodes = 0, num_arcs = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes.data()[i] < 0 || sizes.data()[i] > std::numeric_limits<std::int32_t>::max() - num_nodes)
            return nb::none();
        num_nodes += sizes.data()[i];
    }
    const auto room = static_cast<std::int64_t>(index.shape(1));
    if (counts.size() != sizes.size()) return nb::none();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts.data()[i] < 0 || counts.data()[i] > room - num_arcs) return nb::none();
        num_arcs += counts.data()[i];
    }
    JoinedRows rows(num_nodes, num_arcs);
    bool good = num_arcs == room;
    {
        nb::gil_scoped_release released;
        for (std::size_t i = 0; i < sizes.size() && good; ++i) {
            const std::int64_t* sources = index.data() + rows.num_arcs;
            good = rows.add_arcs(sources, sources + room, counts.data()[i], sizes.data()[i]) &&
                   rows.last_is_undirected();
        }
    }
    return good ? nb::object(nb::make_tuple(indptr_of(rows), indices_of(rows))) : nb::none();
}

// addresses, counts  where the two rows of every graph's arcs stand, one right after the other; the caller keeps them
//                    alive
// returns            the arcs side by side, as (2, num_arcs)
nb::object gather_arcs(Int64s addresses, Int64s counts) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) total += counts.data()[i];
    auto all = egonet::make_buffer<std::int64_t>(2 * total);
    std::int64_t* to = all.get();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto* from = reinterpret_cast<const std::int64_t*>(addresses.data()[i]);
        const std::int64_t count = counts.data()[i];
        if (!count) continue;
        std::memcpy(to, from, count * sizeof(std::int64_t));
        std::memcpy(to + total, from + count, count * sizeof(std::int64_t));
        to += count;
    }
    std::int64_t* memory = all.release();
    nb::capsule owner(memory, [](void* p) noexcept { std::free(p); });
    return nb::cast(nb::ndarray<nb::numpy, std::int64_t>(memory, {2, static_cast<std::size_t>(total)}, owner));
}

// False also if the row starts do not rise from 0 to the number of indices.
bool is_undirected_py(Int64s indptr, Int32s indices) {
    const auto num_nodes = static_cast<std::int32_t>(indptr.size() - 1);
    const std::int64_t* starts = indptr.data();
    nb::gil_scoped_release released;
    if (starts[0] != 0 || starts[num_nodes] != static_cast<std::int64_t>(indices.size())) return false;
    if (!std::is_sorted(starts, starts + num_nodes + 1)) return false;
    const auto cursor = egonet::make_buffer<std::int64_t>(num_nodes);
    return is_undirected(starts, indices.data(), 0, num_nodes, cursor.get());
}

}  // namespace

void bind_join(nb::module_& module) {
    module.def("join_rows", &join_rows, "graphs"_a, "has_values"_a);
    module.def("join_arcs", &join_arcs, "index"_a.noconvert(), "sizes"_a.noconvert(), "counts"_a.noconvert());
    module.def("gather_arcs", &gather_arcs, "addresses"_a.noconvert(), "counts"_a.noconvert());
    module.def("is_undirected", &is_undirected_py, "indptr"_a.noconvert(), "indices"_a.noconvert());
}
