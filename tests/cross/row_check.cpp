// Runs the kernels of pairs, links, edges, events, windows of time and SMILES on random data, without Python. `.ci/sanitize
// rows` builds it with each set of sanitizers. Exits 1 if 16 threads give other bytes than one: row_check [ROUNDS] [SEED]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "encode/ego_edges.hpp"
#include "events/event_rows.hpp"
#include "links/link_search.hpp"
#include "pairs/encode_pairs.hpp"
#include "pairs/end_distances.hpp"
#include "smiles/atom_codes.hpp"
#include "temporal/replay.hpp"
#include "temporal/replay_pairs.hpp"
#include "temporal/row_reader.hpp"

namespace {

using namespace egonet;
using Random = std::mt19937_64;

// FNV-1a over the bytes of numbers.
class Sum {
public:
    template <class Value>
    void add(const Value* values, std::int64_t count) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(values);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count) * sizeof(Value); ++i)
            value_ = (value_ ^ bytes[i]) * 1099511628211ULL;
    }
    void add(const Result& result) {
        add(result.indptr.get(), result.num_rows + 1);
        add(result.columns.get(), result.num_entries);
        add(result.counts.get(), result.num_entries);
        add(result.keys.get(), result.num_columns * result.width);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 14695981039346656037ULL;
};

struct Arrays {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    Graph graph() const { return {indptr.data(), indices.data(), static_cast<std::int64_t>(indptr.size()) - 1}; }
};

// Random arcs, the first nodes more often; sorted, no loops, both directions unless `directed`.
Arrays random_graph(Random& rng, std::int64_t num_nodes, std::int64_t num_pairs, bool directed) {
    std::set<std::pair<std::int32_t, std::int32_t>> arcs;
    const auto draw = [&] { return static_cast<std::int32_t>(rng() % num_nodes); };
    for (std::int64_t i = 0; i < num_pairs; ++i) {
        const std::int32_t u = i % 4 ? draw() : draw() % 5, v = draw();
        if (u == v) continue;
        arcs.insert({u, v});
        if (!directed) arcs.insert({v, u});
    }
    Arrays made;
    for (const auto& [u, v] : arcs) {
        while (static_cast<std::int32_t>(made.indptr.size()) <= u)
            made.indptr.push_back(static_cast<std::int64_t>(made.indices.size()));
        made.indices.push_back(v);
    }
    while (static_cast<std::int64_t>(made.indptr.size()) <= num_nodes)
        made.indptr.push_back(static_cast<std::int64_t>(made.indices.size()));
    return made;
}

std::vector<std::int64_t> random_pairs(Random& rng, std::int64_t num_nodes, std::int64_t count) {
    std::vector<std::int64_t> pairs;
    while (static_cast<std::int64_t>(pairs.size()) < 2 * count) {
        const std::int64_t u = rng() % num_nodes, v = rng() % num_nodes;
        if (u != v) pairs.insert(pairs.end(), {u, v});
    }
    return pairs;
}

// Calls a kernel with one thread and with 16, and compares the sums.
bool same_for_threads(const char* what, const std::function<std::uint64_t(Job&)>& kernel) {
    std::uint64_t sums[2];
    for (const int several : {0, 1}) {
        Job job;
        job.threads = several ? 16 : 1;
        sums[several] = kernel(job);
    }
    if (sums[0] != sums[1]) std::printf("%s: 16 threads give other bytes than one\n", what);
    return sums[0] == sums[1];
}

template <class Value>
Value one_of(Random& rng, std::initializer_list<Value> values) {
    return values.begin()[rng() % values.size()];
}

// Rows of pairs, distances of their ends, sums around them, and the edges of ego-networks, in one random graph.
bool check_graph(Random& rng) {
    const std::int64_t num_nodes = one_of<std::int64_t>(rng, {2, 7, 60, 300});
    const Direction direction = one_of(rng, {Direction::none, Direction::out, Direction::in});
    const bool directed = direction != Direction::none;
    const Arrays arrays = random_graph(rng, num_nodes, rng() % (6 * num_nodes), directed);
    const Graph graph = arrays.graph();
    const std::vector<std::int64_t> ends = random_pairs(rng, num_nodes, rng() % 4 ? 500 : 3);
    const PairList pairs{ends.data(), static_cast<std::int64_t>(ends.size()) / 2};
    std::vector<std::int32_t> labels(num_nodes);
    for (auto& label : labels) label = static_cast<std::int32_t>(rng() % 5);
    const Degrees degrees = directed ? one_of(rng, {Degrees::total, Degrees::in_out})
                                     : one_of(rng, {Degrees::total, Degrees::layered, Degrees::full});
    const auto flag = [&] { return rng() % 2 == 0; };
    const PairSettings settings{rng() % 3 ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{3, 1, 300},
                                degrees,
                                one_of(rng, {Follow::any, Follow::out, Follow::in}),
                                flag(),
                                flag(),
                                flag() ? std::int64_t{-1} : std::int64_t{3},
                                flag(),
                                direction,
                                flag() ? labels.data() : nullptr,
                                false};
    bool same = same_for_threads("pairs", [&](Job& job) {
        Sum sum;
        sum.add(encode_pairs(job, graph, settings, pairs));
        return sum.value();
    });
    same &= same_for_threads("distances of ends", [&](Job& job) {
        Sum sum;
        sum.add(end_distances(job, graph, pairs, 6, direction).get(), pairs.count);
        return sum.value();
    });
    if (directed) return same;
    const std::int64_t num_weights = 1 + rng() % 3;
    std::vector<std::int64_t> weights(num_nodes * num_weights);
    for (auto& weight : weights) weight = rng() % 100;
    const LinkSettings links{1 + static_cast<std::int64_t>(rng() % 3), flag(), flag(), weights.data(), num_weights};
    same &= same_for_threads("links", [&](Job& job) {
        Sum sum;
        const LinkSums found = sum_links(job, graph, links, ends.data(), pairs.count);
        sum.add(found.sums.get(), pairs.count * links.num_classes() * num_weights);
        sum.add(found.walks.get(), pairs.count * links.num_walks());
        return sum.value();
    });
    const EgoEdgeSettings inside{1 + static_cast<std::int64_t>(rng() % 3), degrees, flag(), settings.max_degree,
                                 flag()};
    same &= same_for_threads("edges of ego-networks", [&](Job& job) {
        Sum sum;
        sum.add(count_ego_edges(job, graph, inside, {nullptr, num_nodes}));
        return sum.value();
    });
    const EgoNetworkList listed = list_ego_networks(graph, 1 + rng() % 2);
    return same && listed.nodes.size() % 6 == 0;
}

// Rows of nodes and pairs as of events, from several threads, and rows of a window that moves.
bool check_windows(Random& rng) {
    const std::int64_t num_nodes = one_of<std::int64_t>(rng, {2, 9, 50}), count = rng() % 3000;
    std::vector<std::int32_t> sources, targets;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto u = static_cast<std::int32_t>(rng() % num_nodes);
        sources.push_back(u);
        targets.push_back(static_cast<std::int32_t>((u + 1 + rng() % (num_nodes - 1)) % num_nodes));
    }
    const Events events{sources.data(), targets.data(), count};
    const std::int64_t num_queries = 800, window = 1 + rng() % 200;
    const std::vector<std::int64_t> ends = random_pairs(rng, num_nodes, num_queries);
    std::vector<std::int32_t> nodes;
    std::vector<std::int64_t> first, last, order(num_queries);
    for (std::int64_t i = 0; i < num_queries; ++i) {
        nodes.push_back(static_cast<std::int32_t>(ends[2 * i]));
        last.push_back(rng() % (count + 1));
        first.push_back(std::max<std::int64_t>(0, last.back() - window));
    }
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return last[a] < last[b]; });
    std::vector<std::int32_t> labels(num_nodes);
    for (auto& label : labels) label = static_cast<std::int32_t>(rng() % 4);
    const auto flag = [&] { return rng() % 2 == 0; };
    const bool both = flag();
    const Degrees degrees = both ? Degrees::in_out : one_of(rng, {Degrees::total, Degrees::layered, Degrees::full});
    const Counted counted = flag() ? Counted::edges : Counted::events;
    const Settings settings{1 + static_cast<std::int64_t>(rng() % 3),
                            degrees,
                            flag(),
                            flag() ? -1 : 4,
                            flag() ? labels.data() : nullptr,
                            !both,
                            one_of(rng, {Follow::any, Follow::out, Follow::in})};
    bool same = same_for_threads("windows", [&](Job& job) {
        Sum sum;
        sum.add(replay_windows(job, events, num_nodes, count, settings, counted,
                               {nodes.data(), first.data(), last.data(), num_queries}, order));
        return sum.value();
    });
    const PairSettings of_pairs{{1, 2},          degrees,
                                settings.follow, flag(),
                                flag(),          settings.max_degree,
                                flag(),          both ? Direction::out : Direction::none,
                                settings.labels, false};
    same &= same_for_threads("pairs in windows", [&](Job& job) {
        Sum sum;
        sum.add(replay_pairs(job, events, num_nodes, count, of_pairs,
                             {{ends.data(), num_queries}, first.data(), last.data()}, order));
        return sum.value();
    });
    WindowArcs graph(1, !both, both);
    RowReader reader(graph, settings, counted);
    std::int64_t begin = 0;
    for (std::int64_t end = 0; end < count; ++end) {
        graph.reserve(std::max(sources[end], targets[end]) + 1);
        graph.add(sources[end], targets[end]);
        for (; end - begin >= window; ++begin) graph.remove(sources[begin], targets[begin]);
        if (end % 16) continue;
        const std::vector<std::int64_t> roots{sources[end], targets[end]};
        Sum one, many;
        one.add(reader.read(roots, settings.labels, 3));
        Job job;
        many.add(window_rows(job, graph, settings, counted, settings.labels ? 3 : 0, {roots.data(), 2}));
        same &= one.value() == many.value();
    }
    if (!same) std::puts("windows: rows differ");
    return same;
}

// Rows per event; a copy in the middle must continue like the original.
template <class Time>
bool check_events(Random& rng) {
    const auto flag = [&] { return rng() % 2 == 0; };
    events::EventSettings<Time> settings;
    settings.windows = {std::nullopt, static_cast<Time>(5), static_cast<Time>(1 + rng() % 50)};
    if (flag()) settings.windows.erase(settings.windows.begin());
    settings.radius = 1 + rng() % 3;
    settings.by_time = flag();
    settings.own = flag();
    settings.groups = {events::Group::ends, events::Group::pair, events::Group::ego, events::Group::cycles};
    std::shuffle(settings.groups.begin(), settings.groups.end(), rng);
    settings.groups.resize(1 + rng() % 4);
    settings.has_amounts = flag();
    settings.num_types = rng() % 3;
    settings.cycle_length = 2 + rng() % 4;
    const std::int32_t num_nodes = one_of(rng, {2, 8, 40});
    events::EventRows<Time> rows(settings);
    std::optional<events::EventRows<Time>> copy;
    Time now = static_cast<Time>(-3);
    for (int i = 0; i < 300; ++i) {
        now += static_cast<Time>(rng() % 4) / (std::is_floating_point_v<Time> && flag() ? 2 : 1);
        const auto draw = [&] { return static_cast<std::int32_t>(rng() % num_nodes); };
        const events::Event<Time> event{draw(), draw(), now, static_cast<double>(rng() % 9) - 2,
                                        static_cast<std::int32_t>(rng() % (settings.num_types + 1)) - 1};
        const bool is_kept = rng() % 8 != 0, wants_row = rng() % 4 != 0;
        std::vector<double> own(rows.width()), again(rows.width());
        const auto process = [&](events::EventRows<Time>& each, std::vector<double>& row) {
            each.reserve(num_nodes);
            each.prefetch(event.source, event.target);
            each.process(event, wants_row ? row.data() : nullptr, is_kept);
        };
        process(rows, own);
        if (copy) {
            process(*copy, again);
            if (std::memcmp(own.data(), again.data(), own.size() * sizeof(double)) != 0)
                return std::puts("events: a copy continues in another way"), false;
        }
        if (i == 150) copy.emplace(rows);
    }
    return rows.log().size() == copy->log().size();
}

// Texts of pieces of SMILES, and damaged ones; none may be read beyond its end.
bool check_smiles(Random& rng) {
    static const char* const pieces[] = {
        "C",    "c",     "N", "n", "O", "S",    "P",     "Cl",       "Br",         "[C@@H]",   "[nH]",  "[N+]",
        "[O-]", "[Na+]", "[", "]", "(", ")",    "1",     "2",        "%10",        "%9",       "=",     "#",
        ":",    "/",     ".", "@", "+", "\xff", "C(=O)", "c1ccccc1", "c1cc[nH]c1", "C1CCCCC1", "[C:12]"};
    smiles::Parser parser;
    std::string known = "c1ccccc1O";
    for (int i = 0; i < 2000; ++i) {
        std::string text = rng() % 3 ? "" : known;
        for (std::int64_t size = 1 + rng() % 12; size > 0; --size) {
            const std::size_t place = text.empty() ? 0 : rng() % (text.size() + 1);
            if (rng() % 4 == 0 && place < text.size()) text.erase(place, 1 + rng() % 3);
            else text.insert(rng() % 2 ? place : text.size(), pieces[rng() % std::size(pieces)]);
        }
        if (!parser.parse(text)) continue;
        if (text.size() < 200) known = text;
        std::int64_t codes = 0;
        for (const auto& atom : parser.atoms) codes += smiles::code_of(atom, smiles::Codes::invariant) >= 0;
        if (codes != std::ssize(parser.atoms)) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
    Random rng(argc > 2 ? std::atoi(argv[2]) : 1);
    bool same = true;
    for (int round = 0; round < rounds; ++round) {
        same &= check_graph(rng);
        same &= check_windows(rng);
        same &= check_events<std::int64_t>(rng);
        same &= check_events<double>(rng);
        same &= check_smiles(rng);
    }
    std::printf("%d rounds of pairs, links, edges, events, windows and SMILES: %s\n", rounds,
                same ? "same" : "different");
    return same ? 0 : 1;
}
