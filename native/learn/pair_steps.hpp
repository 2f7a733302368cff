// What a step of learning vectors does on the CPU: products with sparse weights, and losses of pairs with gradients.
#pragma once

#include <cstdint>

#include "platform/simd.hpp"

namespace egonet {

// A sparse matrix, row by row, and the dense one it is multiplied with.
//   indptr   int64 (num_rows + 1,)      increasing from 0
//   indices  int32 (num_entries,)       rows of `table`
//   values   float32 (num_entries,)
//   table    float32 (num_columns, dim)
//   result   float32 (num_rows, dim)    handed over dirty
struct SparseProduct {
    const std::int64_t* indptr;
    const std::int32_t* indices;
    const float* values;
    const float* table;
    float* result;
    std::int64_t dim;
};

// Walk segments and their losses and gradients.
//   sources, contexts  float32 (num_rows, dim)               may be the same memory
//   row_of             int64 (num_nodes,)                    the row of each node
//   segments           int64 (num_groups * sharing, 3 * window)  nodes, or -1; the middle third are sources
//   others             int64 (num_groups, num_others)        negatives of all sources of a group
struct PairBatch {
    const float* sources;
    const float* contexts;
    const std::int64_t* row_of;
    const std::int64_t* segments;
    const std::int64_t* others;
    std::int64_t dim, window, sharing, num_others;
    float scale, shift;
};

// Pairs that share nothing.
//   sources, contexts  float32 (num_rows, dim)         may be the same memory
//   ours               int64 (num_pairs,)              the row of each source, or -1 for no pair
//   theirs             int64 (num_pairs, num_targets)  rows of contexts: the real one first, then negatives
struct SeparateBatch {
    const float* sources;
    const float* contexts;
    const std::int64_t* ours;
    const std::int64_t* theirs;
    std::int64_t dim, num_targets;
    float scale, shift;
};

// What one worker adds up: gradients of both tables, which may be the same memory, and four sums.
struct PairSums {
    float* source_gradient;   // (num_rows, dim), added to
    float* context_gradient;  // (num_rows, dim), added to
    double loss = 0.0, weight = 0.0, scale_gradient = 0.0, shift_gradient = 0.0;
};

// All steps for one instruction set.
struct LearnSteps {
    // Fills rows first ... last - 1 of the result.
    void (*multiply)(const SparseProduct& product, std::int64_t first, std::int64_t last);
    // Adds the losses and gradients of groups first ... last - 1.
    void (*add_pairs)(const PairBatch& batch, std::int64_t first, std::int64_t last, PairSums& sums);
    // Adds the losses and gradients of pairs first ... last - 1.
    void (*add_separate)(const SeparateBatch& batch, std::int64_t first, std::int64_t last, PairSums& sums);
};

namespace baseline {
extern const LearnSteps learn_steps;
}
namespace avx2 {
extern const LearnSteps learn_steps;
}
namespace avx512 {
extern const LearnSteps learn_steps;
}

}  // namespace egonet
