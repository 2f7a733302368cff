// A sum of amounts that does not depend on their order and from which an amount can be taken back exactly.
#pragma once

#include <cmath>
#include <cstdint>

namespace egonet::events {

// Invariant: the sum is whole_ + part_ / 2^60 with 0 <= part_ < 2^60; every amount is rounded to a multiple of 2^-60.
// The caller keeps sums below 2^62.
class AmountSum {
public:
    void add(double amount) {
        const AmountSum other = of(amount);
        whole_ += other.whole_;
        part_ += other.part_;
        if (part_ >= steps) {
            part_ -= steps;
            ++whole_;
        }
    }

    void remove(double amount) {
        const AmountSum other = of(amount);
        whole_ -= other.whole_;
        part_ -= other.part_;
        if (part_ < 0) {
            part_ += steps;
            --whole_;
        }
    }

    double value() const {
        return static_cast<double>(whole_) + static_cast<double>(part_) / static_cast<double>(steps);
    }

private:
    static constexpr std::int64_t steps = std::int64_t{1} << 60;

    static AmountSum of(double amount) {
        const double whole = std::floor(amount);
        AmountSum sum;
        sum.whole_ = static_cast<std::int64_t>(whole);
        sum.part_ = static_cast<std::int64_t>(std::nearbyint((amount - whole) * static_cast<double>(steps)));
        if (sum.part_ == steps) {  // just below a whole number
            sum.part_ = 0;
            ++sum.whole_;
        }
        return sum;
    }

    std::int64_t whole_ = 0, part_ = 0;
};

}  // namespace egonet::events
