// The rows on their way out: written block by block as they are found, put together once all columns are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/entry.hpp"
#include "core/graph.hpp"
#include "core/keys.hpp"
#include "core/workers.hpp"

namespace egonet {

// What the kernel returns; the fields are those of `Rows` in Python.
struct Result {
    std::int64_t num_rows = 0, num_entries = 0, num_columns = 0;
    int width = 0;
    Buffer<std::int64_t> indptr;
    Buffer<std::int32_t> columns, counts;
    Buffer<std::int64_t> keys;
};

// A slab of memory that is returned when the last block inside it is dropped: large ones to the system, or the peak would
// count freed memory twice; small ones to the allocator, since mapping and unmapping memory makes all threads wait.
class Slab {
public:
    Slab(std::int64_t size, Pages pages);
    ~Slab();
    Slab(const Slab&) = delete;
    Slab& operator=(const Slab&) = delete;

    Entry* memory() const { return memory_; }

private:
    Entry* memory_;
    std::int64_t size_;
    Pages pages_;
};

// The finished rows of one block, their entries one after another.
struct Block {
    std::shared_ptr<Slab> slab;
    const Entry* entries = nullptr;
    int worker = 0;
};

// Where the rows of each block go: block b holds the rows order[b * block_size] ... (order empty: those numbers).
struct Layout {
    std::int64_t num_rows;
    std::int64_t block_size;
    std::vector<std::int64_t> order;

    std::int64_t num_blocks() const { return (num_rows + block_size - 1) / block_size; }
    std::int64_t begin(std::int64_t block) const { return block * block_size; }
    std::int64_t end(std::int64_t block) const { return std::min(num_rows, (block + 1) * block_size); }
    std::int64_t row(std::int64_t place) const { return order.empty() ? place : order[place]; }
};

// What one worker writes: the rows of a block one after another into a slab, and blocks likewise.
class RowWriter {
public:
    // The first slab has capacity for `first_size` entries.
    RowWriter(int worker, std::int64_t* indptr, std::int64_t first_size)
        : worker_(worker), indptr_(indptr), first_size_(first_size) {}

    // A buffer for `size` more entries; valid until the next call.
    Entry* reserve(std::int64_t size) {
        if (written_ + size > capacity_) move_on(written_ + size);
        return begin_ + written_;
    }

    // Ends row `row` of the result: the next `size` entries of the buffer.
    void end_row(std::int64_t row, std::int64_t size) {
        indptr_[row + 1] = size;
        written_ += size;
    }

    // Moves a tally into row `row` of the result.
    template <class Tally>
    void drain_row(std::int64_t row, Tally& tally) {
        Entry* begin = reserve(tally.size());
        Entry* end = begin;
        tally.drain([&](std::int32_t column, std::int32_t count) { *end++ = {column, count}; });
        end_row(row, end - begin);
    }

    void end_block(Block& block);

private:
    // Takes the unfinished block to a new slab with capacity for at least `size` entries.
    void move_on(std::int64_t size);

    int worker_;
    std::int64_t* indptr_;
    std::int64_t first_size_;
    std::shared_ptr<Slab> slab_;
    Entry* begin_ = nullptr;     // of the unfinished block, in the slab
    std::int64_t written_ = 0;   // entries of that block
    std::int64_t capacity_ = 0;  // entries from its begin to the end of the slab
};

// The output of all workers of a call, and its conversion to the result.
class Collector {
public:
    Collector(Job& job, Layout layout, const KeyForm& form);

    const Layout& layout() const { return layout_; }
    // A small call must not touch a whole large page; on sparse graphs at radius 1 a worker's rows fit the first slab.
    RowWriter writer(int worker) {
        const std::int64_t share = layout_.num_rows / std::ssize(codes_);
        return RowWriter(worker, indptr_.get(), std::clamp<std::int64_t>(5 * share / 2, 1 << 16, 1 << 19));
    }
    Block& block(std::int64_t number) { return blocks_[number]; }

    // Each worker passes the codes of its columns: column c of its rows is codes[c]. With
    // `same_numbering` columns are codes, and the list only says which of them occur, increasing.
    void set_codes(int worker, std::vector<std::int64_t> codes) { codes_[worker] = std::move(codes); }

    // Sorts the codes that occur, numbers the columns by them, and copies the rows to their positions; blocks are
    // freed as they are copied.
    Result assemble(Job& job, bool same_numbering);

private:
    void copy_block(Block& block, std::int64_t number, const std::int32_t* renumber, Result& result) const;

    Layout layout_;
    const KeyForm& form_;
    Buffer<std::int64_t> indptr_;
    std::vector<Block> blocks_;
    std::vector<std::vector<std::int64_t>> codes_;
};

}  // namespace egonet
