// Encodes one graph with every algorithm and prints a checksum of each result, without Python: .ci/cross compares what
// programs for different processors print. Exits 1 if two algorithms differ.
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include "encode/encode.hpp"

namespace {

struct Arrays {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
};

// 400 nodes and 1,600 random pairs, the first few nodes more often: both directions, sorted, no loops.
Arrays random_graph() {
    constexpr std::uint32_t num_nodes = 400;
    std::set<std::pair<std::uint32_t, std::uint32_t>> arcs;
    std::uint64_t state = 12345;
    const auto draw = [&state] {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::uint32_t>(state >> 33) % num_nodes;
    };
    for (int pair = 0; pair < 1600; ++pair) {
        const std::uint32_t source = pair % 4 ? draw() : draw() % 5, target = draw();
        if (source == target) continue;
        arcs.insert({source, target});
        arcs.insert({target, source});
    }
    Arrays made;
    for (const auto& [source, target] : arcs) {
        while (made.indptr.size() <= source) made.indptr.push_back(static_cast<std::int64_t>(made.indices.size()));
        made.indices.push_back(static_cast<std::int32_t>(target));
    }
    while (made.indptr.size() <= num_nodes) made.indptr.push_back(static_cast<std::int64_t>(made.indices.size()));
    return made;
}

// FNV-1a over the values, the same for every byte order.
template <class Value>
void mix(std::uint64_t& sum, const Value* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        for (int shift = 0; shift < 64; shift += 8)
            sum = (sum ^ ((static_cast<std::uint64_t>(values[i]) >> shift) & 255)) * 1099511628211ULL;
}

std::uint64_t checksum(const egonet::Result& result) {
    std::uint64_t sum = 14695981039346656037ULL;
    mix(sum, result.indptr.get(), result.num_rows + 1);
    mix(sum, result.columns.get(), result.num_entries);
    mix(sum, result.counts.get(), result.num_entries);
    mix(sum, result.keys.get(), result.num_columns * result.width);
    return sum;
}

}  // namespace

int main() {
    using egonet::Algorithm, egonet::Degrees;
    const Arrays arrays = random_graph();
    const egonet::Graph graph{arrays.indptr.data(), arrays.indices.data(),
                              static_cast<std::int64_t>(arrays.indptr.size()) - 1};
    bool same = true;
    for (const Degrees degrees : {Degrees::total, Degrees::layered, Degrees::full})
        for (std::int64_t radius = 1; radius <= 3; ++radius) {
            std::uint64_t first = 0;
            for (const Algorithm algorithm : {Algorithm::source, Algorithm::bitwise, Algorithm::automatic,
                                              radius == 1 ? Algorithm::triangle : Algorithm::source}) {
                egonet::Job job;
                job.threads = 2;
                const egonet::Settings settings{radius, degrees, true, -1, nullptr, true};
                const std::uint64_t sum = checksum(
                    egonet::encode(job, graph, settings, {nullptr, graph.num_nodes}, {algorithm, egonet::best_simd()}));
                if (first == 0) first = sum;
                same = same && sum == first;
            }
            std::printf("degrees %d radius %d %016llx\n", static_cast<int>(degrees), static_cast<int>(radius),
                        static_cast<unsigned long long>(first));
        }
    std::puts(same ? "all algorithms agree" : "algorithms differ");
    return same ? 0 : 1;
}
