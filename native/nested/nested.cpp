#include "nested/nested.hpp"

#include <algorithm>

#include "core/column_numbers.hpp"
#include "core/parallel.hpp"

namespace egonet {

namespace {

template <class Number>
bool lexicographic(std::span<const Number> a, std::span<const Number> b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

std::int32_t key_of(std::uint64_t entry) { return static_cast<std::int32_t>(entry >> 32); }
std::int32_t count_of(std::uint64_t entry) { return static_cast<std::int32_t>(entry); }

// The first three (key, count) entries of a histogram in 63 bits, such that a smaller prefix means a smaller
// histogram and equal prefixes say nothing. A number too large for its field fills it and ends the prefix.
std::uint64_t prefix_of(std::span<const std::uint64_t> histogram) {
    constexpr std::int32_t last_key = (1 << 16) - 2, last_count = (1 << 5) - 1;
    std::uint64_t prefix = 0;
    for (std::size_t entry = 0; entry < 3; ++entry) {
        prefix <<= 21;
        if (entry >= histogram.size()) continue;
        const std::int32_t key = key_of(histogram[entry]), count = count_of(histogram[entry]);
        const bool fits = key < last_key && count < last_count;
        prefix |= std::uint64_t(std::min(key, last_key) + 1) << 5;
        if (key < last_key) prefix |= std::uint64_t(std::min(count, last_count));
        if (!fits) return prefix << 21 * (2 - entry);
    }
    return prefix;
}

// The same for keys, of which all have as many fields: four fields of 16 bits.
std::uint64_t prefix_of_key(std::span<const std::int32_t> key) {
    constexpr std::int32_t last_value = (1 << 16) - 1;
    std::uint64_t prefix = 0;
    bool fits = true;
    for (std::size_t field = 0; field < 4; ++field) {
        const std::int32_t value = fits && field < key.size() ? std::min(key[field], last_value) : 0;
        fits = fits && value < last_value;
        prefix = prefix << 16 | std::uint64_t(value);
    }
    return prefix;
}

// How many histograms make a block of work, if `count` of them have `num_entries` entries together.
std::int64_t block_length(std::int64_t count, std::int64_t num_entries) {
    return std::clamp<std::int64_t>(count * 4096 / (num_entries + 1), 1, 4096);
}

}  // namespace

std::int32_t HistogramBuilder::finish() {
    std::sort(entries_.begin(), entries_.end());
    words_.clear();
    // Before each step words_ holds the finished entries, and i is the first of the next key.
    for (std::size_t i = 0; i < entries_.size();) {
        std::size_t next = i + 1;
        while (next < entries_.size() && entries_[next] == entries_[i]) ++next;
        words_.push_back(entries_[i]);
        words_.push_back(static_cast<std::int32_t>(next - i));
        i = next;
    }
    last_.swap(entries_);
    entries_.clear();
    return histograms_.intern(words_);
}

NestedResult NestedRows::assemble(Job& job) {
    NestedResult result;
    const Histograms all = recode(job, sort_keys(job, result.histograms));
    const Buffer<std::int32_t> columns = sort_histograms(job, all, result.histograms);
    result.rows = count_rows(job, all, columns);
    result.rows.num_columns = result.histograms.num_rows;
    return result;
}

// Numbers the keys of all workers in lexicographic order and writes them to the result.
NestedRows::Renumbering NestedRows::sort_keys(Job& job, Result& histograms) const {
    struct Item {
        std::uint64_t prefix;
        std::int32_t worker, key;
    };
    Renumbering renumbering(builders_.size());
    std::vector<std::int64_t> first;
    for (const HistogramBuilder& builder : builders_) first.push_back(builder.keys().size());
    const std::int64_t count = sum_before(first);
    auto items = make_buffer<Item>(count);
    for_parts(job, count > 1 << 12, std::ssize(builders_), [&](std::int64_t worker) {
        const SequenceTable& keys = builders_[worker].keys();
        renumbering[worker].resize(keys.size());
        for (std::int32_t key = 0; key < keys.size(); ++key)
            items[first[worker] + key] = {prefix_of_key(keys[key]), static_cast<std::int32_t>(worker), key};
    });
    const auto key_of_item = [&](const Item& item) { return builders_[item.worker].keys()[item.key]; };
    const SortedParts sorted(job, std::move(items), count, 512, [&](const Item& a, const Item& b) {
        return a.prefix != b.prefix ? a.prefix < b.prefix : lexicographic(key_of_item(a), key_of_item(b));
    });
    histograms.width = width_;
    histograms.num_columns = checked_columns(sorted.num_distinct());
    histograms.keys = make_buffer<std::int64_t>(histograms.num_columns * width_);
    sorted.for_items([&](const Item& item, std::int64_t number) {
        renumbering[item.worker][item.key] = static_cast<std::int32_t>(number);
        std::copy_n(key_of_item(item).begin(), width_, histograms.keys.get() + number * width_);
    });
    return renumbering;
}

// Writes the workers' histograms in the common numbering of keys and drops their tables.
NestedRows::Histograms NestedRows::recode(Job& job, const Renumbering& keys) {
    Histograms all;
    std::vector<std::int64_t> first_entry;
    for (const HistogramBuilder& builder : builders_) {
        all.first.push_back(builder.histograms().size());
        first_entry.push_back(builder.histograms().num_words() / 2);
    }
    all.count = sum_before(all.first);
    const std::int64_t num_entries = sum_before(first_entry);
    all.begin = make_touched_buffer<std::int64_t>(job, all.count + 1);
    all.entries = make_touched_buffer<std::uint64_t>(job, num_entries);
    all.begin[all.count] = num_entries;
    for_ranges(job, all.count, block_length(all.count, num_entries), [&](std::int64_t begin, std::int64_t end) {
        std::int64_t worker = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            while (worker + 1 < std::ssize(builders_) && i >= all.first[worker + 1]) ++worker;
            const SequenceTable& table = builders_[worker].histograms();
            const auto number = static_cast<std::int32_t>(i - all.first[worker]);
            const std::span<const std::int32_t> words = table[number];
            all.begin[i] = first_entry[worker] + table.begin(number) / 2;
            std::uint64_t* entries = all.entries.get() + all.begin[i];
            for (std::size_t w = 0; w < words.size(); w += 2)
                entries[w / 2] = std::uint64_t(keys[worker][words[w]]) << 32 | std::uint64_t(words[w + 1]);
            std::sort(entries, entries + words.size() / 2);
        }
    });
    for_parts(job, num_entries > 1 << 16, std::ssize(builders_),
              [&](std::int64_t worker) { builders_[worker].clear(); });
    return all;
}

// Orders the distinct histograms lexicographically, writes them to the result and returns the column of each one.
Buffer<std::int32_t> NestedRows::sort_histograms(Job& job, const Histograms& all, Result& histograms) const {
    struct Item {
        std::uint64_t prefix;
        std::int64_t number;
    };
    auto items = make_touched_buffer<Item>(job, all.count);
    for_ranges(job, all.count, 4096, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) items[i] = {prefix_of(all[i]), i};
    });
    const SortedParts sorted(job, std::move(items), all.count, 256, [&](const Item& a, const Item& b) {
        return a.prefix != b.prefix ? a.prefix < b.prefix : lexicographic(all[a.number], all[b.number]);
    });
    histograms.num_rows = checked_columns(sorted.num_distinct());
    histograms.indptr = make_buffer<std::int64_t>(histograms.num_rows + 1);
    histograms.indptr[0] = 0;
    auto columns = make_buffer<std::int32_t>(all.count);
    const auto source = make_buffer<std::int64_t>(histograms.num_rows);
    sorted.for_items([&](const Item& item, std::int64_t column) {
        columns[item.number] = static_cast<std::int32_t>(column);
        source[column] = item.number;
        histograms.indptr[column + 1] = std::ssize(all[item.number]);
    });
    sum_up(job, histograms.indptr.get() + 1, histograms.num_rows);
    histograms.num_entries = histograms.indptr[histograms.num_rows];
    histograms.columns = make_touched_buffer<std::int32_t>(job, histograms.num_entries);
    histograms.counts = make_touched_buffer<std::int32_t>(job, histograms.num_entries);
    const std::int64_t length = block_length(histograms.num_rows, histograms.num_entries);
    for_ranges(job, histograms.num_rows, length, [&](std::int64_t first, std::int64_t last) {
        std::int64_t entry = histograms.indptr[first];
        for (std::int64_t column = first; column < last; ++column)
            for (const std::uint64_t value : all[source[column]]) {
                histograms.columns[entry] = key_of(value);
                histograms.counts[entry++] = count_of(value);
            }
    });
    return columns;
}

// Counts the histograms of every root's pairs. The numbers of the pairs become columns, sorted within each row.
Result NestedRows::count_rows(Job& job, const Histograms& all, const Buffer<std::int32_t>& columns) {
    Result rows;
    rows.num_rows = std::ssize(pair_ptr_) - 1;
    rows.indptr = make_buffer<std::int64_t>(rows.num_rows + 1);
    rows.indptr[0] = 0;
    const auto is_new = [&](std::int64_t row, std::int64_t pair) {
        return pair == pair_ptr_[row] || number_[pair] != number_[pair - 1];
    };
    const auto for_rows = [&](auto work) {
        for_ranges(job, rows.num_rows, 128, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = first; row < last; ++row) work(row, pair_ptr_[row], pair_ptr_[row + 1]);
        });
    };
    for_rows([&](std::int64_t row, std::int64_t begin, std::int64_t end) {
        for (std::int64_t pair = begin; pair < end; ++pair)
            number_[pair] = columns[all.first[worker_[pair]] + number_[pair]];
        std::sort(number_.begin() + begin, number_.begin() + end);
        std::int64_t size = 0;
        for (std::int64_t pair = begin; pair < end; ++pair) size += is_new(row, pair);
        rows.indptr[row + 1] = size;
    });
    sum_up(job, rows.indptr.get() + 1, rows.num_rows);
    rows.num_entries = rows.indptr[rows.num_rows];
    rows.columns = make_touched_buffer<std::int32_t>(job, rows.num_entries);
    rows.counts = make_touched_buffer<std::int32_t>(job, rows.num_entries);
    for_rows([&](std::int64_t row, std::int64_t begin, std::int64_t end) {
        std::int64_t entry = rows.indptr[row] - 1;
        for (std::int64_t pair = begin; pair < end; ++pair) {
            if (is_new(row, pair)) rows.columns[++entry] = number_[pair], rows.counts[entry] = 0;
            ++rows.counts[entry];
        }
    });
    return rows;
}

}  // namespace egonet
