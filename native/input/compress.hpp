// Arcs to compressed rows, sorted and without repeats: arcs are parted into buckets of rows, and each bucket is sorted
// by one worker in its cache. Same bytes for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"

namespace egonet::input {

struct CompressedRows {
    Buffer<std::int64_t> indptr;
    Buffer<std::int32_t> indices;
    std::int64_t num_arcs = 0, num_loops = 0;
    bool valid = true;  // false: an end is not in 0 ... num_nodes - 1
};

// The ends of arcs, `stride` numbers from one to the next.
template <class Int>
struct ArcEnds {
    const Int *rows, *columns;
    std::int64_t row_stride, column_stride, count;
};

template <class Int>
class Compressor {
public:
    Compressor(Job& job, const ArcEnds<Int>& ends, std::int64_t num_nodes, bool mirrored)
        : job_(job), ends_(ends), num_nodes_(num_nodes), mirrored_(mirrored) {
        const std::int64_t most_arcs = (mirrored ? 2 : 1) * ends.count;
        job.limit_threads(20.0 * static_cast<double>(most_arcs));
        num_parts_ = job.threads == 1 ? 1 : 4 * job.threads;
        shift_ = std::bit_width(static_cast<std::uint64_t>(std::clamp<std::int64_t>(most_arcs >> 15, 1, 512))) - 1;
        num_local_ = (((num_nodes + block - 1) / block + num_buckets() - 1) >> shift_) * block;
    }

    CompressedRows run() {
        if (!count_arcs()) return {{}, {}, 0, 0, false};
        scatter();
        out_.indptr = make_touched_buffer<std::int64_t>(job_, num_nodes_ + 1);
        out_.indptr[0] = 0;
        run_blocks(job_, num_buckets(), [&](int) {
            return [&, ends = std::vector<std::int64_t>(), placed = std::vector<std::int32_t>()](
                       std::int64_t bucket) mutable { sort_bucket(bucket, ends, placed); };
        });
        sum_up(job_, out_.indptr.get() + 1, num_nodes_);
        out_.num_arcs = out_.indptr[num_nodes_];
        out_.indices = make_touched_buffer<std::int32_t>(job_, out_.num_arcs);
        for_ranges(job_, num_buckets(), 1, [&](std::int64_t bucket, std::int64_t) {
            const std::int32_t* from = &arcs_[2 * start_[bucket]];
            for_rows(bucket, [&](std::int64_t, std::int64_t row) {
                const std::int64_t size = out_.indptr[row + 1] - out_.indptr[row];
                std::copy_n(from, size, &out_.indices[out_.indptr[row]]);
                from += size;
            });
        });
        return std::move(out_);
    }

private:
    // Blocks of 16 rows go to the buckets in turn, so that the first nodes, which often are hubs, are spread.
    static constexpr std::int64_t block = 16;

    std::int64_t num_buckets() const { return std::int64_t{1} << shift_; }
    std::int64_t bucket_of(std::int64_t row) const { return row / block & (num_buckets() - 1); }
    std::int32_t local_of(std::int64_t row) const {
        return static_cast<std::int32_t>(((row / block) >> shift_) * block + row % block);
    }

    // Calls with the number within the bucket, and the row, of every row of a bucket.
    template <class Call>
    void for_rows(std::int64_t bucket, Call call) const {
        for (std::int64_t local = 0; local < num_local_; ++local) {
            const std::int64_t row = (local / block * num_buckets() + bucket) * block + local % block;
            if (row < num_nodes_) call(local, row);
        }
    }

    // Calls with row and column of every arc of a part that is no loop; returns how many are loops.
    template <class Call>
    std::int64_t for_arcs(std::int64_t part, Call call) const {
        std::int64_t num_loops = 0;
        const std::int64_t last = ends_.count * (part + 1) / num_parts_;
        for (std::int64_t i = ends_.count * part / num_parts_; i < last; ++i) {
            const std::int64_t row = ends_.rows[i * ends_.row_stride], column = ends_.columns[i * ends_.column_stride];
            if (row == column) {
                ++num_loops;
                continue;
            }
            call(row, column);
            if (mirrored_) call(column, row);
        }
        return num_loops;
    }

    // Afterwards next_ is where each part puts its arcs of each bucket; false if an end is out of range.
    bool count_arcs() {
        next_.assign(num_parts_ * num_buckets(), 0);
        std::atomic<std::int64_t> num_loops{0};
        std::atomic<bool> valid{true};
        for_ranges(job_, num_parts_, 1, [&](std::int64_t part, std::int64_t) {
            std::int64_t* sizes = &next_[part * num_buckets()];
            bool inside = true;
            num_loops += for_arcs(part, [&](std::int64_t row, std::int64_t column) {
                inside = inside && static_cast<std::uint64_t>(row) < static_cast<std::uint64_t>(num_nodes_) &&
                         static_cast<std::uint64_t>(column) < static_cast<std::uint64_t>(num_nodes_);
                ++sizes[bucket_of(row)];
            });
            if (!inside) valid = false;
        });
        out_.num_loops = num_loops;
        start_.assign(num_buckets() + 1, 0);
        std::int64_t total = 0;
        for (std::int64_t bucket = 0; bucket < num_buckets(); ++bucket) {
            for (std::int64_t part = 0; part < num_parts_; ++part)
                total += std::exchange(next_[part * num_buckets() + bucket], total);
            start_[bucket + 1] = total;
        }
        return valid;
    }

    // Afterwards arcs_ has the arcs of each bucket together: the row's number within the bucket, and the column.
    void scatter() {
        arcs_ = make_touched_buffer<std::int32_t>(job_, 2 * start_.back());
        for_ranges(job_, num_parts_, 1, [&](std::int64_t part, std::int64_t) {
            std::int64_t* next = &next_[part * num_buckets()];
            for_arcs(part, [&](std::int64_t row, std::int64_t column) {
                std::int32_t* arc = &arcs_[2 * next[bucket_of(row)]++];
                arc[0] = local_of(row);
                arc[1] = static_cast<std::int32_t>(column);
            });
        });
    }

    // Replaces the arcs of a bucket by the sorted columns of its rows, and writes how many each row has.
    void sort_bucket(std::int64_t bucket, std::vector<std::int64_t>& ends, std::vector<std::int32_t>& placed) {
        const std::int64_t size = start_[bucket + 1] - start_[bucket];
        std::int32_t* arcs = &arcs_[2 * start_[bucket]];
        ends.assign(num_local_ + 1, 0);
        if (std::ssize(placed) < size) placed.resize(size);
        for (std::int64_t i = 0; i < size; ++i) ++ends[arcs[2 * i] + 1];
        for (std::int64_t local = 0; local < num_local_; ++local) ends[local + 1] += ends[local];
        // ends[r] is the begin of row r here, and its end once all columns are placed.
        for (std::int64_t i = 0; i < size; ++i) placed[ends[arcs[2 * i]]++] = arcs[2 * i + 1];
        std::int32_t* filled = arcs;
        for_rows(bucket, [&](std::int64_t local, std::int64_t row) {
            const auto first = placed.begin() + (local ? ends[local - 1] : 0), last = placed.begin() + ends[local];
            if (!std::is_sorted(first, last)) std::sort(first, last);
            std::int32_t* const end = std::unique_copy(first, last, filled);
            out_.indptr[row + 1] = end - filled;
            filled = end;
        });
    }

    Job& job_;
    const ArcEnds<Int> ends_;
    const std::int64_t num_nodes_;
    const bool mirrored_;
    std::int64_t num_parts_, num_local_;  // parts of the arcs; rows of a bucket
    int shift_;                           // there are 1 << shift_ buckets
    std::vector<std::int64_t> next_, start_;
    Buffer<std::int32_t> arcs_;
    CompressedRows out_;
};

// mirrored  every arc is entered in both directions
// returns   neighbors increasing per row, each once; loops are dropped and counted
template <class Int>
CompressedRows compress(Job& job, const ArcEnds<Int>& ends, std::int64_t num_nodes, bool mirrored) {
    return Compressor<Int>(job, ends, num_nodes, mirrored).run();
}

}  // namespace egonet::input
