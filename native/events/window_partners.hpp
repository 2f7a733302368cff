// The events of one window as a graph: every node's partners, with numbers and amounts of events in both directions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "events/amount_sum.hpp"
#include "events/extremes.hpp"

namespace egonet::events {

// Sides of a node: it is the source of an event, or its target.
inline constexpr int out = 0, in = 1;

// Events between a node and a partner: to it, and from it. A loop makes a node its own partner, with both.
struct Partner {
    std::int32_t id;
    std::array<std::int32_t, 2> events;

    // 0: none, 1: out, 2: in, 3: both.
    int relation() const { return (events[out] > 0) + 2 * (events[in] > 0); }
};

struct Totals {
    std::array<std::int32_t, 2> events{}, partners{}, repeated{};
    std::int32_t both = 0;  // partners with events in both directions
    std::array<AmountSum, 2> sums{};
};

// The last event on each side; it is valid while the number of events there is above 0.
template <class Time>
struct Last {
    std::array<Time, 2> times{};
    std::array<double, 2> amounts{};
};

struct KeepOptions {
    bool amounts = false;    // sums and extremes
    bool lasts = false;      // last events, of nodes and pairs
    bool lists = false;      // the numbers of the events of each pair
    bool unlimited = false;  // no event ever leaves
    int num_types = 0;
};

// Event numbers of one direction of a pair, in increasing order from `head` on.
struct EventList {
    std::vector<std::int64_t> events;
    std::size_t head = 0;

    const std::int64_t* begin() const { return events.data() + head; }
    const std::int64_t* end() const { return events.data() + events.size(); }
};

template <class Time>
class WindowPartners {
public:
    explicit WindowPartners(const KeepOptions& keep) : keep_(keep) {}

    void reserve(std::size_t num_nodes) {
        if (num_nodes <= rows_.size()) return;
        rows_.resize(num_nodes);
        totals_.resize(num_nodes);
        if (keep_.amounts) extremes_.resize(num_nodes);
        if (keep_.lasts) lasts_.resize(num_nodes);
        types_.resize(num_nodes * 2 * static_cast<std::size_t>(keep_.num_types), 0);
    }

    const std::vector<Partner>& partners(std::int32_t node) const { return rows_[node].partners; }
    const Totals& totals(std::int32_t node) const { return totals_[node]; }
    // For loops over nodes that are read soon: where the partners are, and the partners themselves.
    void prefetch_row(std::int32_t node) const { __builtin_prefetch(&rows_[node].partners); }
    void prefetch_partners(std::int32_t node) const { __builtin_prefetch(rows_[node].partners.data()); }
    // Everything that an event of the node reads.
    void prefetch(std::int32_t node) const {
        prefetch_row(node);
        __builtin_prefetch(&totals_[node]);
        if (keep_.lasts) __builtin_prefetch(&lasts_[node]);
        if (!keep_.amounts) return;
        __builtin_prefetch(&extremes_[node].smallest);
        __builtin_prefetch(&extremes_[node].largest);
    }
    const Last<Time>& last(std::int32_t node) const { return lasts_[node]; }
    std::int32_t events_of_type(std::int32_t node, int side, int type) const {
        return types_[type_place(node, side, type)];
    }
    const Extreme<1>& smallest(std::int32_t node, int side) const { return extremes_[node].smallest[side]; }
    const Extreme<-1>& largest(std::int32_t node, int side) const { return extremes_[node].largest[side]; }

    // The position of a partner in the row of a node, -1 if it is none.
    std::int64_t find(std::int32_t node, std::int32_t partner) const {
        const auto& row = rows_[node].partners;
        const auto found = lower(row, partner);
        return found < std::ssize(row) && row[found].id == partner ? found : -1;
    }
    double pair_sum(std::int32_t node, std::int64_t position, int side) const {
        return rows_[node].sums[position][side].value();
    }
    const Last<Time>& pair_last(std::int32_t node, std::int64_t position) const { return rows_[node].lasts[position]; }
    const EventList& list(std::int32_t node, std::int64_t position, int side) const {
        return lists_[rows_[node].lists[position][side]];
    }

    // One event more. `remove` undoes it exactly.
    void add(std::int32_t source, std::int32_t target, double amount, std::int32_t type) {
        add_end(source, target, out, amount, type);
        add_end(target, source, in, amount, type);
    }

    void remove(std::int32_t source, std::int32_t target, double amount, std::int32_t type) {
        remove_end(source, target, out, amount, type);
        remove_end(target, source, in, amount, type);
    }

    // What cannot be undone: extremes, last events and lists of an event that was added.
    void settle(std::int64_t event, std::int32_t source, std::int32_t target, Time time, double amount) {
        if (keep_.amounts) {
            add_extremes(source, out, event, amount);
            add_extremes(target, in, event, amount);
        }
        if (!keep_.lasts && !keep_.lists) return;
        const std::int64_t from = find(source, target), to = find(target, source);
        if (keep_.lasts) {
            for (Last<Time>* last : {&lasts_[source], &rows_[source].lasts[from]}) set(*last, out, time, amount);
            for (Last<Time>* last : {&lasts_[target], &rows_[target].lasts[to]}) set(*last, in, time, amount);
        }
        if (keep_.lists) {
            std::int32_t& list = rows_[source].lists[from][out];
            if (list < 0) list = new_list();
            rows_[target].lists[to][in] = list;
            lists_[list].events.push_back(event);
        }
    }

    // The oldest settled event leaves the window.
    void expire(std::int64_t event, std::int32_t source, std::int32_t target, double amount, std::int32_t type) {
        if (keep_.amounts) {
            extremes_[source].smallest[out].remove(event);
            extremes_[source].largest[out].remove(event);
            extremes_[target].smallest[in].remove(event);
            extremes_[target].largest[in].remove(event);
        }
        if (keep_.lists) drop_event(source, target);
        remove(source, target, amount, type);
    }

private:
    struct Row {
        std::vector<Partner> partners;  // in increasing order of id
        // Parallel to the partners, if they are kept.
        std::vector<std::array<AmountSum, 2>> sums;
        std::vector<Last<Time>> lasts;
        std::vector<std::array<std::int32_t, 2>> lists;
    };
    struct Extremes {
        std::array<Extreme<1>, 2> smallest;
        std::array<Extreme<-1>, 2> largest;
    };

    static std::int64_t lower(const std::vector<Partner>& row, std::int32_t partner) {
        return std::lower_bound(row.begin(), row.end(), partner,
                                [](const Partner& each, std::int32_t id) { return each.id < id; }) -
               row.begin();
    }

    std::size_t type_place(std::int32_t node, int side, int type) const {
        return (2 * static_cast<std::size_t>(node) + static_cast<std::size_t>(side)) *
                   static_cast<std::size_t>(keep_.num_types) +
               static_cast<std::size_t>(type);
    }

    static void set(Last<Time>& last, int side, Time time, double amount) {
        last.times[side] = time;
        last.amounts[side] = amount;
    }

    void add_extremes(std::int32_t node, int side, std::int64_t event, double amount) {
        extremes_[node].smallest[side].add(event, amount, keep_.unlimited);
        extremes_[node].largest[side].add(event, amount, keep_.unlimited);
    }

    void add_end(std::int32_t node, std::int32_t partner, int side, double amount, std::int32_t type) {
        Totals& totals = totals_[node];
        Row& row = rows_[node];
        const std::int64_t place = lower(row.partners, partner);
        if (place == std::ssize(row.partners) || row.partners[place].id != partner) {
            row.partners.insert(row.partners.begin() + place, Partner{partner, {0, 0}});
            if (keep_.amounts) row.sums.insert(row.sums.begin() + place, std::array<AmountSum, 2>{});
            if (keep_.lasts) row.lasts.insert(row.lasts.begin() + place, Last<Time>{});
            if (keep_.lists) row.lists.insert(row.lists.begin() + place, {-1, -1});
        }
        Partner& entry = row.partners[place];
        const std::int32_t count = ++entry.events[side];
        ++totals.events[side];
        totals.partners[side] += count == 1;
        totals.repeated[side] += count == 2;
        totals.both += count == 1 && entry.events[1 - side] > 0;
        if (keep_.amounts) {
            totals.sums[side].add(amount);
            row.sums[place][side].add(amount);
        }
        if (type >= 0) ++types_[type_place(node, side, type)];
    }

    void remove_end(std::int32_t node, std::int32_t partner, int side, double amount, std::int32_t type) {
        Totals& totals = totals_[node];
        Row& row = rows_[node];
        const std::int64_t place = lower(row.partners, partner);
        Partner& entry = row.partners[place];
        const std::int32_t count = --entry.events[side];
        --totals.events[side];
        totals.partners[side] -= count == 0;
        totals.repeated[side] -= count == 1;
        totals.both -= count == 0 && entry.events[1 - side] > 0;
        if (keep_.amounts) {
            totals.sums[side].remove(amount);
            row.sums[place][side].remove(amount);
        }
        if (type >= 0) --types_[type_place(node, side, type)];
        if (keep_.lists && count == 0 && row.lists[place][side] >= 0) {
            if (side == in) free_.push_back(row.lists[place][side]);  // the target is removed last
            row.lists[place][side] = -1;
        }
        if (entry.events[out] > 0 || entry.events[in] > 0) return;
        row.partners.erase(row.partners.begin() + place);
        if (keep_.amounts) row.sums.erase(row.sums.begin() + place);
        if (keep_.lasts) row.lasts.erase(row.lasts.begin() + place);
        if (keep_.lists) row.lists.erase(row.lists.begin() + place);
        // What many partners took is given back: the node may never come again.
        if (row.partners.empty() && row.partners.capacity() > 8) row = Row{};
    }

    std::int32_t new_list() {
        if (free_.empty()) {
            lists_.emplace_back();
            return static_cast<std::int32_t>(lists_.size()) - 1;
        }
        const std::int32_t list = free_.back();
        free_.pop_back();
        lists_[list].events.clear();
        lists_[list].head = 0;
        return list;
    }

    void drop_event(std::int32_t source, std::int32_t target) {
        EventList& list = lists_[rows_[source].lists[find(source, target)][out]];
        if (2 * ++list.head > list.events.size()) {
            list.events.erase(list.events.begin(), list.events.begin() + static_cast<std::ptrdiff_t>(list.head));
            list.head = 0;
        }
    }

    KeepOptions keep_;
    std::vector<Row> rows_;
    std::vector<Totals> totals_;
    std::vector<Extremes> extremes_;
    std::vector<Last<Time>> lasts_;
    std::vector<std::int32_t> types_;  // events by node, side and type
    std::vector<EventList> lists_;
    std::vector<std::int32_t> free_;  // lists that are not in use
};

}  // namespace egonet::events
