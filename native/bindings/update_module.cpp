// Python bindings of updates: a version holds the arrays it started from, and each change makes another version.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>

#include "bindings/arrays.hpp"
#include "update/version.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;
using namespace egonet;

namespace {

using Int32Pairs = Array<const std::int32_t, nb::shape<-1, 2>>;
using Indices = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;
using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

void take(const Indices& array, const std::int32_t*& narrow, const std::int64_t*& wide) {
    if (array.dtype() == nb::dtype<std::int32_t>()) narrow = static_cast<const std::int32_t*>(array.data());
    else if (array.dtype() == nb::dtype<std::int64_t>()) wide = static_cast<const std::int64_t*>(array.data());
    else throw nb::type_error("row pointers and columns must be int32 or int64.");
}

// The arrays of a start, kept alive, and what is read from Python about it.
struct SharedStart {
    Int64s indptr;
    Int32s indices;
    Indices row_indptr, columns;
    Int32s counts;
    Int64Rows keys;
    Int64s radii;
    std::optional<Int64s> roots;
    nb::object numbers;      // id → node, or None if the ids are the nodes
    std::int64_t max_patch;  // with more entries than this a patch is to be merged first
    bool is_plain;           // whether edges alone can change it
    Start start{};
};

// The number of a node of the start, or -1 if the id is not one of those in a form that is common.
std::int32_t number_of(PyObject* id, const SharedStart& shared) {
    const bool whole = PyLong_CheckExact(id);
    if (!whole && !PyUnicode_CheckExact(id)) return -1;
    if (!shared.numbers.is_none()) {
        id = PyDict_GetItem(shared.numbers.ptr(), id);
        if (!id) return -1;
    } else if (!whole) {
        return -1;
    }
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(id, &overflow);
    return overflow || number < 0 || number >= shared.start.graph.num_nodes ? -1 : static_cast<std::int32_t>(number);
}

// Appends edges, lower end first; false if they are not lists or tuples of two different nodes of the start.
bool read_plain(nb::handle edges, const SharedStart& shared, Pairs& pairs) {
    const auto size_of = [](PyObject* o) -> Py_ssize_t {
        if (PyList_CheckExact(o)) return PyList_Size(o);
        return PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1;
    };
    const auto item = [](PyObject* o, Py_ssize_t i) {
        return PyList_CheckExact(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i);
    };
    const Py_ssize_t size = size_of(edges.ptr());
    for (Py_ssize_t i = 0; i < size; ++i) {
        PyObject* pair = item(edges.ptr(), i);
        if (size_of(pair) != 2) return false;
        const std::int32_t a = number_of(item(pair, 0), shared), b = number_of(item(pair, 1), shared);
        if (a < 0 || b < 0 || a == b) return false;
        pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
    return size >= 0;
}

bool has_repeats(Pairs pairs) {
    std::sort(pairs.begin(), pairs.end());
    return std::adjacent_find(pairs.begin(), pairs.end()) != pairs.end();
}

class SharedVersion {
public:
    SharedVersion(std::shared_ptr<const SharedStart> shared, std::optional<Int32s> labels, Version version)
        : shared_(std::move(shared)), labels_(std::move(labels)), version_(std::move(version)) {}

    // The version after edges between nodes of the start changed; None if an edge is invalid, new or repeated, or if
    // the change is too large. Python then handles it.
    nb::object change_plain(nb::handle added, nb::handle removed, int threads) const {
        if (!shared_->is_plain || is_heavy()) return nb::none();
        Pairs gone, come;
        if (!read_plain(removed, *shared_, gone) || !read_plain(added, *shared_, come)) return nb::none();
        for (const auto& [a, b] : gone)
            if (!version_.has_edge(shared_->start, a, b)) return nb::none();
        for (const auto& [a, b] : come)
            if (version_.has_edge(shared_->start, a, b)) return nb::none();
        if (gone.size() + come.size() > 1 && (has_repeats(gone) || has_repeats(come))) return nb::none();
        return changed(gone, come, version_.num_nodes, labels_, threads);
    }

    // None if that is too much to do.
    nb::object change(Int32Pairs added, Int32Pairs removed, std::int64_t num_nodes, std::optional<Int32s> labels,
                      int threads) const {
        Pairs gone, come;
        for (std::size_t i = 0; i < removed.shape(0); ++i)
            gone.emplace_back(removed.data()[2 * i], removed.data()[2 * i + 1]);
        for (std::size_t i = 0; i < added.shape(0); ++i)
            come.emplace_back(added.data()[2 * i], added.data()[2 * i + 1]);
        return changed(gone, come, num_nodes, std::move(labels), threads);
    }

    // The entries (column, count) of a row that differs from the start's, or None.
    nb::object row(std::int64_t row) const {
        const std::ptrdiff_t at = version_.rows.find(row);
        if (at < 0) return nb::none();
        KeyBook book = version_.book(shared_->start);
        book.rank_columns();
        RowEntries entries;
        PatchedTable(shared_->start.table, version_.rows).load_whole(row, at, book, entries);
        nb::list found;
        for (const auto& [column, count] : entries) found.append(nb::make_tuple(column, count));
        return found;
    }

    RowPatch whole_rows() const {
        KeyBook book = version_.book(shared_->start);
        book.rank_columns();
        return PatchedTable(shared_->start.table, version_.rows).whole(book);
    }

    bool is_heavy() const { return static_cast<std::int64_t>(version_.rows.columns.size()) > shared_->max_patch; }
    const Version& version() const { return version_; }

private:
    nb::object changed(const Pairs& gone, const Pairs& come, std::int64_t num_nodes, std::optional<Int32s> labels,
                       int threads) const {
        std::optional<Version> next;
        {
            nb::gil_scoped_release released;
            next = version_.changed(shared_->start, gone, come, num_nodes, labels ? labels->data() : nullptr, threads);
        }
        if (!next) return nb::none();
        return nb::cast(SharedVersion(shared_, std::move(labels), std::move(*next)));
    }

    std::shared_ptr<const SharedStart> shared_;
    std::optional<Int32s> labels_;
    Version version_;
};

SharedVersion first_version(Int64s indptr, Int32s indices, Indices row_indptr, Indices columns, Int32s counts,
                            Int64Rows keys, Int64s radii, const std::string& degrees, bool frontier_edges,
                            std::int64_t max_degree, bool log_bins, std::optional<Int32s> labels,
                            std::optional<Int64s> roots, nb::object numbers, std::int64_t limit, std::int64_t max_patch,
                            bool is_plain) {
    auto shared = std::make_shared<SharedStart>(SharedStart{indptr, indices, row_indptr, columns, counts, keys, radii,
                                                            roots, std::move(numbers), max_patch, is_plain});
    Start& start = shared->start;
    start.graph = {indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1};
    start.table.num_rows = static_cast<std::int64_t>(row_indptr.shape(0)) - 1;
    take(row_indptr, start.table.narrow, start.table.wide);
    take(columns, start.table.narrow_columns, start.table.wide_columns);
    start.table.counts = counts.data();
    start.radii = {radii.data(), radii.size()};
    const Degrees kind = degrees == "total" ? Degrees::total : degrees == "layered" ? Degrees::layered : Degrees::full;
    start.each = {0, kind, frontier_edges, max_degree, nullptr, true};
    start.log_bins = log_bins;
    start.keys = keys.data();
    start.num_keys = static_cast<std::int64_t>(keys.shape(0));
    start.width = static_cast<int>(keys.shape(1));
    if (roots) start.roots = {roots->data(), roots->size()};
    start.limit = limit;
    return SharedVersion(std::move(shared), std::move(labels), Version{start.graph.num_nodes, {}, {}, {}});
}

nb::tuple arrays_of(RowPatch patch) {
    return nb::make_tuple(as_array(std::move(patch.rows)), as_array(std::move(patch.indptr)),
                          as_array(std::move(patch.columns)), as_array(std::move(patch.counts)));
}

nb::tuple arrays_of(ListPatch patch) {
    return nb::make_tuple(as_array(std::move(patch.owners)), as_array(std::move(patch.indptr)),
                          as_array(std::move(patch.indices)));
}

}  // namespace

void bind_update(nb::module_& module) {
    nb::class_<SharedVersion>(module, "Version")
        .def("change_plain", &SharedVersion::change_plain, "added"_a, "removed"_a, "threads"_a)
        .def("change", &SharedVersion::change, "added"_a.noconvert(), "removed"_a.noconvert(), "num_nodes"_a,
             "labels"_a.noconvert().none(), "threads"_a)
        .def("row", &SharedVersion::row, "row"_a)
        .def("is_heavy", &SharedVersion::is_heavy)
        .def("num_nodes", [](const SharedVersion& self) { return self.version().num_nodes; })
        .def("lists", [](const SharedVersion& self) { return arrays_of(self.version().lists); })
        .def("whole_rows", [](const SharedVersion& self) { return arrays_of(self.whole_rows()); })
        .def("extra_keys", [](const SharedVersion& self) { return as_array(self.version().extra_keys); });
    module.def("first_version", &first_version, "indptr"_a.noconvert(), "indices"_a.noconvert(),
               "row_indptr"_a.noconvert(), "columns"_a.noconvert(), "counts"_a.noconvert(), "keys"_a.noconvert(),
               "radii"_a.noconvert(), "degrees"_a, "frontier_edges"_a, "max_degree"_a, "log_bins"_a,
               "labels"_a.noconvert().none(), "roots"_a.noconvert().none(), "numbers"_a.none(), "limit"_a,
               "max_patch"_a, "is_plain"_a);
}
