// Cycles in event order that an event closes, and scatter-gather patterns that it completes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "events/window_partners.hpp"

namespace egonet::events {

// Goes back from the source along events to it, always by the last event that is early enough: this leaves the most
// time for the events before. Nodes from which the target of the event is too far are not entered.
class CycleSearch {
public:
    // Calls found(length, event number of the first event) for every sequence of nodes that the event closes.
    template <class Graph, class Found>
    void search(const Graph& graph, std::size_t num_nodes, std::int32_t source, std::int32_t target, std::int64_t event,
                std::int32_t longest, Found&& found) {
        if (source == target || graph.totals(target).events[out] == 0 || graph.totals(source).events[in] == 0) return;
        mark_steps(graph, num_nodes, target, (longest - 1) / 2);
        on_path_.resize(steps_.size(), 0);
        back(graph, source, target, event, 1, longest, found);
    }

private:
    // steps_[x]: how many arcs lead from the target to x, as far as `most`; -1: more.
    template <class Graph>
    void mark_steps(const Graph& graph, std::size_t num_nodes, std::int32_t target, std::int32_t most) {
        for (const std::int32_t node : marked_) steps_[node] = -1;
        marked_.clear();
        if (steps_.size() < num_nodes) steps_.resize(num_nodes, -1);
        most_ = most;
        steps_[target] = 0;
        marked_.push_back(target);
        for (std::size_t i = 0; i < marked_.size() && steps_[marked_[i]] < most; ++i) {
            const std::int32_t node = marked_[i];
            for (const Partner& each : graph.partners(node)) {
                if (each.events[out] == 0 || steps_[each.id] >= 0) continue;
                steps_[each.id] = steps_[node] + 1;
                marked_.push_back(each.id);
            }
        }
    }

    // The path has `length` nodes and begins at `node`; its first event is `before`.
    template <class Graph, class Found>
    void back(const Graph& graph, std::int32_t node, std::int32_t target, std::int64_t before, std::int32_t length,
              std::int32_t longest, Found& found) {
        on_path_[node] = 1;
        const auto& partners = graph.partners(node);
        const std::int32_t left = longest - length - 1;  // arcs that may lead from the target to the next node
        for (std::int64_t place = 0; place < std::ssize(partners); ++place) {
            const Partner& each = partners[place];
            if (each.events[in] == 0 || on_path_[each.id]) continue;
            if (left <= most_ && (steps_[each.id] < 0 || steps_[each.id] > left)) continue;
            const EventList& list = graph.list(node, place, in);
            const std::int64_t* last = std::lower_bound(list.begin(), list.end(), before);
            if (last == list.begin()) continue;
            if (each.id == target) found(length + 1, last[-1]);
            else if (left > 0) back(graph, each.id, target, last[-1], length + 1, longest, found);
        }
        on_path_[node] = 0;
    }

    std::vector<std::int32_t> marked_, steps_;
    std::vector<char> on_path_;
    std::int32_t most_ = 0;
};

// The largest number of intermediaries of an origin, and how many origins have two or more.
struct ScatterGather {
    std::int32_t largest = 0, origins = 0;
};

class ScatterSearch {
public:
    // `window` decides who has sent to whom; `lists` has the event numbers of pairs, of which those before `first` are
    // outside the window.
    template <class Graph>
    ScatterGather search(const Graph& window, const Graph& lists, std::int64_t first, std::size_t num_nodes,
                         std::int32_t source, std::int32_t target) {
        ScatterGather result;
        if (source == target || window.totals(source).events[in] == 0) return result;
        if (counts_.size() < num_nodes) counts_.resize(num_nodes, 0);
        origins_.clear();
        for (const Partner& each : window.partners(source)) {
            if (each.events[in] == 0 || each.id == source || each.id == target) continue;
            counts_[each.id] = 1;
            origins_.push_back(each.id);
        }
        if (!origins_.empty()) {
            for (const Partner& each : window.partners(target))
                if (each.events[in] > 0 && each.id != source && each.id != target)
                    count_origins(window, lists, first, each.id, target);
        }
        for (const std::int32_t origin : origins_) {
            result.largest = std::max(result.largest, counts_[origin]);
            result.origins += counts_[origin] > 1;
            counts_[origin] = 0;
        }
        return result;
    }

private:
    // Counts an intermediary for every origin that sent to it before it last sent to the target.
    template <class Graph>
    void count_origins(const Graph& window, const Graph& lists, std::int64_t first, std::int32_t between,
                       std::int32_t target) {
        std::int64_t last = -1;
        const auto check = [&](const Partner& each) {
            if (each.events[in] == 0 || each.id == between || counts_[each.id] == 0) return;
            if (last < 0) last = lists.list(between, lists.find(between, target), out).end()[-1];
            const EventList& sent = lists.list(between, lists.find(between, each.id), in);
            counts_[each.id] += *std::lower_bound(sent.begin(), sent.end(), first) < last;
        };
        const auto& partners = window.partners(between);
        if (partners.size() > 16 * origins_.size()) {
            for (const std::int32_t origin : origins_)
                if (const std::int64_t place = window.find(between, origin); place >= 0) check(partners[place]);
        } else {
            for (const Partner& each : partners) check(each);
        }
    }

    std::vector<std::int32_t> counts_, origins_;
};

}  // namespace egonet::events
