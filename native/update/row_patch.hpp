// Rows that differ from those of a table, and how an update changes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "update/update.hpp"

namespace egonet {

// Row i of the patch replaces row rows[i] of the table, or is added to it if partial[i]; then its counts may
// be negative. `rows` is increasing.
struct RowPatch {
    std::vector<std::int64_t> rows, indptr{0};
    std::vector<std::uint8_t> partial;
    std::vector<std::int32_t> columns, counts;

    // Reserves this many more rows, most of them short.
    void reserve(std::size_t num_rows) {
        rows.reserve(num_rows);
        indptr.reserve(num_rows + 1);
        partial.reserve(num_rows);
        columns.reserve(4 * num_rows);
        counts.reserve(4 * num_rows);
    }

    void append(std::int64_t row, const RowEntries& entries, bool is_partial) {
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

    // The place of a row in the patch, or -1.
    std::ptrdiff_t find(std::int64_t row) const {
        const auto at = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
        return at < std::ssize(rows) && rows[at] == row ? at : -1;
    }
};

// The rows of a version: those of the table, with the patch where it has them.
class PatchedTable {
public:
    PatchedTable(const RowTable& table, const RowPatch& patch) : table_(table), patch_(patch) {}

    // What the patch has at a place.
    void load_patch(std::ptrdiff_t at, RowEntries& entries) const {
        const std::int64_t begin = patch_.indptr[at];
        entries.resize(patch_.indptr[at + 1] - begin);
        for (std::size_t i = 0; i < entries.size(); ++i)
            entries[i] = {patch_.columns[begin + i], patch_.counts[begin + i]};
    }

    // A whole row; `at` is its place in the patch, or -1.
    void load_whole(std::int64_t row, std::ptrdiff_t at, const KeyBook& book, RowEntries& entries) const {
        entries.clear();
        if (at >= 0 && !patch_.partial[at]) return load_patch(at, entries);
        if (row < table_.num_rows) {
            const std::int64_t begin = table_.begin(row);
            entries.resize(table_.begin(row + 1) - begin);
            for (std::size_t i = 0; i < entries.size(); ++i)
                entries[i] = {table_.column(begin + i), table_.counts[begin + i]};
        }
        if (at < 0) return;
        for (std::int64_t i = patch_.indptr[at]; i < patch_.indptr[at + 1]; ++i)
            add_to(entries, book, patch_.columns[i], patch_.counts[i]);
    }

    // The patch with all its rows whole.
    RowPatch whole(const KeyBook& book) const {
        RowPatch whole;
        RowEntries entries;
        for (std::size_t at = 0; at < patch_.rows.size(); ++at) {
            load_whole(patch_.rows[at], static_cast<std::ptrdiff_t>(at), book, entries);
            whole.append(patch_.rows[at], entries, false);
        }
        return whole;
    }

    // The patch after an update; roots[row] is the node of a row, or row v is node v if there are none.
    RowPatch after(const Update& update, const KeyBook& book,
                   const std::optional<std::span<const std::int64_t>>& roots) const {
        RowPatch patch;
        RowEntries entries;
        std::size_t next = 0;
        // After each call the patch holds every row before the given one that differs.
        const auto keep_until = [&](std::int64_t row) {
            for (; next < patch_.rows.size() && patch_.rows[next] < row; ++next) {
                load_patch(next, entries);
                patch.append(patch_.rows[next], entries, patch_.partial[next]);
            }
        };
        const std::vector<Update::Touched> touched = update.touched();
        patch.reserve(patch_.rows.size() + touched.size());
        const auto change = [&](std::int64_t row, const Update::Touched& one) {
            keep_until(row);
            const bool exists = next < patch_.rows.size() && patch_.rows[next] == row;
            const std::ptrdiff_t at = exists ? static_cast<std::ptrdiff_t>(next) : -1;
            next += exists;
            const bool is_partial = (exists ? bool(patch_.partial[at]) : row < table_.num_rows) && !one.is_renewed;
            if (is_partial && exists) load_patch(at, entries);
            else if (is_partial || update.is_whole(one)) entries.clear();
            else load_whole(row, at, book, entries);
            update.apply(one, entries);
            patch.append(row, entries, is_partial);
        };
        for_each_row(touched, roots, change);
        keep_until(INT64_MAX);
        return patch;
    }

private:
    // Calls change(row, touched) for the rows of touched roots, increasing.
    template <class Change>
    static void for_each_row(const std::vector<Update::Touched>& touched,
                             const std::optional<std::span<const std::int64_t>>& roots, const Change& change) {
        if (!roots) {
            for (const Update::Touched& one : touched) change(one.root, one);
            return;
        }
        const auto before = [](const Update::Touched& one, std::int64_t root) { return one.root < root; };
        for (std::size_t row = 0; row < roots->size(); ++row) {
            const auto at = std::lower_bound(touched.begin(), touched.end(), (*roots)[row], before);
            if (at != touched.end() && at->root == (*roots)[row]) change(static_cast<std::int64_t>(row), *at);
        }
    }

    const RowTable& table_;
    const RowPatch& patch_;
};

}  // namespace egonet
