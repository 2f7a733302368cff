// Counts in known columns, written directly to a dense table: for graphs that come one at a time.
//
// A small graph takes a few microseconds to search. Sorting the keys it has, numbering columns by them and putting rows
// together would take longer than that, and is not needed where the columns are those of an earlier encoding.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "columns/mask_search.hpp"
#include "core/adjacency.hpp"
#include "core/graph.hpp"
#include "core/key_book.hpp"
#include "core/keys.hpp"
#include "core/tally.hpp"
#include "core/workers.hpp"
#include "encode/source.hpp"

namespace egonet {

class KnownColumns {
public:
    // keys    (num_columns, width): radius, distance, degree fields
    // counts  what is counted, for every radius; its own radius does not matter
    // binned  degrees are counted as the largest power of two that is no larger
    KnownColumns(const std::int64_t* keys, std::int64_t num_columns, int width, std::vector<std::int64_t> radii,
                 const Settings& counts, bool binned)
        : num_columns_(num_columns), radii_(std::move(radii)), settings_(counts), binned_(binned) {
        for (std::int64_t column = 0; column < num_columns; ++column) {
            Key key{};
            std::copy_n(keys + column * width, width, key.begin());
            columns_.add(key, static_cast<std::int32_t>(column));
        }
        if (settings_.degrees == Degrees::total)
            for (const std::int64_t radius : radii_) near_columns_.push_back(near_columns(radius));
    }

    std::int64_t num_columns() const { return num_columns_; }

    // Whether arcs without their opposites are left to the caller, who warns about them.
    bool both_ways = false;

    // Adds the counts of every node of an undirected graph to its row of `table` (num_nodes, num_columns). False if
    // some key has no column; the table is then worthless.
    bool count(const Graph& graph, float* table) const {
        Job job;
        job.in_line = true;
        for (const std::int64_t radius : radii_) {
            Settings settings = settings_;
            settings.radius = radius;
            const KeyCodec codec(job, graph, settings);
            const bool complete = codec.range() <= most_codes
                                      ? count_one<DenseTally>(job, graph, settings, codec, table)
                                      : count_one<CodeTally>(job, graph, settings, codec, table);
            if (!complete) return false;
        }
        return true;
    }

    // The same from the arcs of a graph that `supports_few` approved: in any order, all within the graph, read as
    // undirected edges.
    bool count_few(const ArcList& arcs, std::int64_t num_nodes, float* table) const {
        if (num_nodes <= 64) return count_masks<1>(arcs, num_nodes, table);
        return num_nodes <= 128 ? count_masks<2>(arcs, num_nodes, table) : count_masks<4>(arcs, num_nodes, table);
    }

    // Whether `count_few` supports graphs of this many nodes.
    bool supports_few(std::int64_t num_nodes) const {
        return num_nodes <= most_nodes && !near_columns_.empty() &&
               *std::max_element(radii_.begin(), radii_.end()) <= most_hops;
    }

private:
    // Graphs with more nodes, and radii with more hops, are not counted by bits.
    static constexpr std::int64_t most_nodes = 256, most_hops = 16;

    // The column of every distance and degree at a radius, one distance after the other.
    std::vector<std::int32_t> near_columns(std::int64_t radius) const {
        std::vector<std::int32_t> found;
        for (std::int64_t distance = 0; distance <= std::min(radius, most_hops); ++distance)
            for (std::int64_t degree = 0; degree < most_nodes; ++degree) {
                Key key{radius, distance, settings_.max_degree < 0 ? degree : std::min(degree, settings_.max_degree)};
                if (binned_) key[2] = bin(key[2]);
                found.push_back(columns_.find(key));
            }
        return found;
    }

    template <int num_words>
    bool count_masks(const ArcList& arcs, std::int64_t num_nodes, float* table) const {
        const MaskSearch<num_words> search(arcs, num_nodes);
        bool complete = true;
        for (std::size_t i = 0; i < radii_.size(); ++i) {
            const std::int32_t* columns_of = near_columns_[i].data();
            const auto add = [&](std::int64_t root, std::int64_t distance, std::int32_t degree) {
                const std::int32_t column = columns_of[distance * most_nodes + degree];
                if (column == unknown) complete = false;
                else table[root * num_columns_ + column] += 1.0f;
            };
            search(radii_[i], settings_.frontier_edges, add);
        }
        return complete;
    }

    static std::int64_t bin(std::int64_t degree) {
        return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(degree)));
    }

    // A table over more codes takes longer to clear than a small graph to search.
    static constexpr std::int64_t most_codes = 4096;
    static constexpr std::int32_t unknown = KeyTable::none;

    template <class Tally>
    bool count_one(Job& job, const Graph& graph, const Settings& settings, const KeyCodec& codec, float* table) const {
        const bool total = settings.degrees == Degrees::total;
        const Adjacency adjacency = make_adjacency(job, graph, total && settings.frontier_edges && settings.radius > 0);
        Tally tally(codec.range());
        return total ? search_all<TotalSearch<Tally>>(adjacency, settings, codec, tally, table)
                     : search_all<LayeredSearch<Tally>>(adjacency, settings, codec, tally, table);
    }

    template <class Search, class Tally>
    bool search_all(const Adjacency& adjacency, const Settings& settings, const KeyCodec& codec, Tally& tally,
                    float* table) const {
        Search search(adjacency, settings, codec, tally);
        std::vector<std::int32_t> columns_of;  // the column of a code, by the number the tally gives it
        bool complete = true;
        for (std::int64_t root = 0; root < adjacency.num_nodes; ++root) {
            search(static_cast<std::int32_t>(root));
            float* row = table + root * num_columns_;
            tally.drain([&](std::int32_t number, std::int32_t count) {
                if (number >= static_cast<std::int32_t>(columns_of.size())) columns_of.resize(2 * number + 64, unknown);
                if (columns_of[number] == unknown)
                    columns_of[number] = find(settings.radius, codec, code_of(tally, number));
                if (columns_of[number] == unknown) complete = false;
                else row[columns_of[number]] += static_cast<float>(count);
            });
            if (!complete) return false;
        }
        return true;
    }

    static std::int64_t code_of(const DenseTally&, std::int32_t number) { return number; }
    static std::int64_t code_of(const CodeTally& tally, std::int32_t number) { return tally.codes()[number]; }

    std::int32_t find(std::int64_t radius, const KeyCodec& codec, std::int64_t code) const {
        Key key{radius};
        codec.decode(code, key.data() + 1);
        if (binned_)
            for (int field = 2; field < 1 + codec.width(); ++field) key[field] = bin(key[field]);
        return columns_.find(key);
    }

    std::int64_t num_columns_;
    std::vector<std::int64_t> radii_;
    Settings settings_;
    bool binned_;
    KeyTable columns_;
    std::vector<std::vector<std::int32_t>> near_columns_;  // by radius; none unless degrees are total
};

}  // namespace egonet
