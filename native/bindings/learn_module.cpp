// Python bindings of learning vectors: arrays in, arrays out; they know neither walks nor graphs.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/buffer.hpp"
#include "core/workers.hpp"
#include "learn/pair_steps.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace egonet::bindings;

namespace {

using Floats = Array<const float>;
using FloatRows = Array<const float, nb::ndim<2>>;

// The steps of a level: 0 for every processor, 1 for AVX2, 2 for AVX-512; never above what this processor has.
const egonet::LearnSteps& learn_steps(int level) {
#if defined(EGONET_X86)
    static const egonet::Simd best = egonet::best_simd();
    const int most = best == egonet::Simd::avx512 ? 2 : best == egonet::Simd::avx2 ? 1 : 0;
    if (std::min(level, most) == 2) return egonet::avx512::learn_steps;
    if (std::min(level, most) == 1) return egonet::avx2::learn_steps;
#else
    (void)level;
#endif
    return egonet::baseline::learn_steps;
}

// Calls work(worker, first, last) for as many equal parts of 0 ... size - 1 as there are threads.
template <class Work>
void in_parts(std::int64_t size, int threads, Work work) {
    egonet::Job job;
    job.threads = threads;
    job.in_line = threads == 1;
    egonet::run_workers(job, [&](int part) { work(part, size * part / threads, size * (part + 1) / threads); });
}

nb::object multiply_sparse(Int64s indptr, Int32s indices, Floats values, FloatRows table, int threads, int level) {
    const auto num_rows = static_cast<std::int64_t>(indptr.size()) - 1, dim = static_cast<std::int64_t>(table.shape(1));
    auto result = egonet::make_buffer<float>(num_rows * dim);
    {
        nb::gil_scoped_release released;
        const egonet::SparseProduct product{indptr.data(), indices.data(), values.data(),
                                            table.data(),  result.get(),   dim};
        const egonet::LearnSteps& steps = learn_steps(level);
        // Blocks, not equal parts: rows differ in length.
        constexpr std::int64_t block = 64;
        egonet::Job job;
        job.threads = threads;
        job.in_line = threads == 1;
        egonet::run_blocks(job, (num_rows + block - 1) / block, [&](int) {
            return [&](std::int64_t b) { steps.multiply(product, b * block, std::min((b + 1) * block, num_rows)); };
        });
    }
    return as_array(std::move(result), num_rows, dim);
}

// Calls add(steps, first, last, sums) for equal parts of 0 ... size - 1, one a thread, and returns all sums as Python
// has them: loss, weight, the gradients of the line, and those of both tables, which are one array if the tables are.
template <class Add>
nb::tuple add_up(const FloatRows& sources, const FloatRows& contexts, std::int64_t count, int threads, int level,
                 Add add) {
    const auto size = static_cast<std::int64_t>(sources.size());
    const bool one_table = sources.data() == contexts.data();
    const int tables = one_table ? 1 : 2;
    std::vector<egonet::Buffer<float>> gradients;
    std::vector<egonet::PairSums> sums;
    for (int part = 0; part < threads; ++part) {
        for (int t = 0; t < tables; ++t) gradients.push_back(egonet::make_buffer<float>(size));
        sums.push_back({gradients[part * tables].get(), gradients[part * tables + tables - 1].get()});
    }
    {
        nb::gil_scoped_release released;
        const egonet::LearnSteps& steps = learn_steps(level);
        in_parts(count, threads, [&](int part, std::int64_t first, std::int64_t last) {
            for (int t = 0; t < tables; ++t) std::fill_n(gradients[part * tables + t].get(), size, 0.0f);
            add(steps, first, last, sums[part]);
        });
        // In the order of the parts, so that as many threads give the same numbers.
        in_parts(threads > 1 ? size : 0, threads, [&](int, std::int64_t first, std::int64_t last) {
            for (int other = tables; other < threads * tables; ++other)
                for (std::int64_t k = first; k < last; ++k)
                    gradients[other % tables].get()[k] += gradients[other].get()[k];
        });
    }
    for (int part = 1; part < threads; ++part) {
        sums[0].loss += sums[part].loss;
        sums[0].weight += sums[part].weight;
        sums[0].scale_gradient += sums[part].scale_gradient;
        sums[0].shift_gradient += sums[part].shift_gradient;
    }
    nb::object first = as_array(std::move(gradients[0]), sources.shape(0), sources.shape(1));
    nb::object second = one_table ? first : as_array(std::move(gradients[1]), sources.shape(0), sources.shape(1));
    return nb::make_tuple(sums[0].loss, sums[0].weight, sums[0].scale_gradient, sums[0].shift_gradient, first, second);
}

nb::tuple add_pairs(FloatRows sources, FloatRows contexts, Int64s row_of, Int64Rows segments, Int64Rows others,
                    std::int64_t window, float scale, float shift, int threads, int level) {
    const auto num_groups = static_cast<std::int64_t>(others.shape(0));
    const egonet::PairBatch batch{sources.data(),
                                  contexts.data(),
                                  row_of.data(),
                                  segments.data(),
                                  others.data(),
                                  static_cast<std::int64_t>(sources.shape(1)),
                                  window,
                                  static_cast<std::int64_t>(segments.shape(0)) / std::max<std::int64_t>(num_groups, 1),
                                  static_cast<std::int64_t>(others.shape(1)),
                                  scale,
                                  shift};
    return add_up(sources, contexts, num_groups, threads, level,
                  [&](const egonet::LearnSteps& steps, std::int64_t first, std::int64_t last, egonet::PairSums& sums) {
                      steps.add_pairs(batch, first, last, sums);
                  });
}

nb::tuple add_separate(FloatRows sources, FloatRows contexts, Int64s ours, Int64Rows theirs, float scale, float shift,
                       int threads, int level) {
    const egonet::SeparateBatch batch{sources.data(),
                                      contexts.data(),
                                      ours.data(),
                                      theirs.data(),
                                      static_cast<std::int64_t>(sources.shape(1)),
                                      static_cast<std::int64_t>(theirs.shape(1)),
                                      scale,
                                      shift};
    return add_up(sources, contexts, static_cast<std::int64_t>(ours.size()), threads, level,
                  [&](const egonet::LearnSteps& steps, std::int64_t first, std::int64_t last, egonet::PairSums& sums) {
                      steps.add_separate(batch, first, last, sums);
                  });
}

}  // namespace

void bind_learn(nb::module_& module) {
    module.def("multiply_sparse", &multiply_sparse, "indptr"_a, "indices"_a, "values"_a, "table"_a, "threads"_a,
               "level"_a = 2);
    module.def("add_pairs", &add_pairs, "sources"_a, "contexts"_a, "row_of"_a, "segments"_a, "others"_a, "window"_a,
               "scale"_a, "shift"_a, "threads"_a, "level"_a = 2);
    module.def("add_separate", &add_separate, "sources"_a, "contexts"_a, "ours"_a, "theirs"_a, "scale"_a, "shift"_a,
               "threads"_a, "level"_a = 2);
}
