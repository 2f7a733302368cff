// Steps of learning vectors, written once and compiled for each instruction set as EGONET_LEVEL.
//
// The negatives of a group of sources are shared, so their products form a small dense matrix: sources and negatives
// are copied next to each other, and logits and both gradients are three products of blocks that stay in the cache.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "learn/lanes.hpp"
#include "learn/pair_steps.hpp"

namespace egonet::EGONET_LEVEL {

namespace {

// e to the power of something in [-87, 0], within 2 units in the last place.
inline Lanes exp_below_zero(Lanes x) {
    const Lanes shifted = x * all(1.44269504f) + all(12582912.0f);  // rounds: the last bits are the whole power of 2
    const Lanes whole = shifted - all(12582912.0f);
    const Lanes rest = (x - whole * all(0.693145752f)) - whole * all(1.42860677e-6f);
    Lanes power = all(1.98756915e-4f);
    power = power * rest + all(1.39819995e-3f);
    power = power * rest + all(8.33345191e-3f);
    power = power * rest + all(4.16657963e-2f);
    power = power * rest + all(1.66666655e-1f);
    power = power * rest + all(5.00000012e-1f);
    power = power * rest * rest + rest + all(1.0f);
    return from_bits((bits_of(shifted) << 23) + bits_of(power));
}

// Losses of logits against one label, as a product of ones and exponentials whose logarithm is taken now and then.
struct Losses {
    Lanes linear = {}, product = all(1.0f);
    double logarithms = 0.0;

    // The chances that belong to logits; adds softplus of them.
    Lanes chances(const Lanes& logits) {
        const IntLanes negative = logits < Lanes{};
        const Lanes size = choose(negative, -logits, logits);
        const Lanes small = exp_below_zero(-choose(size < all(87.0f), size, all(87.0f)));
        const Lanes both = small + all(1.0f);
        linear += choose(negative, Lanes{}, logits);
        product *= both;
        return choose(negative, small, all(1.0f)) / both;
    }

    // Takes the logarithm; due every `most` times, before products of numbers of at most 2 overflow.
    void settle() {
        double whole = 1.0;
        for (int lane = 0; lane < num_lanes; ++lane) whole *= static_cast<double>(product[lane]);
        logarithms += std::log(whole);
        product = all(1.0f);
    }

    static constexpr std::int64_t most = 32;
};

inline float dot(const float* left, const float* right, std::int64_t dim) {
    Lanes total = {};
    for (std::int64_t k = 0; k < dim; k += num_lanes) total += load(left + k) * load(right + k);
    return sum(total);
}

// The product of two rows of any length.
inline float dot_rows(const float* left, const float* right, std::int64_t dim) {
    const std::int64_t whole = dim / num_lanes * num_lanes;
    float total = dot(left, right, whole);
    for (std::int64_t k = whole; k < dim; ++k) total += left[k] * right[k];
    return total;
}
inline void add_scaled(float* to, const float* from, float factor, std::int64_t dim) {
    const Lanes factors = all(factor);
    for (std::int64_t k = 0; k < dim; k += num_lanes) store(to + k, load(to + k) + factors * load(from + k));
}

inline void add_scaled_row(float* to, const float* from, float factor, std::int64_t dim) {
    const std::int64_t whole = dim / num_lanes * num_lanes;
    add_scaled(to, from, factor, whole);
    for (std::int64_t k = whole; k < dim; ++k) to[k] += factor * from[k];
}

constexpr int tile = 4;       // rows of a block that are multiplied together
constexpr int registers = 2;  // of each of those rows

// result (rows, columns, wide) = left (rows, dim) times right (columns, dim) transposed; rows, columns in whole tiles.
inline void multiply_transposed(const float* left, std::int64_t rows, const float* right, std::int64_t columns,
                                std::int64_t dim, float* result, std::int64_t wide) {
    for (std::int64_t i = 0; i < rows; i += tile)
        for (std::int64_t j = 0; j < columns; j += tile) {
            Lanes totals[tile][tile] = {};
            for (std::int64_t k = 0; k < dim; k += num_lanes) {
                Lanes ours[tile], theirs[tile];
                for (int a = 0; a < tile; ++a) ours[a] = load(left + (i + a) * dim + k);
                for (int b = 0; b < tile; ++b) theirs[b] = load(right + (j + b) * dim + k);
                for (int a = 0; a < tile; ++a)
                    for (int b = 0; b < tile; ++b) totals[a][b] += ours[a] * theirs[b];
            }
            for (int a = 0; a < tile; ++a)
                for (int b = 0; b < tile; ++b) result[(i + a) * wide + j + b] = sum(totals[a][b]);
        }
}

// result (rows, dim) = factors (rows, columns) times right (columns, dim); factor (i, j) is at i * down + j * across.
inline void multiply(const float* factors, std::int64_t down, std::int64_t across, std::int64_t rows,
                     std::int64_t columns, const float* right, std::int64_t dim, float* result) {
    constexpr std::int64_t step = registers * num_lanes;
    for (std::int64_t i = 0; i < rows; i += tile)
        for (std::int64_t k = 0; k < dim; k += step) {
            Lanes totals[tile][registers] = {};
            for (std::int64_t j = 0; j < columns; ++j) {
                Lanes theirs[registers];
                for (int r = 0; r < registers; ++r) theirs[r] = load(right + j * dim + k + r * num_lanes);
                for (int a = 0; a < tile; ++a) {
                    const Lanes factor = all(factors[(i + a) * down + j * across]);
                    for (int r = 0; r < registers; ++r) totals[a][r] += factor * theirs[r];
                }
            }
            for (int a = 0; a < tile; ++a)
                for (int r = 0; r < registers; ++r) store(result + (i + a) * dim + k + r * num_lanes, totals[a][r]);
        }
}

inline std::int64_t padded(std::int64_t size, std::int64_t whole) { return (size + whole - 1) / whole * whole; }

constexpr float never = -1000.0f;  // a logit that has no loss and no gradient

// The blocks of one group, and what is added up for all groups of a worker.
class Group {
public:
    Group(const PairBatch& batch, PairSums& sums)
        : batch_(batch),
          sums_(sums),
          reach_(3 * batch.window),
          wide_(padded(batch.dim, registers * num_lanes)),
          num_sources_(batch.window * batch.sharing),
          num_rows_(padded(num_sources_, tile)),
          num_columns_(padded(batch.num_others, std::max<std::int64_t>(tile, num_lanes))),
          ours_(num_rows_ * wide_),
          our_gradient_(num_rows_ * wide_),
          theirs_(num_columns_ * wide_),
          their_gradient_(num_columns_ * wide_),
          around_(reach_ * wide_),
          around_gradient_(reach_ * wide_),
          logits_(num_rows_ * num_columns_),
          real_(padded(2 * batch.window * batch.window, num_lanes)),
          share_(num_rows_),
          node_(num_rows_),
          names_(num_columns_, -1) {}

    void operator()(std::int64_t number) {
        std::fill(share_.begin(), share_.end(), 0.0f);
        const std::int64_t* segments = batch_.segments + number * batch_.sharing * reach_;
        for (std::int64_t s = 0; s < batch_.sharing; ++s) add_segment(segments + s * reach_, s * batch_.window);
        add_others(batch_.others + number * batch_.num_others);
        for (std::int64_t i = 0; i < num_sources_; ++i)
            if (share_[i] > 0.0f) give(sums_.source_gradient, node_[i], &our_gradient_[i * wide_]);
    }

private:
    void take(const float* table, std::int64_t node, float* to) const {
        std::memcpy(to, table + batch_.row_of[node] * batch_.dim, sizeof(float) * batch_.dim);
    }

    void give(float* table, std::int64_t node, const float* from) const {
        float* to = table + batch_.row_of[node] * batch_.dim;
        const std::int64_t whole = batch_.dim / num_lanes * num_lanes;
        for (std::int64_t k = 0; k < whole; k += num_lanes) store(to + k, load(to + k) + load(from + k));
        for (std::int64_t k = whole; k < batch_.dim; ++k) to[k] += from[k];
    }

    // Adds the pairs of one walk segment; its sources become rows of the group, with their gradient so far.
    void add_segment(const std::int64_t* segment, std::int64_t first_row) {
        const std::int64_t window = batch_.window;
        for (std::int64_t p = 0; p < reach_; ++p)
            if (segment[p] >= 0) take(batch_.contexts, segment[p], &around_[p * wide_]);
        std::fill(around_gradient_.begin(), around_gradient_.end(), 0.0f);
        std::int64_t count = 0;
        // After this, real_ holds the product of every pair there is, in order.
        for (std::int64_t i = 0; i < window; ++i) {
            const std::int64_t row = first_row + i, node = segment[window + i];
            node_[row] = node;
            std::fill_n(&our_gradient_[row * wide_], wide_, 0.0f);
            if (node < 0) continue;
            take(batch_.sources, node, &ours_[row * wide_]);
            const std::int64_t before = count;
            for_near(segment, i,
                     [&](std::int64_t p) { real_[count++] = dot(&ours_[row * wide_], &around_[p * wide_], wide_); });
            share_[row] = static_cast<float>(count - before) / static_cast<float>(2 * window);
        }
        weigh_real(count);
        count = 0;
        for (std::int64_t i = 0; i < window; ++i) {
            if (segment[window + i] < 0) continue;
            float* ours = &ours_[(first_row + i) * wide_];
            float* gradient = &our_gradient_[(first_row + i) * wide_];
            for_near(segment, i, [&](std::int64_t p) {
                const float factor = real_[count++];
                add_scaled(gradient, &around_[p * wide_], factor, wide_);
                add_scaled(&around_gradient_[p * wide_], ours, factor, wide_);
            });
        }
        for (std::int64_t p = 0; p < reach_; ++p)
            if (segment[p] >= 0) give(sums_.context_gradient, segment[p], &around_gradient_[p * wide_]);
    }

    // Calls work(p) for each place that the i-th source meets.
    template <class Work>
    void for_near(const std::int64_t* segment, std::int64_t i, Work work) const {
        for (std::int64_t p = i; p <= i + 2 * batch_.window; ++p)
            if (p != i + batch_.window && segment[p] >= 0) work(p);
    }

    // Turns products of pairs into the factors of their gradients, and adds their losses.
    void weigh_real(std::int64_t count) {
        Losses losses;
        Lanes slopes = {}, shifts = {};
        std::fill(real_.begin() + count, real_.end(), 0.0f);
        for (std::int64_t k = 0; k < count; k += num_lanes) {
            const Lanes products = load(&real_[k]);
            Lanes opposite = -(products * all(batch_.scale) + all(batch_.shift));
            for (std::int64_t lane = count - k; lane < num_lanes; ++lane) opposite[lane] = never;
            const Lanes slope = -losses.chances(opposite);
            if ((k / num_lanes + 1) % Losses::most == 0) losses.settle();
            slopes += slope * products;
            shifts += slope;
            store(&real_[k], slope * all(batch_.scale));
        }
        finish(losses, 1.0, slopes, shifts);
        sums_.weight += static_cast<double>(count);
    }

    // Adds the pairs of all sources of the group with its negatives.
    void add_others(const std::int64_t* others) {
        const std::int64_t num = batch_.num_others;
        for (std::int64_t j = 0; j < num; ++j) {
            take(batch_.contexts, others[j], &theirs_[j * wide_]);
            names_[j] = static_cast<std::int32_t>(others[j]);
        }
        multiply_transposed(ours_.data(), num_rows_, theirs_.data(), num_columns_, wide_, logits_.data(), num_columns_);
        for (std::int64_t i = 0; i < num_rows_; ++i) weigh_row(i);
        multiply_add(our_gradient_.data());
        multiply(logits_.data(), 1, num_columns_, num_columns_, num_sources_, ours_.data(), wide_,
                 their_gradient_.data());
        for (std::int64_t j = 0; j < num; ++j) give(sums_.context_gradient, others[j], &their_gradient_[j * wide_]);
    }

    // Turns a row of products into the factors of their gradients, and adds their losses.
    void weigh_row(std::int64_t i) {
        float* row = &logits_[i * num_columns_];
        if (share_[i] == 0.0f) {
            std::fill_n(row, num_columns_, 0.0f);
            return;
        }
        Losses losses;
        Lanes slopes = {}, shifts = {};
        IntLanes left_out = {};
        const IntLanes itself = all(static_cast<std::int32_t>(node_[i]));
        for (std::int64_t j = 0; j < num_columns_; j += num_lanes) {
            const Lanes products = load(row + j);
            IntLanes names;
            std::memcpy(&names, &names_[j], sizeof names);
            const IntLanes out = (names == itself) | (names < IntLanes{});
            const Lanes logits = choose(out, all(never), products * all(batch_.scale) + all(batch_.shift));
            left_out -= out;
            const Lanes slope = losses.chances(logits) * all(share_[i]);
            if ((j / num_lanes + 1) % Losses::most == 0) losses.settle();
            slopes += slope * products;
            shifts += slope;
            store(row + j, slope * all(batch_.scale));
        }
        finish(losses, share_[i], slopes, shifts);
        std::int64_t counted = num_columns_;
        for (int lane = 0; lane < num_lanes; ++lane) counted -= left_out[lane];
        sums_.weight += static_cast<double>(share_[i]) * static_cast<double>(counted);
    }

    void finish(Losses& losses, double share, const Lanes& slopes, const Lanes& shifts) {
        losses.settle();
        sums_.loss += share * (losses.logarithms + static_cast<double>(sum(losses.linear)));
        sums_.scale_gradient += static_cast<double>(sum(slopes));
        sums_.shift_gradient += static_cast<double>(sum(shifts));
    }

    // Adds the gradient of the sources to what their real pairs have left there.
    void multiply_add(float* gradient) {
        added_.resize(our_gradient_.size());
        multiply(logits_.data(), num_columns_, 1, num_rows_, num_columns_, theirs_.data(), wide_, added_.data());
        for (std::int64_t k = 0; k < num_sources_ * wide_; ++k) gradient[k] += added_[k];
    }

    const PairBatch& batch_;
    PairSums& sums_;
    std::int64_t reach_, wide_, num_sources_, num_rows_, num_columns_;
    std::vector<float> ours_, our_gradient_, theirs_, their_gradient_, around_, around_gradient_, logits_, real_,
        share_, added_;
    std::vector<std::int64_t> node_;
    std::vector<std::int32_t> names_;  // nodes of the negatives; -1 fills up the last lanes
};

void add_pairs(const PairBatch& batch, std::int64_t first, std::int64_t last, PairSums& sums) {
    Group group(batch, sums);
    for (std::int64_t number = first; number < last; ++number) group(number);
}

void add_separate(const SeparateBatch& batch, std::int64_t first, std::int64_t last, PairSums& sums) {
    const std::int64_t dim = batch.dim, count = batch.num_targets, wide = padded(count, num_lanes);
    std::vector<float> factors(wide), gradient(dim);
    for (std::int64_t i = first; i < last; ++i) {
        if (batch.ours[i] < 0) continue;
        const float* ours = batch.sources + batch.ours[i] * dim;
        const std::int64_t* theirs = batch.theirs + i * count;
        for (std::int64_t j = 0; j < count; ++j) factors[j] = dot_rows(ours, batch.contexts + theirs[j] * dim, dim);
        Losses losses;
        Lanes slopes = {}, shifts = {};
        // After this, factors holds what each context adds to the gradient of the source.
        for (std::int64_t j = 0; j < wide; j += num_lanes) {
            const Lanes products = load(&factors[j]);
            Lanes logits = products * all(batch.scale) + all(batch.shift), sign = all(1.0f);
            if (j == 0) logits[0] = -logits[0], sign[0] = -1.0f;
            for (std::int64_t lane = count - j; lane < num_lanes; ++lane) logits[lane] = never;
            const Lanes slope = losses.chances(logits) * sign;
            if ((j / num_lanes + 1) % Losses::most == 0) losses.settle();
            slopes += slope * products;
            shifts += slope;
            store(&factors[j], slope * all(batch.scale));
        }
        losses.settle();
        sums.loss += losses.logarithms + static_cast<double>(sum(losses.linear));
        sums.scale_gradient += static_cast<double>(sum(slopes));
        sums.shift_gradient += static_cast<double>(sum(shifts));
        sums.weight += static_cast<double>(count);
        std::fill(gradient.begin(), gradient.end(), 0.0f);
        for (std::int64_t j = 0; j < count; ++j) {
            add_scaled_row(gradient.data(), batch.contexts + theirs[j] * dim, factors[j], dim);
            add_scaled_row(sums.context_gradient + theirs[j] * dim, ours, factors[j], dim);
        }
        add_scaled_row(sums.source_gradient + batch.ours[i] * dim, gradient.data(), 1.0f, dim);
        std::fill(factors.begin() + count, factors.end(), 0.0f);
    }
}

// Fills `width` vectors of columns of one row, from column k on.
template <int width>
inline void multiply_part(const SparseProduct& product, std::int64_t row, std::int64_t k) {
    Lanes totals[width] = {};
    for (std::int64_t e = product.indptr[row]; e < product.indptr[row + 1]; ++e) {
        const float* from = product.table + product.indices[e] * product.dim + k;
        const Lanes value = all(product.values[e]);
        for (int r = 0; r < width; ++r) totals[r] += value * load(from + r * num_lanes);
    }
    for (int r = 0; r < width; ++r) store(product.result + row * product.dim + k + r * num_lanes, totals[r]);
}

void multiply_rows(const SparseProduct& product, std::int64_t first, std::int64_t last) {
    constexpr int most = 8;
    for (std::int64_t row = first; row < last; ++row) {
        std::int64_t k = 0;
        for (; k + most * num_lanes <= product.dim; k += most * num_lanes) multiply_part<most>(product, row, k);
        for (; k + num_lanes <= product.dim; k += num_lanes) multiply_part<1>(product, row, k);
        for (; k < product.dim; ++k) {
            float total = 0.0f;
            for (std::int64_t e = product.indptr[row]; e < product.indptr[row + 1]; ++e)
                total += product.values[e] * product.table[product.indices[e] * product.dim + k];
            product.result[row * product.dim + k] = total;
        }
    }
}

}  // namespace

const LearnSteps learn_steps{multiply_rows, add_pairs, add_separate};

}  // namespace egonet::EGONET_LEVEL
