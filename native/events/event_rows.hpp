// A row per event, in the columns of kernel/reference_events.py: events go in one by one, and those that are too old leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "events/cycles.hpp"
#include "events/rings.hpp"
#include "events/third_nodes.hpp"
#include "events/window_partners.hpp"

namespace egonet::events {

enum class Group { ends, pair, ego, cycles };

template <class Time>
struct EventSettings {
    std::vector<std::optional<Time>> windows;  // nothing: no limit
    std::int32_t radius = 1;
    bool by_time = false;  // an event does not know others of its own time
    bool own = true;
    std::vector<Group> groups;
    bool has_amounts = false;
    std::int32_t num_types = 0;
    std::int32_t cycle_length = 4;
    std::int64_t unit = 1;  // what durations are divided by: 1, or 10^9
};

template <class Time>
struct Event {
    std::int32_t source, target;
    Time time;
    double amount;
    std::int32_t type;  // -1: none
};

// Invariants: log_ has the events numbered base_ ... base_ + size - 1, in order of time; the last `pending_` of them are
// not yet in the windows; window w has those from first_[w] on. Copies are independent.
template <class Time>
class EventRows {
public:
    explicit EventRows(EventSettings<Time> settings) : settings_(std::move(settings)) {
        const auto length_of = [&](std::size_t w) {
            return settings_.windows[w].value_or(std::numeric_limits<Time>::max());
        };
        for (std::size_t w = 1; w < settings_.windows.size(); ++w) {
            const bool is_longer = !settings_.windows[w] && settings_.windows[longest_];
            if (is_longer || (settings_.windows[longest_] && length_of(w) > length_of(longest_))) longest_ = w;
        }
        for (std::size_t w = 0; w < settings_.windows.size(); ++w) {
            KeepOptions keep;
            keep.amounts = settings_.has_amounts;
            keep.lasts = w == longest_ && (has(Group::ends) || has(Group::pair));
            keep.lists = w == longest_ && has(Group::cycles);
            keep.unlimited = !settings_.windows[w];
            keep.num_types = settings_.num_types;
            windows_.emplace_back(keep);
        }
        first_.assign(windows_.size(), 0);
        thirds_.resize(windows_.size());
        for (const Group group : settings_.groups) width_ += width_of(group);
    }

    std::int64_t width() const { return width_; }
    std::size_t num_nodes() const { return num_nodes_; }
    // The sum of the magnitudes of all amounts in the log.
    double magnitude() const { return magnitude_; }

    void reserve(std::size_t num_nodes) {
        if (num_nodes <= num_nodes_) return;
        num_nodes_ = num_nodes;
        for (auto& window : windows_) window.reserve(num_nodes);
    }

    // Takes the next event, which is not earlier than the one before; writes its row unless `row` is null. One that is
    // not kept gets its row and leaves no trace but the time.
    void process(const Event<Time>& event, double* row, bool is_kept = true) {
        if (settings_.by_time && pending_ > 0 && event.time > log_.back().time) settle_pending();
        advance(event.time);
        if (row != nullptr) write_row(event, row);
        const bool is_added = row != nullptr && settings_.own;
        if (!is_kept) {
            if (is_added) take_back(event);
            return;
        }
        log_.push_back(event);
        magnitude_ += event.amount < 0 ? -event.amount : event.amount;
        if (settings_.by_time) {
            if (is_added) take_back(event);
            ++pending_;
        } else {
            settle(end() - 1, is_added);
        }
    }

    // For an event that comes soon.
    void prefetch(std::int32_t source, std::int32_t target) const {
        for (const auto& window : windows_) {
            window.prefetch(source);
            window.prefetch(target);
        }
    }

    // The events that later rows may depend on. Another object that processes them continues in the same way.
    std::vector<Event<Time>> log() const {
        return {log_.begin() + static_cast<std::ptrdiff_t>(num_expired()), log_.end()};
    }

private:
    bool has(Group group) const {
        return std::find(settings_.groups.begin(), settings_.groups.end(), group) != settings_.groups.end();
    }

    std::int64_t per_window(Group group) const {
        const std::int64_t radius = settings_.radius;
        switch (group) {
            case Group::ends: return 4 * (3 + 4 * settings_.has_amounts + settings_.num_types);
            case Group::pair: return 2 * (1 + settings_.has_amounts) + 1;
            case Group::ego: return 2 * radius * num_cells + 15 + (radius > 1 ? (radius + 1) * (radius + 1) - 1 : 0);
            case Group::cycles: return settings_.cycle_length - 1 + 2;
        }
        return 0;
    }

    std::int64_t width_of(Group group) const {
        const std::int64_t amounts = settings_.has_amounts;
        const std::int64_t others = group == Group::ends     ? 4 * (1 + amounts)
                                    : group == Group::pair   ? 2 * (1 + amounts) + 1
                                    : group == Group::cycles ? 1
                                                             : 0;
        return std::ssize(settings_.windows) * per_window(group) + others;
    }

    static Time minus(Time time, Time length) {
        if constexpr (std::is_integral_v<Time>)
            if (time < std::numeric_limits<Time>::min() + length) return std::numeric_limits<Time>::min();
        return time - length;
    }

    std::int64_t end() const { return base_ + std::ssize(log_); }

    std::int64_t num_expired() const { return *std::min_element(first_.begin(), first_.end()) - base_; }

    // Events that are not later than time - length leave each window. Pending events have the time of the last event.
    void advance(Time time) {
        for (std::size_t w = 0; w < windows_.size(); ++w) {
            if (!settings_.windows[w]) continue;
            const Time begin = minus(time, *settings_.windows[w]);
            const bool reaches_back = !std::is_integral_v<Time> || begin > std::numeric_limits<Time>::min();
            for (; reaches_back && first_[w] < end() - pending_; ++first_[w]) {
                const Event<Time>& event = log_[first_[w] - base_];
                if (event.time > begin) break;
                if (const std::int64_t soon = first_[w] - base_ + 4; soon < std::ssize(log_)) {
                    windows_[w].prefetch(log_[soon].source);
                    windows_[w].prefetch(log_[soon].target);
                }
                windows_[w].expire(first_[w], event.source, event.target, event.amount, event.type);
            }
        }
        const std::int64_t gone = num_expired();
        if (gone > 1024 && 2 * gone > std::ssize(log_)) {
            for (std::int64_t i = 0; i < gone; ++i) magnitude_ -= log_[i].amount < 0 ? -log_[i].amount : log_[i].amount;
            log_.erase(log_.begin(), log_.begin() + gone);
            base_ += gone;
        }
    }

    void take_back(const Event<Time>& event) {
        for (auto& window : windows_) window.remove(event.source, event.target, event.amount, event.type);
    }

    void settle_pending() {
        for (; pending_ > 0; --pending_) settle(end() - pending_, false);
    }

    void settle(std::int64_t number, bool is_added) {
        const Event<Time>& event = log_[number - base_];
        for (auto& window : windows_) {
            if (!is_added) window.add(event.source, event.target, event.amount, event.type);
            window.settle(number, event.source, event.target, event.time, event.amount);
        }
    }

    // With `own` the event is in the windows when this ends.
    void write_row(const Event<Time>& event, double* row) {
        if (has(Group::pair) || has(Group::ego))
            for (std::size_t w = 0; w < windows_.size(); ++w)
                thirds_[w] = count_thirds(windows_[w], event.source, event.target);
        double* place = row;
        for (const Group group : settings_.groups) {
            if (group == Group::ends) write_lasts(event, place + std::ssize(windows_) * per_window(group));
            else if (group == Group::pair) write_pair(event, place);
            else if (group == Group::cycles) write_cycles(event, place);
            place += width_of(group);
        }
        if (settings_.own)
            for (auto& window : windows_) window.add(event.source, event.target, event.amount, event.type);
        place = row;
        for (const Group group : settings_.groups) {
            if (group == Group::ends) write_ends(event, place);
            else if (group == Group::ego) write_ego(event, place);
            place += width_of(group);
        }
    }

    void write_lasts(const Event<Time>& event, double* place) const {
        const auto& window = windows_[longest_];
        for (const std::int32_t node : {event.source, event.target})
            for (const int side : {out, in})
                write_last(window.last(node), side, window.totals(node).events[side] > 0, event, place);
    }

    void write_last(const Last<Time>& last, int side, bool is_valid, const Event<Time>& event, double*& place) const {
        *place++ = is_valid ? difference(event.time, last.times[side]) : nan;
        if (settings_.has_amounts) *place++ = is_valid ? last.amounts[side] : nan;
    }

    // The float nearest to the difference in units. Whole numbers are subtracted exactly, also where the difference
    // exceeds 64 bits with a sign. Above 2^53, whole seconds are exact and a rest of nanoseconds is never so near to
    // the middle of two floats that rounding it first matters.
    double difference(Time later, Time earlier) const {
        if constexpr (std::is_integral_v<Time>) {
            const std::uint64_t steps = static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
            const auto unit = static_cast<std::uint64_t>(settings_.unit);
            if (unit == 1 || steps <= std::uint64_t{1} << 53)
                return static_cast<double>(steps) / static_cast<double>(unit);
            return static_cast<double>(steps / unit) + static_cast<double>(steps % unit) / static_cast<double>(unit);
        } else {
            return (later - earlier) / static_cast<double>(settings_.unit);
        }
    }

    void write_pair(const Event<Time>& event, double* place) const {
        for (std::size_t w = 0; w < windows_.size(); ++w) {
            const auto& window = windows_[w];
            const std::int64_t found = window.find(event.source, event.target);
            for (const int side : {out, in}) {
                // A loop is its own reverse.
                const bool is_known = found >= 0;
                *place++ = is_known ? window.partners(event.source)[found].events[side] : 0;
                if (settings_.has_amounts) *place++ = is_known ? window.pair_sum(event.source, found, side) : 0.0;
            }
            *place++ = count_common(thirds_[w]);
        }
        const auto& window = windows_[longest_];
        const std::int64_t found = window.find(event.source, event.target);
        const auto events_of = [&](int side) {
            return found < 0 ? 0 : window.partners(event.source)[found].events[side];
        };
        const Last<Time> none;
        for (const int side : {out, in})
            write_last(found < 0 ? none : window.pair_last(event.source, found), side, events_of(side) > 0, event,
                       place);
        *place = events_of(out) == 0 ? 1.0 : 0.0;
    }

    void write_ends(const Event<Time>& event, double* place) const {
        for (const auto& window : windows_) {
            for (int end = 0; end < 2; ++end) {
                const std::int32_t node = end == 0 ? event.source : event.target;
                const Totals& totals = window.totals(node);
                for (const int side : {out, in}) {
                    *place++ = totals.events[side];
                    *place++ = totals.partners[side];
                    *place++ = totals.partners[side] > 0 ? static_cast<double>(totals.repeated[side]) /
                                                               static_cast<double>(totals.partners[side])
                                                         : 0.0;
                    const bool is_own = settings_.own && (side == out ? node == event.source : node == event.target);
                    if (settings_.has_amounts) write_amounts(window, node, side, is_own, event.amount, place);
                    for (int type = 0; type < settings_.num_types; ++type)
                        *place++ = window.events_of_type(node, side, type);
                }
            }
        }
    }

    // The sums have the own event already; the extremes have not, because they cannot take it back.
    void write_amounts(const WindowPartners<Time>& window, std::int32_t node, int side, bool is_own, double own,
                       double*& place) const {
        const Totals& totals = window.totals(node);
        const double sum = totals.sums[side].value();
        *place++ = sum;
        *place++ = totals.events[side] > 0 ? sum / totals.events[side] : nan;
        const auto& smallest = window.smallest(node, side);
        const auto& largest = window.largest(node, side);
        const double empty = is_own ? own : nan;
        *place++ = smallest.empty() ? empty : is_own ? std::min(smallest.amount(), own) : smallest.amount();
        *place++ = largest.empty() ? empty : is_own ? std::max(largest.amount(), own) : largest.amount();
    }

    void write_ego(const Event<Time>& event, double* place) {
        std::fill(place, place + width_of(Group::ego), 0.0);
        const std::int32_t radius = settings_.radius;
        for (std::size_t w = 0; w < windows_.size(); ++w) {
            const auto& window = windows_[w];
            for (const std::int32_t end : {event.source, event.target}) {
                ball_.search(window, num_nodes_, end, radius);
                count_rings(window, ball_, place);
                place += radius * num_cells;
            }
            for (int cell = 1; cell < 16; ++cell) *place++ = thirds_[w][cell];
            if (radius == 1) continue;
            const std::pair<std::int32_t, std::int32_t> pair{event.source, event.target};
            ball_.search(window, num_nodes_, event.source, radius, pair);
            other_ball_.search(window, num_nodes_, event.target, radius, pair);
            count_distances(ball_, other_ball_, event.source, event.target, radius, place);
            place += (radius + 1) * (radius + 1) - 1;
        }
    }

    void write_cycles(const Event<Time>& event, double* place) {
        std::fill(place, place + width_of(Group::cycles), 0.0);
        const std::int64_t stride = per_window(Group::cycles);
        const auto& lists = windows_[longest_];
        std::int64_t latest = -1;  // the first event of the shortest cycle
        cycles_.search(lists, num_nodes_, event.source, event.target, end(), settings_.cycle_length,
                       [&](std::int32_t length, std::int64_t first) {
                           for (std::size_t w = 0; w < windows_.size(); ++w)
                               if (first >= first_[w]) place[static_cast<std::int64_t>(w) * stride + length - 2] += 1.0;
                           latest = std::max(latest, first);
                       });
        for (std::size_t w = 0; w < windows_.size(); ++w) {
            const ScatterGather found =
                scatter_.search(windows_[w], lists, first_[w], num_nodes_, event.source, event.target);
            double* last = place + static_cast<std::int64_t>(w + 1) * stride - 2;
            last[0] = found.largest;
            last[1] = found.origins;
        }
        place[std::ssize(windows_) * stride] = latest < 0 ? nan : difference(event.time, log_[latest - base_].time);
    }

    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    EventSettings<Time> settings_;
    std::size_t longest_ = 0, num_nodes_ = 0;
    std::int64_t width_ = 0;
    std::vector<WindowPartners<Time>> windows_;
    std::vector<std::int64_t> first_;
    std::vector<Event<Time>> log_;
    std::int64_t base_ = 0, pending_ = 0;
    double magnitude_ = 0.0;
    // Scratch of one row.
    std::vector<ThirdCells> thirds_;
    Ball ball_, other_ball_;
    CycleSearch cycles_;
    ScatterSearch scatter_;
};

}  // namespace egonet::events
