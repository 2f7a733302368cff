// The outcomes of a root's search as histograms: what 1-WL knows of its ego-network with the root, and more nodes, marked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "nested/nested.hpp"
#include "wl/individualize.hpp"

namespace egonet {

// The key of a histogram is (cell, other cell, neighbors there[, label]), its count the number of nodes of the cell.
class RefinedRoots {
public:
    RefinedRoots(const LabeledGraph& source, const SearchSettings& settings, HistogramBuilder& builder, Job& job)
        : radius_(settings.radius), copy_(source), searcher_(settings, tables_, job.cancelled), builder_(builder) {}

    // Appends the numbers of the histograms of a root.
    void operator()(std::int32_t root, std::vector<std::int32_t>& numbers) {
        copy_(root, radius_, local_);
        searcher_.visit_leaves(local_, [&](const OrderedCells& cells) {
            searcher_.refiner().write(cells, words_);
            numbers.push_back(histogram());
        });
    }

private:
    std::int32_t histogram() {
        const bool labeled = !local_.labels.empty();
        const std::int32_t* word = words_.data();
        const std::int32_t num_cells = *word++;
        for (std::int32_t cell = 0; cell < num_cells; ++cell) {
            const std::int32_t size = *word++, label = labeled ? *word++ : 0, entries = *word++;
            for (std::int32_t entry = 0; entry < std::max(entries, 1); ++entry) {
                // A cell without neighbors has one key, with none in itself.
                const std::int32_t key[] = {cell, entries ? word[0] : cell, entries ? word[1] : 0, label};
                const std::int32_t number = builder_.number_of({key, labeled ? 4u : 3u});
                for (std::int32_t i = 0; i < size; ++i) builder_.add_number(number);
                word += entries ? 2 : 0;
            }
        }
        return builder_.finish();
    }

    std::int64_t radius_;
    LocalGraphs copy_;
    LocalGraph local_;
    SearchTables tables_;
    Searcher searcher_;
    HistogramBuilder& builder_;
    std::vector<std::int32_t> words_;
};

// Returns the rows of the roots; scratch is one number a node and thread, and the largest ego-network.
inline NestedResult refined(Job& job, const LabeledGraph& source, const Roots& roots, const SearchSettings& settings) {
    constexpr std::int64_t block_size = nested_block_size;
    const std::int64_t num_blocks = (roots.count + block_size - 1) / block_size;
    struct Block {
        std::vector<std::int32_t> numbers;
        int worker = 0;
    };
    std::vector<Block> blocks(num_blocks);
    std::vector<std::int64_t> pair_ptr(roots.count + 1);
    NestedRows out({0}, job.threads, source.labels ? 4 : 3);
    const auto make = [&](int worker) {
        return
            [&, worker, count = RefinedRoots(source, settings, out.builder(worker), job)](std::int64_t block) mutable {
                const std::int64_t end = std::min(roots.count, (block + 1) * block_size);
                blocks[block].worker = worker;
                for (std::int64_t row = block * block_size; row < end; ++row) {
                    const std::size_t before = blocks[block].numbers.size();
                    count(roots[row], blocks[block].numbers);
                    pair_ptr[row + 1] = static_cast<std::int64_t>(blocks[block].numbers.size() - before);
                }
                job.done += end - block * block_size;
            };
    };
    run_blocks(job, num_blocks, make, Caller::watches);
    std::partial_sum(pair_ptr.begin(), pair_ptr.end(), pair_ptr.begin());
    out.set_pairs(std::move(pair_ptr));
    for_ranges(job, num_blocks, 64, [&](std::int64_t first, std::int64_t last) {
        std::int64_t pair = out.first_pair(first * block_size);
        for (std::int64_t block = first; block < last; ++block)
            for (const std::int32_t number : blocks[block].numbers) out.set(pair++, blocks[block].worker, number);
    });
    return out.assemble(job);
}

}  // namespace egonet
