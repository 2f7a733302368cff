#include "update/update.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "encode/encode.hpp"

namespace egonet {

namespace {

// From this many roots on the kernel, with its preparation and its choice of algorithm, is faster.
constexpr std::size_t fewest_for_kernel = 64;

std::int64_t lowest_of_bin(std::int64_t degree) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(degree)));
}

// The part of a graph that the rows of some roots depend on, renumbered in the same order.
struct Extract {
    std::vector<std::int64_t> indptr{0}, roots;
    std::vector<std::int32_t> indices, labels;

    Extract(const PatchedGraph& graph, Ball& ball, std::span<const std::int32_t> wanted, const Settings& settings) {
        // Radius 0 keeps the root's degree, so its neighbors are needed too.
        ball.search(graph, wanted, std::max<std::int64_t>(settings.radius, 1));
        std::vector<std::int32_t> nodes(ball.nodes().begin(), ball.nodes().end());
        std::sort(nodes.begin(), nodes.end());
        NodeMap number(graph.num_nodes());
        for (std::size_t i = 0; i < nodes.size(); ++i) number.set(nodes[i], static_cast<std::int32_t>(i));
        std::size_t num_arcs = 0;
        for (std::int32_t v : nodes) num_arcs += graph.neighbors(v).size();
        indices.resize(num_arcs);
        std::size_t filled = 0;
        // The nodes before the current one have their lists, neighbors outside left out.
        for (std::int32_t v : nodes) {
            for (std::int32_t w : graph.neighbors(v)) {
                indices[filled] = number[w];
                filled += indices[filled] != NodeMap::none;
            }
            indptr.push_back(static_cast<std::int64_t>(filled));
            if (settings.labels) labels.push_back(settings.labels[v]);
        }
        for (std::int32_t v : wanted) roots.push_back(number[v]);
    }
};

}  // namespace

void add_to(RowEntries& row, const KeyBook& book, std::int32_t column, std::int32_t difference) {
    const std::int64_t rank = book.rank(column);
    const auto at = std::lower_bound(row.begin(), row.end(), rank,
                                     [&](const auto& entry, std::int64_t r) { return book.rank(entry.first) < r; });
    if (at == row.end() || at->first != column) row.insert(at, {column, difference});
    else if ((at->second += difference) == 0) row.erase(at);
}

void Update::insert(std::int32_t a, std::int32_t b) {
    note_edge(a, b, 1);
    graph_.insert(a, b);
}

void Update::erase(std::int32_t a, std::int32_t b) {
    graph_.erase(a, b);
    note_edge(a, b, -1);
}

// Called while the graph is without the edge. Both balls reach as far as the largest radius.
void Update::note_edge(std::int32_t a, std::int32_t b, std::int32_t sign) {
    const std::int64_t farthest = *std::max_element(settings_.radii.begin(), settings_.radii.end());
    near_a_.search(graph_, std::span(&a, 1), farthest);
    near_b_.search(graph_, std::span(&b, 1), farthest);
    for (std::size_t block = 0; block < settings_.radii.size(); ++block) note_radius(block, a, b, sign);
}

// A root sees the edge if both ends are within the radius once the edge is there. If the ends are then at most one
// hop apart without the edge too, no distance changes and only the ends' own keys do; otherwise the row is computed again.
void Update::note_radius(std::size_t block, std::int32_t a, std::int32_t b, std::int32_t sign) {
    const std::int64_t radius = settings_.radii[block];
    if (radius == 0) {
        for (std::int32_t end : {a, b}) note_end(block, end, end, 0, Ball::beyond, 0, sign);
        num_touched_ += 2;
        return;
    }
    for (const auto& [here, there] : {std::pair{&near_a_, &near_b_}, std::pair{&near_b_, &near_a_}}) {
        for (std::size_t place = 0; place < here->nodes().size(); ++place) {
            const std::int64_t distance = here->distance_at(place);
            if (distance >= radius) break;
            const std::int32_t root = here->nodes()[place];
            if (there->distance(root) >= distance + 2) recounted_[block].push_back(root);
        }
        num_touched_ += static_cast<std::int64_t>(here->nodes().size());
    }
    note_ends(block, a, near_a_, near_b_, sign);
    note_ends(block, b, near_b_, near_a_, sign);
}

// Notes the change of one end's key for every root whose distances stay.
void Update::note_ends(std::size_t block, std::int32_t end, const Ball& ball, const Ball& other, std::int32_t sign) {
    const std::int64_t radius = settings_.radii[block];
    const bool layered = settings_.each.degrees != Degrees::total;
    places_.clear();
    wanted_.clear();
    places_.reserve(ball.nodes().size());
    wanted_.reserve(ball.nodes().size());
    for (std::size_t place = 0; place < ball.nodes().size() && ball.distance_at(place) <= radius; ++place) {
        const std::int64_t distance = ball.distance_at(place), apart = other.distance(ball.nodes()[place]);
        if (apart > radius || apart > distance + 1 || distance > apart + 1) continue;
        places_.push_back(place);
        if (distance > 0 && (layered || distance == radius)) wanted_.push_back(place);
    }
    counts_.count(graph_, ball, radius, wanted_);
    for (std::size_t place : places_) {
        const std::int32_t root = ball.nodes()[place];
        note_end(block, end, root, ball.distance_at(place), other.distance(root), place, sign);
    }
}

// The key of one end of the edge, seen from one root: without the edge, and with it.
void Update::note_end(std::size_t block, std::int32_t end, std::int32_t root, std::int64_t distance, std::int64_t other,
                      std::size_t place, std::int32_t sign) {
    const Settings& each = settings_.each;
    const std::int64_t radius = settings_.radii[block], degree = graph_.degree(end);
    const bool last = distance == radius && radius > 0;
    const bool needed = distance > 0 && (each.degrees != Degrees::total || last);
    const std::int64_t closer = needed ? counts_.closer(place) : 0;
    const std::int64_t same = needed && (!last || each.frontier_edges) ? counts_.within(place) - closer : 0;
    const std::int64_t farther = last ? 0 : degree - closer - same;
    const bool hidden = last && other == radius && !each.frontier_edges;
    const auto note = [&](const Directions& to, std::int32_t difference) {
        Settings settings = each;
        settings.radius = radius;
        const std::int32_t column = book_.column(node_key(settings, settings_.log_bins, end, distance, to));
        changes_.push_back({root, static_cast<std::int32_t>(block), column, difference});
    };
    note({closer, same, farther}, -sign);
    note({closer + (other < distance), same + (other == distance && !hidden), farther + (other > distance)}, sign);
}

void Update::finish(int threads) {
    for (std::size_t block = 0; block < recounted_.size(); ++block) renewed_.push_back(renew_block(threads, block));
    sort_changes();
    book_.rank_columns();
}

// By root; in which order those of one root come does not matter.
void Update::sort_changes() {
    constexpr std::size_t few = 256;
    constexpr int bits = 8;
    if (changes_.size() < few) {
        std::sort(changes_.begin(), changes_.end(), [](const Change& x, const Change& y) { return x.root < y.root; });
        return;
    }
    std::vector<Change> other(changes_.size());
    // Before each step the changes are in the order of the last `shift` bits of their roots.
    for (int shift = 0; shift < 31 && (graph_.num_nodes() - 1) >> shift > 0; shift += bits) {
        const auto digit = [shift](const Change& change) { return (change.root >> shift) & ((1 << bits) - 1); };
        std::array<std::size_t, (1 << bits) + 1> begin{};
        for (const Change& change : changes_) ++begin[digit(change) + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        for (const Change& change : changes_) other[begin[digit(change)]++] = change;
        changes_.swap(other);
    }
}

Update::Renewed Update::renew_block(int threads, std::size_t block) {
    Renewed renewed;
    renewed.roots = std::move(recounted_[block]);
    std::sort(renewed.roots.begin(), renewed.roots.end());
    renewed.roots.erase(std::unique(renewed.roots.begin(), renewed.roots.end()), renewed.roots.end());
    Settings settings = settings_.each;
    settings.radius = settings_.radii[block];
    if (renewed.roots.size() < fewest_for_kernel) renew_few(settings, renewed);
    else renew_many(threads, settings, renewed);
    return renewed;
}

void Update::renew_few(const Settings& settings, Renewed& renewed) {
    PatchedRows rows(graph_, settings, settings_.log_bins, book_, near_a_);
    for (std::int32_t root : renewed.roots) renewed.rows.push_back(rows.row(root));
}

// Runs the kernel on the part of the graph that the roots see; what lies beyond their balls does not matter.
void Update::renew_many(int threads, Settings settings, Renewed& renewed) {
    Extract part(graph_, near_a_, renewed.roots, settings);
    if (settings.labels) settings.labels = part.labels.data();
    const Graph graph{part.indptr.data(), part.indices.data(), static_cast<std::int64_t>(part.indptr.size()) - 1};
    const Roots roots{part.roots.data(), static_cast<std::int64_t>(part.roots.size())};
    Job job;
    job.threads = threads;
    const Result result = encode(job, graph, settings, roots, {Algorithm::automatic, best_simd()});
    std::vector<std::int32_t> columns(result.num_columns);
    const int num_fields = 1 + static_cast<int>(settings.degrees);
    for (std::int64_t c = 0; c < result.num_columns; ++c) {
        Key key{settings.radius};
        std::copy_n(&result.keys[c * result.width], result.width, key.begin() + 1);
        for (int i = 0; settings_.log_bins && i < num_fields; ++i) key[2 + i] = lowest_of_bin(key[2 + i]);
        columns[c] = book_.column(key);
    }
    renewed.rows.resize(renewed.roots.size());
    for (std::size_t i = 0; i < renewed.rows.size(); ++i)
        for (std::int64_t entry = result.indptr[i]; entry < result.indptr[i + 1]; ++entry)
            renewed.rows[i].emplace_back(columns[result.columns[entry]], result.counts[entry]);
}

std::vector<Update::Touched> Update::touched() const {
    std::vector<std::int32_t> recounted;
    for (const Renewed& renewed : renewed_) {
        std::vector<std::int32_t> both;
        std::set_union(recounted.begin(), recounted.end(), renewed.roots.begin(), renewed.roots.end(),
                       std::back_inserter(both));
        recounted = std::move(both);
    }
    std::vector<Touched> found;
    found.reserve(recounted.size() + changes_.size() / 4);  // most have four changes
    std::size_t change = 0, next = 0;
    // Before each step all roots below both `changes_[change]` and `recounted[next]` have been found.
    while (change < changes_.size() || next < recounted.size()) {
        const std::int32_t a = change < changes_.size() ? changes_[change].root : INT32_MAX;
        const std::int32_t b = next < recounted.size() ? recounted[next] : INT32_MAX;
        Touched touched{std::min(a, b), b <= a, change, change};
        next += touched.is_renewed;
        while (touched.last < changes_.size() && changes_[touched.last].root == touched.root) ++touched.last;
        change = touched.last;
        found.push_back(touched);
    }
    return found;
}

const RowEntries* Update::renewed_row(std::size_t block, std::int32_t root) const {
    const auto& roots = renewed_[block].roots;
    const auto at = std::lower_bound(roots.begin(), roots.end(), root);
    return at == roots.end() || *at != root ? nullptr : &renewed_[block].rows[at - roots.begin()];
}

bool Update::is_whole(const Touched& touched) const {
    if (!touched.is_renewed) return false;
    for (std::size_t block = 0; block < renewed_.size(); ++block)
        if (!renewed_row(block, touched.root)) return false;
    return true;
}

void Update::apply(const Touched& touched, RowEntries& row) const {
    for (std::size_t block = 0; touched.is_renewed && block < renewed_.size(); ++block) {
        const RowEntries* renewed = renewed_row(block, touched.root);
        if (!renewed) continue;
        std::erase_if(row, [&](const auto& entry) { return book_.block(entry.first) == block; });
        for (const auto& [column, count] : *renewed) add_to(row, book_, column, count);
    }
    for (std::size_t i = touched.first; i < touched.last; ++i)
        if (!touched.is_renewed || !renewed_row(changes_[i].block, touched.root))
            add_to(row, book_, changes_[i].column, changes_[i].difference);
}

}  // namespace egonet
