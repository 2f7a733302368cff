#include "nested/nested.hpp"

#include <algorithm>
#include <numeric>

namespace egonet {

namespace {

bool lexicographic(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// The first three (key, count) entries of a histogram in 63 bits, such that a smaller prefix means a smaller
// histogram and equal prefixes say nothing. A number too large for its field fills it and ends the prefix.
std::uint64_t prefix_of(std::span<const std::int32_t> histogram) {
    constexpr std::int32_t last_key = (1 << 16) - 2, last_count = (1 << 5) - 1;
    std::uint64_t prefix = 0;
    for (std::size_t entry = 0; entry < 3; ++entry) {
        prefix <<= 21;
        if (2 * entry >= histogram.size()) continue;
        const std::int32_t key = histogram[2 * entry], count = histogram[2 * entry + 1];
        const bool fits = key < last_key && count < last_count;
        prefix |= std::uint64_t(std::min(key, last_key) + 1) << 5;
        if (key < last_key) prefix |= std::uint64_t(std::min(count, last_count));
        if (!fits) return prefix << 21 * (2 - entry);
    }
    return prefix;
}

}  // namespace

std::int32_t HistogramPen::finish() {
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
    const Renumbering keys = sort_keys(result.histograms);
    SequenceTable merged;
    const Renumbering merging = merge_histograms(job, keys, merged);
    const std::vector<std::int32_t> ranks = sort_histograms(merged, result.histograms);
    result.rows = count_rows(merging, ranks);
    result.rows.num_columns = result.histograms.num_rows;
    return result;
}

// Numbers the keys of all workers in lexicographic order and writes them to the result.
NestedRows::Renumbering NestedRows::sort_keys(Result& histograms) const {
    SequenceTable all;
    Renumbering renumbering(pens_.size());
    for (std::size_t worker = 0; worker < pens_.size(); ++worker) {
        const SequenceTable& keys = pens_[worker].keys();
        for (std::int32_t key = 0; key < keys.size(); ++key) renumbering[worker].push_back(all.intern(keys[key]));
    }
    std::vector<std::int32_t> order(all.size()), rank(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return lexicographic(all[a], all[b]); });
    histograms.width = width_;
    histograms.num_columns = all.size();
    histograms.keys = make_buffer<std::int64_t>(std::int64_t{all.size()} * width_);
    for (std::int32_t place = 0; place < all.size(); ++place) {
        rank[order[place]] = place;
        std::copy_n(all[order[place]].begin(), width_, histograms.keys.get() + std::int64_t{place} * width_);
    }
    for (std::vector<std::int32_t>& numbers : renumbering)
        for (std::int32_t& number : numbers) number = rank[number];
    return renumbering;
}

// Writes each worker's histograms in the common numbering of keys, and finds those that several workers met.
NestedRows::Renumbering NestedRows::merge_histograms(Job& job, const Renumbering& keys, SequenceTable& merged) const {
    std::vector<SequenceTable> recoded(pens_.size());
    run_blocks(job, static_cast<std::int64_t>(pens_.size()), [&](int) {
        return [&](std::int64_t worker) {
            const SequenceTable& histograms = pens_[worker].histograms();
            std::vector<std::pair<std::int32_t, std::int32_t>> entries;
            for (std::int32_t number = 0; number < histograms.size(); ++number) {
                const std::span<const std::int32_t> sequence = histograms[number];
                entries.clear();
                for (std::size_t i = 0; i < sequence.size(); i += 2)
                    entries.emplace_back(keys[worker][sequence[i]], sequence[i + 1]);
                std::sort(entries.begin(), entries.end());
                recoded[worker].intern({entries.empty() ? nullptr : &entries[0].first, sequence.size()});
            }
        };
    });
    Renumbering renumbering(pens_.size());
    for (std::size_t worker = 0; worker < pens_.size(); ++worker) {
        renumbering[worker].resize(recoded[worker].size());
        if (worker == 0) {
            std::iota(renumbering[0].begin(), renumbering[0].end(), 0);
            merged = std::move(recoded[0]);
            continue;
        }
        for (std::int32_t number = 0; number < recoded[worker].size(); ++number)
            renumbering[worker][number] = merged.intern(recoded[worker][number]);
        recoded[worker] = SequenceTable();
    }
    return renumbering;
}

// Orders the histograms lexicographically, writes them to the result and returns each one's place.
std::vector<std::int32_t> NestedRows::sort_histograms(const SequenceTable& merged, Result& histograms) const {
    struct Item {
        std::uint64_t prefix;
        std::int32_t number;
    };
    std::vector<Item> items(merged.size());
    for (std::int32_t number = 0; number < merged.size(); ++number) items[number] = {prefix_of(merged[number]), number};
    std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
        return a.prefix != b.prefix ? a.prefix < b.prefix : lexicographic(merged[a.number], merged[b.number]);
    });
    histograms.num_rows = merged.size();
    histograms.num_entries = merged.num_words() / 2;
    histograms.indptr = make_buffer<std::int64_t>(histograms.num_rows + 1);
    histograms.columns = make_buffer<std::int32_t>(histograms.num_entries);
    histograms.counts = make_buffer<std::int32_t>(histograms.num_entries);
    std::vector<std::int32_t> ranks(items.size());
    std::int64_t entry = 0;
    histograms.indptr[0] = 0;
    for (std::size_t place = 0; place < items.size(); ++place) {
        ranks[items[place].number] = static_cast<std::int32_t>(place);
        const std::span<const std::int32_t> sequence = merged[items[place].number];
        for (std::size_t i = 0; i < sequence.size(); i += 2, ++entry) {
            histograms.columns[entry] = sequence[i];
            histograms.counts[entry] = sequence[i + 1];
        }
        histograms.indptr[place + 1] = entry;
    }
    return ranks;
}

// Counts the histograms of every root's pairs.
Result NestedRows::count_rows(const Renumbering& merging, const std::vector<std::int32_t>& ranks) const {
    Result rows;
    rows.num_rows = static_cast<std::int64_t>(pair_ptr_.size()) - 1;
    rows.indptr = make_buffer<std::int64_t>(rows.num_rows + 1);
    rows.indptr[0] = 0;
    std::vector<std::int32_t> columns, counts, found;
    columns.reserve(number_.size());
    counts.reserve(number_.size());
    for (std::int64_t row = 0; row < rows.num_rows; ++row) {
        found.clear();
        for (std::int64_t pair = pair_ptr_[row]; pair < pair_ptr_[row + 1]; ++pair)
            found.push_back(ranks[merging[worker_[pair]][number_[pair]]]);
        std::sort(found.begin(), found.end());
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (i > 0 && found[i] == found[i - 1]) {
                ++counts.back();
            } else {
                columns.push_back(found[i]);
                counts.push_back(1);
            }
        }
        rows.indptr[row + 1] = static_cast<std::int64_t>(columns.size());
    }
    rows.num_entries = static_cast<std::int64_t>(columns.size());
    rows.columns = make_buffer<std::int32_t>(rows.num_entries);
    rows.counts = make_buffer<std::int32_t>(rows.num_entries);
    std::copy(columns.begin(), columns.end(), rows.columns.get());
    std::copy(counts.begin(), counts.end(), rows.counts.get());
    return rows;
}

}  // namespace egonet
