// The rows of a few nodes at a time: what searches need is kept from one call to the next.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/keys.hpp"
#include "core/rows.hpp"
#include "core/tally.hpp"
#include "encode/source.hpp"
#include "temporal/replay.hpp"
#include "temporal/window_graph.hpp"

namespace egonet {

// The codes of one row with their counts, in increasing order.
using CodeCounts = std::vector<std::pair<std::int64_t, std::int32_t>>;

// Appends the row of a root to `row`.
class RowSearch {
public:
    virtual ~RowSearch() = default;
    virtual void append(std::int32_t root, CodeCounts& row) = 0;
};

template <class Search, class Tally>
class KeptSearch final : public RowSearch {
public:
    KeptSearch(const WindowArcs& graph, const Settings& settings, const KeyCodec& codec)
        : tally_(codec.range()), search_(make_search<Search>(graph, settings, codec, tally_)) {}

    void append(std::int32_t root, CodeCounts& row) override {
        search_(root);
        tally_.drain([&](std::int32_t column, std::int32_t count) { row.emplace_back(code_of(column), count); });
    }

private:
    std::int64_t code_of(std::int32_t column) const {
        if constexpr (requires { Tally::max_range; }) return column;
        else return tally_.codes()[column];
    }

    Tally tally_;
    Search search_;
};

// Reads rows of one graph with one set of settings; the same bytes as `window_rows`. Not for several threads at once.
class RowReader {
public:
    RowReader(const WindowArcs& graph, const Settings& settings, Counted counted)
        : graph_(graph), settings_(settings), counted_(counted) {}
    RowReader(const RowReader&) = delete;
    RowReader& operator=(const RowReader&) = delete;

    // `labels` has a label for every node, none larger than `largest_label`; null: keys have no label.
    Result read(const std::vector<std::int64_t>& roots, const std::int32_t* labels, std::int64_t largest_label) {
        prepare(labels, largest_label);
        entries_.clear();
        codes_.clear();
        Result result;
        result.num_rows = std::ssize(roots);
        result.indptr = make_buffer<std::int64_t>(result.num_rows + 1);
        result.indptr[0] = 0;
        for (std::int64_t row = 0; row < result.num_rows; ++row) {
            search_->append(static_cast<std::int32_t>(roots[row]), entries_);
            result.indptr[row + 1] = std::ssize(entries_);
        }
        number_columns(result);
        return result;
    }

private:
    // Allocates the scratch again when the graph has outgrown it. Degrees are rounded up, so this is rare.
    void prepare(const std::int32_t* labels, std::int64_t largest_label) {
        const auto largest = static_cast<std::int64_t>(
            std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(largest_of(graph_, counted_), 16))));
        const bool same_labels = labels == settings_.labels && largest_label == largest_label_;
        if (search_ && largest == largest_ && graph_.num_nodes() == num_nodes_ && same_labels) return;
        search_.reset();  // it refers to the codec
        settings_.labels = labels;
        largest_label_ = largest_label;
        try {
            codec_.emplace(largest, graph_.num_nodes(), settings_, largest_label);
        } catch (const TooLarge&) {  // the degree itself may still fit
            codec_.emplace(largest_of(graph_, counted_), graph_.num_nodes(), settings_, largest_label);
        }
        if (codec_->range() <= most_dense) make<DenseTally>();
        else make<CodeTally>();
        largest_ = codec_->largest_degree();
        num_nodes_ = graph_.num_nodes();
    }

    template <class Tally>
    void make() {
        with_search<Tally>(settings_.degrees, counted_, [&]<class Search>() {
            search_ = std::make_unique<KeptSearch<Search, Tally>>(graph_, settings_, *codec_);
        });
    }

    // Numbers the codes that occur, in increasing order, and writes the entries with these numbers.
    void number_columns(Result& result) {
        for (const auto& entry : entries_) codes_.push_back(entry.first);
        std::sort(codes_.begin(), codes_.end());
        codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
        result.num_entries = std::ssize(entries_);
        result.num_columns = std::ssize(codes_);
        result.width = codec_->width();
        result.columns = make_buffer<std::int32_t>(result.num_entries);
        result.counts = make_buffer<std::int32_t>(result.num_entries);
        result.keys = make_buffer<std::int64_t>(result.num_columns * result.width);
        for (std::int64_t i = 0; i < result.num_entries; ++i) {
            const auto found = std::lower_bound(codes_.begin(), codes_.end(), entries_[i].first);
            result.columns[i] = static_cast<std::int32_t>(found - codes_.begin());
            result.counts[i] = entries_[i].second;
        }
        for (std::int64_t c = 0; c < result.num_columns; ++c)
            codec_->decode(codes_[c], result.keys.get() + c * result.width);
    }

    static constexpr std::int64_t most_dense = 1 << 14;  // above, the tables of a tally leave the fastest cache

    const WindowArcs& graph_;
    Settings settings_;
    Counted counted_;
    std::optional<KeyCodec> codec_;
    std::unique_ptr<RowSearch> search_;
    std::int64_t largest_ = -1, num_nodes_ = -1, largest_label_ = 0;
    CodeCounts entries_;
    std::vector<std::int64_t> codes_;
};

}  // namespace egonet
