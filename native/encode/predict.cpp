#include "encode/predict.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "bitwise/bitwise_pass.hpp"
#include "core/adjacency.hpp"
#include "core/buffer.hpp"
#include "core/parallel.hpp"

namespace egonet {

namespace {

// How much of the graph `count` balls cover together, if one covers `one` and `sampled` of them cover `together`:
// balls as random subsets of some region, whose size is what makes the two figures agree.
double extrapolate(double one, double together, double sampled, double count, double whole) {
    if (one <= 0) return 0;
    const auto covered = [&](double region, double balls) {
        return region * -std::expm1(balls * std::log1p(-std::min(one / region, 1 - 1e-12)));
    };
    double low = std::max(one, together), high = std::max(low, whole);
    // The cover grows with the region, so the region is between low and high after every step.
    for (int step = 0; step < 50; ++step) {
        const double middle = std::sqrt(low * high);
        (covered(middle, sampled) < together ? low : high) = middle;
    }
    return covered(high, count);
}

class Sampler {
public:
    Sampler(const Graph& graph, const Settings& settings)
        : graph_(graph), settings_(settings), marks_(make_untouched_zeros<Marks>(graph.num_nodes)) {}

    std::int64_t arcs_read = 0;

    // The first `size` nodes of a breadth-first search from `start`.
    std::vector<std::int32_t> ball(std::int32_t start, std::int64_t size) {
        std::vector<std::int32_t> queue{start};
        ++search_;
        marks_[start].search = search_;
        for (std::size_t i = 0; i < queue.size() && static_cast<std::int64_t>(queue.size()) < size; ++i)
            for (std::int64_t arc = graph_.indptr[queue[i]]; arc < graph_.indptr[queue[i] + 1]; ++arc) {
                const std::int32_t w = graph_.indices[arc];
                if (std::exchange(marks_[w].search, search_) != search_) queue.push_back(w);
            }
        if (static_cast<std::int64_t>(queue.size()) > size) queue.resize(size);
        return queue;
    }

    // What the searches of this ball's sources cost one by one, and what they cover together.
    struct Totals {
        double searches = 0, source_arcs = 0, nodes = 0, again = 0, ring_nodes = 0;
        double inner_arcs = 0, ring_arcs = 0;
        // Together: what is nearer than the radius to some root, the same as often as it has distances, what is in
        // the last ring of some root, and everything.
        double covered_inner_arcs = 0, covered_inner_nodes = 0;
        double push_arcs = 0, push_nodes = 0;
        double covered_ring_arcs = 0, covered_nodes = 0;
    };

    void begin_ball() { ++ball_; }

    void search(std::int32_t root, Totals& totals) {
        queue_.assign(1, root);
        ++search_;
        again_ = std::exchange(marks_[root].search, search_) == search_ - 1;
        std::size_t begin = 0;
        for (std::int64_t distance = 0; distance < settings_.radius && begin < queue_.size(); ++distance) {
            const std::size_t end = queue_.size();
            for (; begin < end; ++begin) {
                totals.source_arcs += expand(queue_[begin]);
                note_inner(queue_[begin], static_cast<std::int32_t>(distance), totals);
            }
        }
        const std::size_t ring = settings_.radius > 0 ? begin : 1;
        for (std::size_t i = ring; i < queue_.size(); ++i) {
            totals.source_arcs += ring_cost(queue_[i]);
            note_ring(queue_[i], totals);
        }
        for (const std::int32_t v : queue_) totals.covered_nodes += std::exchange(marks_[v].ball, ball_) != ball_;
        ++totals.searches;
        totals.nodes += static_cast<double>(queue_.size());
        totals.again += static_cast<double>(again_);
        totals.ring_nodes += static_cast<double>(queue_.size() - ring);
    }

private:
    // What is known of a node, together: a sample touches few nodes of a large graph, each on another page.
    struct Marks {
        std::int32_t search;     // the last search that met it
        std::int32_t ball;       // the last ball in which one did
        std::int32_t ring_ball;  // the last ball in which it was in a last ring
        // The last ball in which it was nearer than the radius, and at which distances: all from the least to the most.
        std::int32_t inner_ball, least, most;
    };

    void note_inner(std::int32_t v, std::int32_t distance, Totals& totals) {
        const std::int32_t degree = graph_.degree(v);
        Marks& marks = marks_[v];
        totals.inner_arcs += degree;
        std::int32_t added = 0;
        if (std::exchange(marks.inner_ball, ball_) != ball_) {
            marks.least = marks.most = distance;
            totals.covered_inner_arcs += degree;
            ++totals.covered_inner_nodes;
            added = 1;
        } else if (distance < marks.least) {
            added = std::exchange(marks.least, distance) - distance;
        } else if (distance > marks.most) {
            added = distance - std::exchange(marks.most, distance);
        }
        totals.push_arcs += double(added) * degree;
        totals.push_nodes += added;
    }

    void note_ring(std::int32_t v, Totals& totals) {
        totals.ring_arcs += graph_.degree(v);
        if (std::exchange(marks_[v].ring_ball, ball_) != ball_) totals.covered_ring_arcs += graph_.degree(v);
    }

    double expand(std::int32_t v) {
        for (std::int64_t arc = graph_.indptr[v]; arc < graph_.indptr[v + 1]; ++arc) {
            const std::int32_t w = graph_.indices[arc];
            const std::int32_t last = std::exchange(marks_[w].search, search_);
            if (last == search_) continue;
            again_ += last == search_ - 1;
            queue_.push_back(w);
        }
        arcs_read += graph_.degree(v);
        return graph_.degree(v);
    }

    // Total degrees read only the neighbors of higher rank; about all of them on average over few, as counted here.
    double ring_cost(std::int32_t v) {
        const std::int32_t degree = graph_.degree(v);
        if (settings_.degrees != Degrees::total || !settings_.symmetric) return degree;
        if (!settings_.frontier_edges) return 0;
        constexpr std::int32_t most = 8;
        const std::int32_t step = std::max(1, degree / most);
        std::int32_t looked = 0, above = 0;
        for (std::int64_t arc = graph_.indptr[v]; arc < graph_.indptr[v + 1]; arc += step, ++looked)
            above += ranks_below(graph_, v, graph_.indices[arc]);
        arcs_read += looked;
        return looked ? double(degree) * above / looked : 0;
    }

    const Graph& graph_;
    const Settings& settings_;
    Buffer<Marks> marks_;
    std::vector<std::int32_t> queue_;
    std::int64_t again_ = 0;  // nodes of this search that the one before met too
    std::int32_t search_ = 0, ball_ = 0;
};

// About how many arcs the search for triangles reads: from every edge the shorter of its ends' lists, half of it.
double triangle_work(const Graph& graph) {
    double work = 0;
    const std::int64_t step = std::max<std::int64_t>(1, graph.num_nodes / 100000);
    for (std::int64_t v = 0; v < graph.num_nodes; v += step)
        for (std::int64_t arc = graph.indptr[v]; arc < graph.indptr[v + 1]; ++arc)
            work += std::min(graph.degree(v), graph.degree(graph.indices[arc]));
    return work * double(step) / 4;
}

// Evenly spread roots say what a search costs, and the roots after them how much of it is still in the cache. They are
// searched in parts.
constexpr std::int64_t num_source_parts = 4;
struct SourceTotals {
    Sampler::Totals first, next;
};

SourceTotals sample_sources(Sampler& sampler, const Roots& roots, std::int64_t part, std::int64_t most_arcs) {
    constexpr std::int64_t num_sources = 64;
    SourceTotals totals;
    sampler.begin_ball();
    const std::int64_t stop = sampler.arcs_read + most_arcs;
    // An odd stride through a power of two comes past every slot once, early ones far apart.
    for (std::int64_t i = part; i < num_sources; i += num_source_parts) {
        const std::int64_t row = roots.count * (2 * (37 * i % num_sources) + 1) / (2 * num_sources);
        sampler.search(roots[row], totals.first);
        sampler.search(roots[std::min(row + 1, roots.count - 1)], totals.next);
        if (sampler.arcs_read > stop) break;
    }
    return totals;
}

void add_sources(std::span<const SourceTotals> parts, Sample& mean) {
    double searches = 0, fresh_nodes = 0, num_next = 0;
    for (const auto& [first, next] : parts) {
        searches += first.searches + next.searches;
        mean.source_arcs += first.source_arcs + next.source_arcs;
        mean.source_nodes += first.nodes + next.nodes;
        mean.ring_nodes += first.ring_nodes + next.ring_nodes;
        fresh_nodes += next.nodes - next.again;
        num_next += next.searches;
    }
    for (double Sample::* figure : {&Sample::source_arcs, &Sample::source_nodes, &Sample::ring_nodes})
        mean.*figure /= searches;
    mean.fresh_nodes = fresh_nodes / num_next;
}

// The balls of some roots say how much those of a pass overlap. Writes the figures of a pass.
void sample_pass(Sampler& sampler, const Graph& graph, const Roots& roots, std::int32_t start, std::int64_t most_arcs,
                 Sample& pass) {
    const std::int64_t lanes = std::min<std::int64_t>(num_lanes, roots.count);
    // Where only some nodes are roots, those of a pass lie that much farther apart.
    const std::int64_t spread = std::max<std::int64_t>(1, graph.num_nodes / roots.count);
    const std::vector<std::int32_t> ball = sampler.ball(start, std::min(lanes * spread, graph.num_nodes));
    Sampler::Totals totals;
    sampler.begin_ball();
    const std::int64_t stop = sampler.arcs_read + most_arcs;
    const auto size = static_cast<std::int64_t>(ball.size());
    std::int64_t num_slots = 1;
    while (num_slots < size) num_slots *= 2;
    for (std::int64_t i = 0, slot = 0; i < num_slots; ++i, slot = (slot + (num_slots * 5 / 8 | 1)) & (num_slots - 1)) {
        if (slot >= size) continue;
        sampler.search(ball[slot], totals);
        if (totals.searches >= lanes || (totals.searches >= 2 && sampler.arcs_read > stop)) break;
    }
    // A small component has fewer nodes than lanes: a pass then covers several such balls.
    const double repeats = std::max(1.0, double(lanes) / double(size));
    const auto cover = [&](double all, double together, double whole) {
        return repeats * extrapolate(all / totals.searches, together, totals.searches, double(lanes) / repeats, whole);
    };
    const auto all_arcs = double(graph.num_arcs()), all_nodes = double(graph.num_nodes);
    const double inner_nodes = totals.nodes - totals.ring_nodes;
    // Every node is read as often as it has distances, on average as in the sample.
    pass.push_arcs = cover(totals.inner_arcs, totals.covered_inner_arcs, all_arcs) * totals.push_arcs /
                     std::max(totals.covered_inner_arcs, 1.0);
    pass.push_nodes = cover(inner_nodes, totals.covered_inner_nodes, all_nodes) * totals.push_nodes /
                      std::max(totals.covered_inner_nodes, 1.0);
    pass.ring_arcs = cover(totals.ring_arcs, totals.covered_ring_arcs, all_arcs);
    pass.pass_nodes = cover(totals.nodes, totals.covered_nodes, all_nodes);
}

}  // namespace

Sample sample_searches(Job& job, const Graph& graph, const Settings& settings, const Roots& roots,
                       std::int64_t most_arcs, const std::function<void()>& meanwhile) {
    constexpr int num_balls = 3;
    Sample sample, passes[num_balls];
    if (!roots.count) return sample;
    SourceTotals sources[num_source_parts];
    const std::int64_t before = meanwhile ? 1 : 0, num_parts = before + num_balls + num_source_parts;
    // Every worker touches new pages, which takes longer than the searches of a large sparse graph.
    const std::int64_t num_blocks = graph.num_nodes < 1 << 17 ? num_parts : 4;
    const auto run_part = [&](Sampler& sampler, std::int64_t part) {
        if (part < 0) return meanwhile();
        if (part < num_balls)
            sample_pass(sampler, graph, roots, roots[roots.count * (2 * part + 1) / (2 * num_balls)],
                        most_arcs / 2 / num_balls, passes[part]);
        else
            sources[part - num_balls] =
                sample_sources(sampler, roots, part - num_balls, most_arcs / 2 / num_source_parts);
    };
    run_blocks(job, num_blocks, [&](int) {
        return [&, sampler = Sampler(graph, settings)](std::int64_t block) mutable {
            for (std::int64_t part = block; part < num_parts; part += num_blocks) run_part(sampler, part - before);
        };
    });
    add_sources(sources, sample);
    for (double Sample::* figure : {&Sample::push_arcs, &Sample::push_nodes, &Sample::ring_arcs, &Sample::pass_nodes})
        sample.*figure = (passes[0].*figure + passes[1].*figure + passes[2].*figure) / num_balls;
    return sample;
}

// Nanoseconds, fitted on the benchmark graphs; see docs/decisions/0003-three-algorithms.md.
static double source_cost(const Graph& graph, const Settings& settings, const Roots& roots, const Sample& sample) {
    // Searches wait for nodes that the one before did not meet, as far as the graph is larger than the cache.
    const double graph_bytes = 4.0 * double(graph.num_arcs()) + 16.0 * double(graph.num_nodes);
    const double waits = sample.fresh_nodes * std::max(0.0, 1 - 1e6 / std::max(graph_bytes, 1.0));
    return double(roots.count) * (settings.degrees == Degrees::total
                                      ? 110 + 2.0 * sample.source_arcs + 1.0 * sample.source_nodes + 22 * waits
                                      : 100 + 2.5 * sample.source_arcs + 1.3 * sample.source_nodes);
}

static double bitwise_setup(const Graph& graph) {
    return 12.0 * double(graph.num_arcs()) + 60.0 * double(graph.num_nodes);
}

static double triangle_setup(const Graph& graph) {
    return 20.0 * double(graph.num_arcs()) + 40.0 * double(graph.num_nodes);
}

SourceCosts predict_source(const Graph& graph, const Settings& settings, const Roots& roots, std::int64_t most_arcs) {
    Sampler sampler(graph, settings);
    const SourceTotals part[] = {sample_sources(sampler, roots, 0, most_arcs)};
    Sample sample;
    add_sources(part, sample);
    const bool triangles = settings.radius == 1 && settings.symmetric;
    return {source_cost(graph, settings, roots, sample), triangles ? triangle_setup(graph) : bitwise_setup(graph)};
}

Costs predict_costs(const Graph& graph, const Settings& settings, const Roots& roots, const Sample& sample) {
    const double passes = std::ceil(double(roots.count) / num_lanes);
    const double lanes = double(roots.count) / std::max(passes, 1.0);
    const bool total = settings.degrees == Degrees::total;
    const double per_pair = settings.degrees == Degrees::layered ? 14.5 : 22;
    const double per_pass =
        total ? 40 * lanes + 13 * sample.push_arcs + 30 * sample.push_nodes + 19 * sample.ring_arcs +
                    60 * sample.pass_nodes + 1.2 * lanes * sample.ring_nodes
              : 12 * lanes + 16 * (sample.push_arcs + sample.ring_arcs) + per_pair * lanes * sample.source_nodes;
    Costs costs;
    costs.source = source_cost(graph, settings, roots, sample);
    costs.bitwise = passes * per_pass + bitwise_setup(graph);
    if (settings.radius == 1 && settings.symmetric)
        costs.triangle = triangle_setup(graph) + (settings.frontier_edges ? 0.7 * triangle_work(graph) : 0);
    return costs;
}

}  // namespace egonet
