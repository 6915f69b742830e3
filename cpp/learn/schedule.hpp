// Quantities that change while a training goes on, such as step sizes and rates of exploration.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/bits.hpp"
#include "core/mathematics.hpp"

namespace spielbaum {

enum class ScheduleKind : std::uint8_t { constant, step, linear, exponential, sigmoid };
inline constexpr std::array<std::string_view, 5> kScheduleNames{"constant", "step", "linear", "exponential", "sigmoid"};

// From `initial` at the first game to `final` at the last of `games`. A step jumps at game `at`, a sigmoid has its
// point of inflection there and the slope of S1 (4.1): final + (initial - final) / (1 + exp(20 (n - at) / games)).
struct Schedule {
    ScheduleKind kind = ScheduleKind::constant;
    double initial = 0.0, final = 0.0;
    double at = 0.0;
    double games = 1.0;

    double value(u64 game) const {
        const auto n = static_cast<double>(game);
        const double progress = std::min(n / games, 1.0);
        switch (kind) {
            case ScheduleKind::step:
                return n < at ? initial : final;
            case ScheduleKind::linear:
                return initial + (final - initial) * progress;
            case ScheduleKind::exponential:
                return initial * exponential(progress * natural_log(final / initial));
            case ScheduleKind::sigmoid:
                return final +
                       (initial - final) / (1.0 + exponential(std::clamp(20.0 * (n - at) / games, -700.0, 700.0)));
            default:
                return initial;
        }
    }
};

}  // namespace spielbaum
