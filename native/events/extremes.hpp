// The smallest and the largest amount of a sliding window.
#pragma once

#include <cstdint>
#include <vector>

namespace egonet::events {

// Invariant: from head_ on, entries rise in event number, and their amounts rise strictly (Sign 1, smallest first) or
// fall strictly (Sign -1). An event that is not listed is followed by one that is at least as extreme.
template <int Sign>
class Extreme {
public:
    bool empty() const { return head_ == entries_.size(); }
    double amount() const { return entries_[head_].amount; }

    // With `only_best` no event ever leaves, so that one entry is enough.
    void add(std::int64_t event, double amount, bool only_best) {
        if (only_best && !empty() && Sign * this->amount() <= Sign * amount) return;
        while (entries_.size() > head_ && Sign * entries_.back().amount >= Sign * amount) entries_.pop_back();
        if (head_ == entries_.size()) {
            entries_.clear();
            head_ = 0;
        }
        entries_.push_back({event, amount});
    }

    // The event leaves the window; events leave in their order.
    void remove(std::int64_t event) {
        if (empty() || entries_[head_].event != event) return;
        if (2 * ++head_ > entries_.size()) {
            entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
            head_ = 0;
            if (entries_.empty() && entries_.capacity() > 8) entries_ = std::vector<Entry>();
        }
    }

private:
    struct Entry {
        std::int64_t event;
        double amount;
    };
    std::vector<Entry> entries_;
    std::size_t head_ = 0;
};

}  // namespace egonet::events
