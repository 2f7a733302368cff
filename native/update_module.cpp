// The Python face of updates: the rows and lists that differ from an earlier version go in and come out as arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <thread>

#include "update.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet;

namespace {

using Int32s = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int32Pairs = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Int64Rows = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;

template <class T>
nb::object as_array(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// Rows that differ from those of a table: `rows` rising. Row i of the patch stands for row rows[i], or is to be added
// to it if partial[i]; then its counts may be negative.
struct RowPatch {
    std::vector<std::int64_t> rows, indptr{0};
    std::vector<std::uint8_t> partial;
    std::vector<std::int32_t> columns, counts;

    void append(std::int64_t row, const HeldRow& entries, bool is_partial) {
        rows.push_back(row);
        partial.push_back(is_partial);
        const std::size_t begin = columns.size(), end = begin + entries.size();
        // Grown by half as much again, so that the zeros a vector fills in are written once.
        if (end > columns.capacity()) {
            columns.reserve(end + end / 2);
            counts.reserve(end + end / 2);
        }
        columns.resize(end);
        counts.resize(end);
        for (std::size_t i = begin; i < end; ++i) {
            columns[i] = entries[i - begin].first;
            counts[i] = entries[i - begin].second;
        }
        indptr.push_back(static_cast<std::int64_t>(end));
    }

    nb::tuple arrays() {
        return nb::make_tuple(as_array(std::move(rows)), as_array(std::move(indptr)), as_array(std::move(partial)),
                              as_array(std::move(columns)), as_array(std::move(counts)));
    }
};

// The rows before an update: those of the table, with the patch where it has them.
struct OldRows {
    RowTable table;
    std::span<const std::int64_t> rows, indptr;
    const std::uint8_t* partial;
    const std::int32_t* columns;
    const std::int32_t* counts;

    // The place of a row in the patch, or -1.
    std::ptrdiff_t find(std::int64_t row) const {
        const auto at = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
        return at < std::ssize(rows) && rows[at] == row ? at : -1;
    }

    // What the patch has at a place.
    void load_patch(std::ptrdiff_t at, HeldRow& entries) const {
        entries.resize(indptr[at + 1] - indptr[at]);
        for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {columns[indptr[at] + i], counts[indptr[at] + i]};
    }

    // A whole row; `at` is its place in the patch.
    void load_whole(std::int64_t row, std::ptrdiff_t at, const KeyBook& book, HeldRow& entries) const {
        entries.clear();
        if (at >= 0 && !partial[at]) return load_patch(at, entries);
        if (row < table.num_rows) {
            const std::int64_t begin = table.begin(row);
            entries.resize(table.begin(row + 1) - begin);
            for (std::size_t i = 0; i < entries.size(); ++i)
                entries[i] = {table.column(begin + i), table.counts[begin + i]};
        }
        if (at >= 0)
            for (std::int64_t i = indptr[at]; i < indptr[at + 1]; ++i) add_to(entries, book, columns[i], counts[i]);
    }
};

// The row of every touched root that has one, rising, with its place in `touched`.
std::vector<std::pair<std::int64_t, std::size_t>> touched_rows(const std::vector<Update::Touched>& touched,
                                                               const std::optional<Int64s>& roots) {
    std::vector<std::pair<std::int64_t, std::size_t>> found;
    if (!roots) {
        for (std::size_t i = 0; i < touched.size(); ++i) found.emplace_back(touched[i].root, i);
        return found;
    }
    const auto before = [](const Update::Touched& one, std::int64_t root) { return one.root < root; };
    for (std::size_t row = 0; row < roots->size(); ++row) {
        const auto at = std::lower_bound(touched.begin(), touched.end(), roots->data()[row], before);
        if (at != touched.end() && at->root == roots->data()[row]) found.emplace_back(row, at - touched.begin());
    }
    return found;
}

RowPatch merge(const OldRows& old, const Update& update, const KeyBook& book, const std::optional<Int64s>& roots) {
    RowPatch patch;
    HeldRow entries;
    std::size_t next = 0;
    // After each call the patch holds every row before the given one that differs.
    const auto keep_until = [&](std::int64_t row) {
        for (; next < old.rows.size() && old.rows[next] < row; ++next) {
            old.load_patch(next, entries);
            patch.append(old.rows[next], entries, old.partial[next]);
        }
    };
    const std::vector<Update::Touched> touched = update.touched();
    for (const auto& [row, place] : touched_rows(touched, roots)) {
        keep_until(row);
        if (next < old.rows.size() && old.rows[next] == row) ++next;
        const std::ptrdiff_t at = old.find(row);
        const bool is_partial = (at < 0 ? row < old.table.num_rows : bool(old.partial[at])) &&
                                !touched[place].is_renewed;
        if (!is_partial)
            old.load_whole(row, at, book, entries);
        else if (at >= 0)
            old.load_patch(at, entries);
        else
            entries.clear();
        update.apply(touched[place], entries);
        patch.append(row, entries, is_partial);
    }
    keep_until(INT64_MAX);
    return patch;
}

nb::tuple list_patch(const PatchedGraph& graph) {
    std::vector<std::int32_t> owners = graph.owners(), indices;
    std::vector<std::int64_t> indptr{0};
    for (std::int32_t v : owners) {
        const auto list = graph.neighbours(v);
        indices.insert(indices.end(), list.begin(), list.end());
        indptr.push_back(static_cast<std::int64_t>(indices.size()));
    }
    return nb::make_tuple(as_array(std::move(owners)), as_array(std::move(indptr)), as_array(std::move(indices)));
}

const Settings settings_of(const std::string& degrees, bool frontier_edges, std::int64_t max_degree,
                           const std::optional<Int32s>& labels) {
    const Degrees kind = degrees == "total" ? Degrees::total : degrees == "layered" ? Degrees::layered : Degrees::full;
    return {0, kind, frontier_edges, max_degree, labels ? labels->data() : nullptr, true};
}

void take(const Indices& array, const std::int32_t*& narrow, const std::int64_t*& wide) {
    if (array.dtype() == nb::dtype<std::int32_t>())
        narrow = static_cast<const std::int32_t*>(array.data());
    else if (array.dtype() == nb::dtype<std::int64_t>())
        wide = static_cast<const std::int64_t*>(array.data());
    else
        throw nb::type_error("row pointers and columns must be int32 or int64.");
}

RowTable table_of(const Indices& indptr, const Indices& columns, const Int32s& counts) {
    RowTable table;
    table.num_rows = static_cast<std::int64_t>(indptr.shape(0)) - 1;
    take(indptr, table.narrow, table.wide);
    take(columns, table.narrow_columns, table.wide_columns);
    table.counts = counts.data();
    return table;
}

// None if more than `limit` roots, with repeats, would be touched.
nb::object update_rows(Int64s indptr, Int32s indices, std::int64_t num_nodes, Int32s list_owners, Int64s list_indptr,
                       Int32s list_indices, Int32Pairs removed, Int32Pairs added, Int64s radii,
                       const std::string& degrees, bool frontier_edges, std::int64_t max_degree, bool log_bins,
                       std::optional<Int32s> labels, Int64Rows keys, Int64Rows extra_keys, Indices row_indptr,
                       Indices columns, Int32s counts, Int64s patch_rows, Int64s patch_indptr, Bytes patch_partial,
                       Int32s patch_columns, Int32s patch_counts, std::optional<Int64s> roots, std::int64_t num_old_nodes,
                       std::int64_t limit, int threads) {
    PatchedGraph graph({indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1}, num_nodes);
    for (std::size_t i = 0; i < list_owners.size(); ++i)
        graph.replace(list_owners.data()[i], {list_indices.data() + list_indptr.data()[i],
                                              list_indices.data() + list_indptr.data()[i + 1]});
    const UpdateSettings settings{{radii.data(), radii.size()},
                                  settings_of(degrees, frontier_edges, max_degree, labels), log_bins};
    const int width = static_cast<int>(keys.shape(1));
    KeyBook book(keys.data(), static_cast<std::int64_t>(keys.shape(0)), extra_keys.data(),
                 static_cast<std::int64_t>(extra_keys.shape(0)), width, settings.radii);
    const OldRows old{table_of(row_indptr, columns, counts), {patch_rows.data(), patch_rows.size()},
                      {patch_indptr.data(), patch_indptr.size()}, patch_partial.data(), patch_columns.data(),
                      patch_counts.data()};
    Update update(graph, settings, book);
    RowPatch patch;
    {
        nb::gil_scoped_release released;
        for (std::int64_t v = num_old_nodes; v < num_nodes; ++v) update.renew(static_cast<std::int32_t>(v));
        const auto within = [&] { return update.num_touched() <= limit; };
        for (std::size_t i = 0; i < removed.shape(0) && within(); ++i)
            update.erase(removed.data()[2 * i], removed.data()[2 * i + 1]);
        for (std::size_t i = 0; i < added.shape(0) && within(); ++i)
            update.insert(added.data()[2 * i], added.data()[2 * i + 1]);
        if (within()) {
            update.finish(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
            patch = merge(old, update, book, roots);
        }
    }
    if (update.num_touched() > limit) return nb::none();
    std::vector<std::int64_t> extra;
    for (const Key& key : book.extra()) extra.insert(extra.end(), key.begin(), key.begin() + width);
    return nb::make_tuple(list_patch(graph), as_array(std::move(extra)),
                          patch.arrays());
}

// The rows of a patch, all of them whole.
nb::object complete_rows(Int64s radii, Int64Rows keys, Int64Rows extra_keys, Indices row_indptr, Indices columns,
                         Int32s counts, Int64s patch_rows, Int64s patch_indptr, Bytes patch_partial,
                         Int32s patch_columns, Int32s patch_counts) {
    KeyBook book(keys.data(), static_cast<std::int64_t>(keys.shape(0)), extra_keys.data(),
                 static_cast<std::int64_t>(extra_keys.shape(0)), static_cast<int>(keys.shape(1)),
                 {radii.data(), radii.size()});
    book.rank_columns();
    const OldRows old{table_of(row_indptr, columns, counts), {patch_rows.data(), patch_rows.size()},
                      {patch_indptr.data(), patch_indptr.size()}, patch_partial.data(), patch_columns.data(),
                      patch_counts.data()};
    RowPatch whole;
    HeldRow entries;
    for (std::size_t at = 0; at < old.rows.size(); ++at) {
        old.load_whole(old.rows[at], static_cast<std::ptrdiff_t>(at), book, entries);
        whole.append(old.rows[at], entries, false);
    }
    return whole.arrays();
}

}  // namespace

void bind_update(nb::module_& module) {
    module.def("update_rows", &update_rows, "indptr"_a.noconvert(), "indices"_a.noconvert(), "num_nodes"_a,
               "list_owners"_a.noconvert(), "list_indptr"_a.noconvert(), "list_indices"_a.noconvert(),
               "removed"_a.noconvert(), "added"_a.noconvert(), "radii"_a.noconvert(), "degrees"_a,
               "frontier_edges"_a, "max_degree"_a, "log_bins"_a, "labels"_a.noconvert().none(), "keys"_a.noconvert(),
               "extra_keys"_a.noconvert(), "row_indptr"_a.noconvert(), "columns"_a.noconvert(), "counts"_a.noconvert(),
               "patch_rows"_a.noconvert(), "patch_indptr"_a.noconvert(), "patch_partial"_a.noconvert(),
               "patch_columns"_a.noconvert(), "patch_counts"_a.noconvert(), "roots"_a.noconvert().none(), "num_old_nodes"_a, "limit"_a, "threads"_a);
    module.def("complete_rows", &complete_rows, "radii"_a.noconvert(), "keys"_a.noconvert(), "extra_keys"_a.noconvert(),
               "row_indptr"_a.noconvert(), "columns"_a.noconvert(), "counts"_a.noconvert(), "patch_rows"_a.noconvert(),
               "patch_indptr"_a.noconvert(), "patch_partial"_a.noconvert(), "patch_columns"_a.noconvert(),
               "patch_counts"_a.noconvert());
}
