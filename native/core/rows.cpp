#include "core/rows.hpp"

#include "core/column_numbers.hpp"
#include "core/parallel.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace egonet {

Slab::Slab(std::int64_t size, [[maybe_unused]] Pages pages) : size_(size), pages_(pages) {
#if defined(__linux__)
    if (pages == Pages::large) {
        void* memory = mmap(nullptr, size * sizeof(Entry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        madvise(memory, size * sizeof(Entry), MADV_HUGEPAGE);
        memory_ = static_cast<Entry*>(memory);
        return;
    }
#endif
    memory_ = static_cast<Entry*>(std::malloc(size * sizeof(Entry)));
    if (!memory_) throw std::bad_alloc();
}

Slab::~Slab() {
#if defined(__linux__)
    if (pages_ == Pages::large) {
        munmap(memory_, size_ * sizeof(Entry));
        return;
    }
#endif
    std::free(memory_);
}

void RowWriter::end_block(Block& block) {
    block = {slab_, begin_, worker_};
    begin_ += written_;
    capacity_ -= written_;
    written_ = 0;
}

void RowWriter::move_on(std::int64_t size) {
    // Who needs a second slab will fill most of it.
    constexpr std::int64_t next_size = std::int64_t{1} << 21;  // 16 MB
    const std::int64_t usual = slab_ ? next_size : first_size_;
    auto slab = std::make_shared<Slab>(std::max(usual, 2 * size), slab_ ? Pages::large : Pages::small);
    std::copy_n(begin_, written_, slab->memory());
    slab_ = std::move(slab);
    begin_ = slab_->memory();
    capacity_ = std::max(usual, 2 * size);
}

Collector::Collector(Job& job, Layout layout, const KeyForm& form)
    : layout_(std::move(layout)),
      form_(form),
      indptr_(make_touched_buffer<std::int64_t>(job, layout_.num_rows + 1)),
      blocks_(layout_.num_blocks()),
      codes_(job.threads) {}

void Collector::copy_block(Block& block, std::int64_t number, const std::int32_t* renumber, Result& result) const {
    const Entry* read = block.entries;
    // Before each step the entries before `read` belong to rows of the block that are in their final positions.
    for (std::int64_t place = layout_.begin(number); place < layout_.end(number); ++place) {
        const std::int64_t row = layout_.row(place);
        for (std::int64_t i = result.indptr[row]; i < result.indptr[row + 1]; ++i, ++read) {
            result.columns[i] = renumber[read->column];
            result.counts[i] = read->count;
        }
    }
    block = {};
}

Result Collector::assemble(Job& job, bool same_numbering) {
    const ColumnNumbers numbers = same_numbering ? number_marked(job, codes_) : number_sorted(job, codes_);
    const std::vector<std::int64_t>& codes = numbers.codes;
    codes_.clear();
    Result result;
    result.num_rows = layout_.num_rows;
    result.num_columns = static_cast<std::int64_t>(codes.size());
    result.width = form_.width();
    result.keys = make_buffer<std::int64_t>(result.num_columns * result.width);
    for_ranges(job, result.num_columns, 4096, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t column = first; column < last; ++column)
            form_.decode(codes[column], &result.keys[column * result.width]);
    });
    result.indptr = std::move(indptr_);
    result.indptr[0] = 0;
    sum_up(job, result.indptr.get() + 1, result.num_rows);
    result.num_entries = result.indptr[result.num_rows];
    // Rows that come in another order fill the result here and there, and only small pages stay untouched till then.
    const Pages pages = layout_.order.empty() ? Pages::large : Pages::small;
    result.columns = make_touched_buffer<std::int32_t>(job, result.num_entries, pages);
    result.counts = make_touched_buffer<std::int32_t>(job, result.num_entries, pages);
    run_blocks(job, layout_.num_blocks(), [&](int) {
        return [&](std::int64_t number) {
            Block& block = blocks_[number];
            copy_block(block, number, numbers.renumber[same_numbering ? 0 : block.worker].get(), result);
        };
    });
    return result;
}

}  // namespace egonet
