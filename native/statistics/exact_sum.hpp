// A sum of doubles that does not depend on their order: exact inside, rounded once.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace egonet {

// Shewchuk's expansion: `partials_` do not overlap, rise in magnitude, and add up to the exact sum.
class ExactSum {
public:
    void clear() { partials_.clear(); }

    void add(double x) {
        std::size_t kept = 0;
        for (double y : partials_) {
            if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
            const double high = x + y, low = y - (high - x);
            if (low != 0.0) partials_[kept++] = low;
            x = high;
        }
        partials_.resize(kept);
        partials_.push_back(x);
    }

    // The exact sum, rounded to the nearest double, ties to even.
    double round() const {
        if (partials_.empty()) return 0.0;
        std::size_t n = partials_.size();
        double high = partials_[--n], low = 0.0;
        while (n > 0) {
            const double x = high, y = partials_[--n];
            high = x + y;
            low = y - (high - x);
            if (low != 0.0) break;
        }
        // A remainder of exactly half a unit was rounded to even without looking at what is below it.
        if (n > 0 && ((low < 0.0 && partials_[n - 1] < 0.0) || (low > 0.0 && partials_[n - 1] > 0.0))) {
            const double y = low * 2.0, x = high + y;
            if (y == x - high) high = x;
        }
        return high + 0.0;  // no negative zero
    }

private:
    std::vector<double> partials_;
};

}  // namespace egonet
