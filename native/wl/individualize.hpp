// Individualization and refinement: the class of every node under a search that marks nodes, as in
// kernel/search_tree.py. Outcomes and classes are integer sequences, numbered exactly; automorphisms found on
// the way save searches whose class is then known, and change no class.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/sequence_table.hpp"
#include "core/workers.hpp"
#include "wl/local_graph.hpp"
#include "wl/ordered_cells.hpp"

namespace egonet {

struct SearchSettings {
    std::int32_t depth;   // marks, the root included; at least 1
    bool all_cells;       // marks from all cells of several nodes, not only from the largest
    std::int64_t radius;  // or no_radius
};

// The outcomes and classes that one worker has met, by number. A class is the sequence of its outcome and, sorted,
// the distinct classes of its children with their multiplicities: child, multiplicity, child, multiplicity, ...
struct SearchTables {
    SequenceTable outcomes, classes;
    std::vector<char> determined;  // per outcome
    std::vector<char> complete;    // per class: whether an outcome in it determines the graph

    // `children` is sorted by this call.
    std::int32_t class_of(std::int32_t outcome, std::vector<std::int32_t>& children) {
        std::sort(children.begin(), children.end());
        bool is_complete = determined[outcome];
        words_.assign(1, outcome);
        for (std::size_t i = 0, next; i < children.size(); i = next) {
            for (next = i; next < children.size() && children[next] == children[i];) ++next;
            words_.push_back(children[i]);
            words_.push_back(static_cast<std::int32_t>(next - i));
            is_complete |= complete[children[i]] != 0;
        }
        const std::int32_t number = classes.intern(words_);
        if (number == static_cast<std::int32_t>(complete.size())) complete.push_back(is_complete);
        return number;
    }

    std::int32_t outcome_of(std::span<const std::int32_t> words, bool is_determined) {
        const std::int32_t number = outcomes.intern(words);
        if (number == static_cast<std::int32_t>(determined.size())) determined.push_back(is_determined);
        return number;
    }

private:
    std::vector<std::int32_t> words_;
};

// Searches in one local graph after another.
class Searcher {
public:
    Searcher(const SearchSettings& settings, SearchTables& tables, const std::atomic<bool>& cancelled)
        : settings_(settings), tables_(tables), cancelled_(cancelled), levels_(settings.depth + 1) {}

    // The class of the root of an ego-network.
    std::int32_t root_class(const LocalGraph& graph) {
        bind(graph);
        Level& level = levels_[settings_.depth];
        refiner_.start(level.child, graph.distance);
        return search(level.child, refine(level.child), settings_.depth - 1);
    }

    // Appends the classes of some nodes of a connected graph, each as the root of a search in the whole graph.
    void root_classes(const LocalGraph& graph, std::span<const std::int32_t> roots, std::vector<std::int32_t>& found) {
        bind(graph);
        explore(roots, settings_.depth, found, [&](std::int32_t root, OrderedCells& child) {
            local_distances(graph, root, distance_, queue_);
            refiner_.start(child, distance_);
        });
    }

    // Calls visit(cells) for every sequence of marks with which the search from the root of an ego-network ends.
    template <class Visit>
    void visit_leaves(const LocalGraph& graph, Visit visit) {
        bind(graph);
        OrderedCells& cells = levels_[settings_.depth].child;
        refiner_.start(cells, graph.distance);
        refiner_.run(cells);
        visit_below(cells, settings_.depth - 1, visit);
    }

    OrderedRefiner& refiner() { return refiner_; }

private:
    // A child whose class is known, to compare others with.
    struct Known {
        OrderedCells cells;
        std::int32_t outcome, number;
    };
    // Scratch of one level of the search; children of one parent are explored before those of the next.
    struct Level {
        OrderedCells child;
        std::vector<std::int32_t> targets, children, orbit, class_of_orbit;
        std::vector<Known> known;
        std::size_t num_known = 0;
    };
    struct Pair {
        OrderedCells first, second;
    };
    static constexpr std::size_t most_known = 32;
    // Comparisons that fail cost time and find nothing: how many nodes one tries in vain, and how many fail per parent.
    static constexpr int most_tries = 8, most_failures = 16;

    void bind(const LocalGraph& graph) {
        graph_ = &graph;
        refiner_.bind(graph);
    }

    // Refines marked cells and returns the number of the outcome.
    std::int32_t refine(OrderedCells& cells) {
        refiner_.run(cells);
        const OutcomeInfo info = refiner_.write(cells, words_);
        return tables_.outcome_of(words_, info.determined);
    }

    std::int32_t search(const OrderedCells& cells, std::int32_t outcome, std::int32_t depth) {
        Level& level = levels_[depth];
        level.children.clear();
        if (depth > 0 && !tables_.determined[outcome]) {
            list_targets(cells, level.targets);
            explore(level.targets, depth, level.children, [&](std::int32_t v, OrderedCells& child) {
                child = cells;
                refiner_.mark(child, v);
            });
        }
        return tables_.class_of(outcome, level.children);
    }

    // The nodes of the largest cell, or of all cells of several nodes.
    void list_targets(const OrderedCells& cells, std::vector<std::int32_t>& targets) const {
        targets.clear();
        std::int32_t largest = 0;
        for (std::int32_t begin = 0; begin < graph_->num_nodes(); begin += cells.size[begin]) {
            const auto first = cells.order.begin() + begin;
            if (settings_.all_cells && cells.size[begin] > 1)
                targets.insert(targets.end(), first, first + cells.size[begin]);
            if (cells.size[begin] > cells.size[largest]) largest = begin;
        }
        if (settings_.all_cells) return;
        const auto first = cells.order.begin() + largest;
        targets.assign(first, first + cells.size[largest]);
    }

    // Appends the class of each target: that of the child which `begin(target, child)` starts, with depth - 1 more
    // marks. Targets that an automorphism exchanges have one class; the last level is cheaper than looking for them.
    template <class Begin>
    void explore(std::span<const std::int32_t> targets, std::int32_t depth, std::vector<std::int32_t>& found,
                 Begin begin) {
        Level& level = levels_[depth];
        const bool compares = depth > 1;
        level.num_known = 0;
        if (compares) {
            level.orbit.resize(graph_->num_nodes());
            std::iota(level.orbit.begin(), level.orbit.end(), 0);
            level.class_of_orbit.assign(graph_->num_nodes(), -1);
        }
        int failures = 0;
        // Before each step the orbits hold all automorphisms found, and an orbit has a class if one of its nodes has.
        for (const std::int32_t target : targets) {
            if (cancelled_.load(std::memory_order_relaxed)) return;
            std::int32_t number = compares ? level.class_of_orbit[orbit_of(level, target)] : -1;
            if (number < 0) {
                begin(target, level.child);
                const std::int32_t outcome = refine(level.child);
                if (compares) number = class_by_automorphism(level, outcome, failures);
                if (number < 0) {
                    number = search(level.child, outcome, depth - 1);
                    if (compares) keep(level, outcome, number);
                }
                if (compares) level.class_of_orbit[orbit_of(level, target)] = number;
            }
            found.push_back(number);
        }
    }

    void keep(Level& level, std::int32_t outcome, std::int32_t number) {
        if (level.num_known == most_known) return;
        if (level.num_known == level.known.size()) level.known.emplace_back();
        Known& known = level.known[level.num_known++];
        std::swap(known.cells, level.child);
        known.outcome = outcome;
        known.number = number;
    }

    // The class of a known child that an automorphism takes to this one, or -1 if none is found.
    std::int32_t class_by_automorphism(Level& level, std::int32_t outcome, int& failures) {
        for (std::size_t i = 0; i < level.num_known && failures < most_failures; ++i) {
            const Known& known = level.known[i];
            if (known.outcome != outcome) continue;
            int tries = most_tries;
            if (const Pair* image = match(known.cells, level.child, 0, tries)) {
                for (std::int32_t place = 0; place < graph_->num_nodes(); ++place)
                    unite(level, image->first.order[place], image->second.order[place]);
                return known.number;
            }
            ++failures;
        }
        return -1;
    }

    // Looks for an automorphism that takes the first cells, in order, to the second; both have the same outcome. Marks
    // a node of the first and tries the nodes of the same cell of the second, until the outcomes determine the graph:
    // then the order of one is the image of the order of the other. Returns these, or null where it gives up.
    const Pair* match(const OrderedCells& first, const OrderedCells& second, std::size_t step, int& tries) {
        if (step == pairs_.size()) pairs_.emplace_back();
        Pair& pair = pairs_[step];
        pair.first = first;
        const OutcomeInfo info = refiner_.write(first, first_words_);
        if (info.determined) {
            pair.second = second;
            return &pair;
        }
        refiner_.mark(pair.first, first.order[info.split_cell]);
        refiner_.run(pair.first);
        for (std::int32_t i = 0; i < first.size[info.split_cell]; ++i) {
            pair.second = second;
            refiner_.mark(pair.second, second.order[info.split_cell + i]);
            refiner_.run(pair.second);
            refiner_.write(pair.first, first_words_);
            refiner_.write(pair.second, second_words_);
            if (first_words_ == second_words_)
                if (const Pair* image = match(pair.first, pair.second, step + 1, tries)) return image;
            if (--tries < 0) return nullptr;
        }
        return nullptr;
    }

    static std::int32_t orbit_of(Level& level, std::int32_t v) {
        while (level.orbit[v] != v) v = level.orbit[v] = level.orbit[level.orbit[v]];
        return v;
    }

    static void unite(Level& level, std::int32_t a, std::int32_t b) {
        a = orbit_of(level, a);
        b = orbit_of(level, b);
        if (a == b) return;
        level.orbit[a] = b;
        if (level.class_of_orbit[b] < 0) level.class_of_orbit[b] = level.class_of_orbit[a];
    }

    template <class Visit>
    void visit_below(const OrderedCells& cells, std::int32_t depth, Visit& visit) {
        if (depth == 0 || refiner_.write(cells, words_).determined) return visit(cells);
        Level& level = levels_[depth];
        list_targets(cells, level.targets);
        for (const std::int32_t v : level.targets) {
            level.child = cells;
            refiner_.mark(level.child, v);
            refiner_.run(level.child);
            visit_below(level.child, depth - 1, visit);
        }
    }

    SearchSettings settings_;
    SearchTables& tables_;
    const std::atomic<bool>& cancelled_;
    const LocalGraph* graph_ = nullptr;
    OrderedRefiner refiner_;
    std::vector<Level> levels_;  // by the number of marks that are left
    std::deque<Pair> pairs_;     // by step of `match`; a deque keeps them in place
    std::vector<std::int32_t> words_, first_words_, second_words_, distance_, queue_;
};

// Roots that one worker searches from: nodes of one component, or consecutive nodes if there is a radius.
struct RootBlocks {
    std::vector<std::int32_t> roots;      // component after component, each in the order of a local copy
    std::vector<std::int64_t> ptr{0};     // block b has the roots ptr[b] ... ptr[b + 1] - 1
    std::vector<std::int64_t> component;  // where the component of block b begins in `roots`

    // Makes blocks of all roots that are in none.
    void close() {
        constexpr std::int64_t length = 256;
        const std::int64_t begin = ptr.back(), end = static_cast<std::int64_t>(roots.size());
        while (ptr.back() < end) {
            ptr.push_back(std::min(ptr.back() + length, end));
            component.push_back(begin);
        }
    }
};

inline RootBlocks root_blocks(const Graph& graph, std::int64_t radius) {
    RootBlocks blocks;
    std::vector<char> seen(graph.num_nodes);
    for (std::int32_t start = 0; start < graph.num_nodes; ++start) {
        if (seen[start]) continue;
        std::size_t k = blocks.roots.size();
        seen[start] = 1;
        blocks.roots.push_back(start);
        if (radius != no_radius) continue;
        // The order in which LocalGraphs visits nodes, so that root k of a component is node k of its copy.
        for (; k < blocks.roots.size(); ++k)
            for (std::int64_t arc = graph.indptr[blocks.roots[k]]; arc < graph.indptr[blocks.roots[k] + 1]; ++arc) {
                const std::int32_t u = graph.indices[arc];
                if (!seen[u]) blocks.roots.push_back(u);
                seen[u] = 1;
            }
        blocks.close();
    }
    blocks.close();
    return blocks;
}

// Replaces the classes of the workers' tables by common numbers, in order of first appearance.
inline void number_classes(const std::vector<SearchTables>& tables, const std::vector<std::uint16_t>& worker_of,
                           std::int64_t* classes, bool* complete) {
    SequenceTable outcomes, merged;
    std::vector<std::vector<std::int32_t>> common(tables.size());  // per worker, class to common number
    std::vector<std::pair<std::int32_t, std::int32_t>> children;
    std::vector<std::int32_t> words;
    for (std::size_t worker = 0; worker < tables.size(); ++worker) {
        const SequenceTable& own = tables[worker].classes;
        // A class has a higher number than its children, so theirs are known before they are needed.
        for (std::int32_t number = 0; number < own.size(); ++number) {
            if (tables.size() == 1) {
                common[0].push_back(number);
                continue;
            }
            const std::span<const std::int32_t> old = own[number];
            children.clear();
            for (std::size_t i = 1; i < old.size(); i += 2) children.emplace_back(common[worker][old[i]], old[i + 1]);
            std::sort(children.begin(), children.end());
            words.assign(1, outcomes.intern(tables[worker].outcomes[old[0]]));
            for (const auto& [child, multiplicity] : children) words.insert(words.end(), {child, multiplicity});
            common[worker].push_back(merged.intern(words));
        }
    }
    std::vector<std::int64_t> first(tables.size() == 1 ? tables[0].classes.size() : merged.size(), -1);
    std::int64_t next = 0;
    for (std::size_t v = 0; v < worker_of.size(); ++v) {
        complete[v] = tables[worker_of[v]].complete[classes[v]] != 0;
        std::int64_t& number = first[common[worker_of[v]][classes[v]]];
        if (number < 0) number = next++;
        classes[v] = number;
    }
}

// What one worker needs to search from the roots of a block.
class BlockSearch {
public:
    BlockSearch(const LabeledGraph& source, const SearchSettings& settings, SearchTables& tables, Job& job)
        : settings_(settings), copy_(source), searcher_(settings, tables, job.cancelled) {}

    // The class of every root of the block; fewer if the job was cancelled.
    const std::vector<std::int32_t>& operator()(const RootBlocks& blocks, std::int64_t block) {
        found_.clear();
        const std::int64_t begin = blocks.ptr[block], end = blocks.ptr[block + 1], first = blocks.component[block];
        if (settings_.radius == no_radius) {
            copy_(blocks.roots[first], no_radius, local_);
            places_.resize(end - begin);
            std::iota(places_.begin(), places_.end(), static_cast<std::int32_t>(begin - first));
            searcher_.root_classes(local_, places_, found_);
            return found_;
        }
        for (std::int64_t i = begin; i < end; ++i) {
            copy_(blocks.roots[i], settings_.radius, local_);
            found_.push_back(searcher_.root_class(local_));
        }
        return found_;
    }

private:
    SearchSettings settings_;
    LocalGraphs copy_;
    LocalGraph local_;
    Searcher searcher_;
    std::vector<std::int32_t> found_, places_;
};

// Writes the class of every node, numbered by first appearance, and whether it is an isomorphism class.
inline void individualize(Job& job, const LabeledGraph& source, const SearchSettings& settings, std::int64_t* classes,
                          bool* complete) {
    const RootBlocks blocks = root_blocks(source.graph, settings.radius);
    std::vector<SearchTables> tables(job.threads);
    std::vector<std::uint16_t> worker_of(source.graph.num_nodes);
    const auto make = [&](int worker) {
        return [&, worker, search = BlockSearch(source, settings, tables[worker], job)](std::int64_t block) mutable {
            const std::vector<std::int32_t>& found = search(blocks, block);
            for (std::size_t i = 0; i < found.size(); ++i) {
                const std::int32_t root = blocks.roots[blocks.ptr[block] + i];
                classes[root] = found[i];
                worker_of[root] = static_cast<std::uint16_t>(worker);
            }
            job.done += static_cast<std::int64_t>(found.size());
        };
    };
    run_blocks(job, static_cast<std::int64_t>(blocks.component.size()), make, Caller::watches);
    number_classes(tables, worker_of, classes, complete);
}

}  // namespace egonet
