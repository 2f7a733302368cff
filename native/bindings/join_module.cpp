// Python bindings of joining graphs: lists of arrays in, the arrays of their union out.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/numpy_array.hpp"
#include "input/join.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;
using namespace egonet::input;

namespace {

// Whether the shape of a matrix says that it has as many rows and columns.
bool is_square(nb::handle shape, std::int64_t size) {
    if (!PyTuple_CheckExact(shape.ptr()) || PyTuple_Size(shape.ptr()) != 2) return false;
    for (int axis = 0; axis < 2; ++axis) {
        PyObject* extent = PyTuple_GetItem(shape.ptr(), axis);
        if (!PyLong_CheckExact(extent)) return false;
        int overflow = 0;
        if (PyLong_AsLongLongAndOverflow(extent, &overflow) != size) return false;
    }
    return true;
}

// The arrays of some graphs, kept alive and looked at.
class Views {
public:
    // Looks at indptr and indices; for matrices at data and shape too.
    Views(const nb::list& graphs, bool are_matrices) : width_(are_matrices ? 3 : 2) {
        const nb::object names[] = {as_word("indptr"), as_word("indices"), as_word("data")}, shape = as_word("shape");
        const std::size_t count = graphs.size();
        kept_.reserve(count * width_);
        views_.reserve(count * width_);
        for (std::size_t i = 0; i < count; ++i) {
            if (i >= graphs.size()) return;  // an attribute that is code has cut the list
            const nb::object graph = nb::borrow(PyList_GetItem(graphs.ptr(), i));
            for (std::size_t array = 0; array < width_; ++array) {
                kept_.push_back(nb::getattr(graph, names[array]));
                const std::optional<View> view = look(kept_.back().ptr());
                if (!view) return;
                views_.push_back(*view);
            }
            if (starts(i).size < 1 || (are_matrices && !is_square(nb::getattr(graph, shape), starts(i).size - 1)))
                return;
        }
        are_good_ = true;
    }

    // Whether every graph has arrays that can be looked at, and every matrix is square.
    bool are_good() const { return are_good_; }
    const View& starts(std::size_t graph) const { return views_[graph * width_]; }
    const View& columns(std::size_t graph) const { return views_[graph * width_ + 1]; }
    const View& values(std::size_t graph) const { return views_[graph * width_ + 2]; }

    // Where the rows of each graph begin, and the last one's end.
    egonet::Buffer<std::int64_t> graph_ptr() const {
        const std::size_t count = views_.size() / width_;
        auto pointers = egonet::make_buffer<std::int64_t>(static_cast<std::int64_t>(count) + 1);
        pointers[0] = 0;
        for (std::size_t i = 0; i < count; ++i) pointers[i + 1] = pointers[i] + starts(i).size - 1;
        return pointers;
    }

    std::int64_t num_arcs() const {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < views_.size() / width_; ++i) total += columns(i).size;
        return total;
    }

    void prefetch_numbers(std::size_t graph) const {
        for (std::size_t array = 0; array < width_; ++array) prefetch(views_[graph * width_ + array]);
    }

private:
    static nb::object as_word(const char* name) { return nb::steal(PyUnicode_InternFromString(name)); }

    bool are_good_ = false;
    std::size_t width_;
    std::vector<nb::object> kept_;
    std::vector<View> views_;
};

nb::object indptr_of(JoinedRows& rows) { return as_array(std::move(rows.indptr), rows.num_nodes + 1); }
nb::object indices_of(JoinedRows& rows) { return as_array(std::move(rows.indices), rows.num_arcs); }

// graphs   objects with indptr and indices, and with data if `has_values`; without, their rows are taken as they are
// returns  indptr, indices, where each graph begins, and whether some value is not 1; None if a graph needs a closer
//          look: it is malformed, or (with values) is not square, lists a zero or is not undirected, sorted and
//          without loops
nb::object join_rows(const nb::list& graphs, bool has_values) {
    constexpr std::size_t ahead = 16;
    const std::size_t count = graphs.size();
    const Views views(graphs, has_values);
    if (!views.are_good()) return nb::none();
    auto graph_ptr = views.graph_ptr();
    if (graph_ptr[count] > std::numeric_limits<std::int32_t>::max()) return nb::none();
    JoinedRows rows(graph_ptr[count], views.num_arcs());
    bool valid = true;
    {
        nb::gil_scoped_release released;
        for (std::size_t i = 0; i < count && valid; ++i) {
            if (i + ahead < count) views.prefetch_numbers(i + ahead);
            if (has_values)
                valid = views.values(i).size == views.columns(i).size && rows.add_values(views.values(i)) &&
                        rows.add_undirected(views.starts(i), views.columns(i));
            else valid = rows.add(views.starts(i), views.columns(i));
        }
    }
    if (!valid) return nb::none();
    const bool weighted = rows.weighted;
    return nb::make_tuple(indptr_of(rows), indices_of(rows), as_array(std::move(graph_ptr), count + 1), weighted);
}

// index, sizes, counts  the arcs of every graph side by side, its nodes and its arcs
// returns               indptr and indices; None if a graph needs a closer look, as above, or its arcs are not sorted
nb::object join_arcs(EdgeIndex index, Int64s sizes, Int64s counts) {
    std::int64_t num_nodes = 0, num_arcs = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes.data()[i] < 0 || sizes.data()[i] > std::numeric_limits<std::int32_t>::max() - num_nodes)
            return nb::none();
        num_nodes += sizes.data()[i];
    }
    const auto capacity = static_cast<std::int64_t>(index.shape(1));
    if (counts.size() != sizes.size()) return nb::none();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts.data()[i] < 0 || counts.data()[i] > capacity - num_arcs) return nb::none();
        num_arcs += counts.data()[i];
    }
    JoinedRows rows(num_nodes, num_arcs);
    bool valid = num_arcs == capacity;
    {
        nb::gil_scoped_release released;
        for (std::size_t i = 0; i < sizes.size() && valid; ++i) {
            const std::int64_t* sources = index.data() + rows.num_arcs;
            valid = rows.add_undirected(sources, sources + capacity, counts.data()[i], sizes.data()[i]);
        }
    }
    return valid ? nb::object(nb::make_tuple(indptr_of(rows), indices_of(rows))) : nb::none();
}

// sources, targets, counts  the addresses and numbers of the arcs of every graph; the caller keeps them alive
// returns                   the arcs side by side, as (2, num_arcs)
nb::object gather_arcs(Int64s sources, Int64s targets, Int64s counts) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) total += counts.data()[i];
    auto all = egonet::make_buffer<std::int64_t>(2 * total);
    std::int64_t* to = all.get();
    const auto numbers_at = [](std::int64_t address) { return reinterpret_cast<const std::int64_t*>(address); };
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::int64_t count = counts.data()[i];
        if (!count) continue;
        std::memcpy(to, numbers_at(sources.data()[i]), count * sizeof(std::int64_t));
        std::memcpy(to + total, numbers_at(targets.data()[i]), count * sizeof(std::int64_t));
        to += count;
    }
    return as_array(std::move(all), 2, total);
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
    module.def("gather_arcs", &gather_arcs, "sources"_a.noconvert(), "targets"_a.noconvert(), "counts"_a.noconvert());
    module.def("is_undirected", &is_undirected_py, "indptr"_a.noconvert(), "indices"_a.noconvert());
}
