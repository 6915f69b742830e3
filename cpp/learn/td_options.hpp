// How a network is trained by temporal differences.
#pragma once

#include <array>
#include <string_view>

#include "core/bits.hpp"
#include "learn/schedule.hpp"

namespace spielbaum {

// The step size of each weight: the schedule's alone; or temporal coherence learning (Beal and Smith 1999), which
// multiplies it by |sum of the weight's changes| / sum of |changes|, or by exp(beta (that - 1)) (Bagheri et al. 2014).
enum class StepControl : std::uint8_t { plain, tcl, tcl_exp };
inline constexpr std::array<std::string_view, 3> kStepControlNames{"plain", "tcl", "tcl-exp"};

struct TdOptions {
    static constexpr int kNoCut = -1;

    Schedule alpha, epsilon;  // step size, and rate of exploration
    double gamma = 1.0;       // discount
    double lambda = 0.0;      // decay of eligibility traces
    bool replacing = false;   // traces: see Traces
    bool resetting = false;   // traces begin anew after a random move
    StepControl control = StepControl::plain;
    double beta = 2.7;        // of tcl-exp
    int cut = kNoCut;         // plies after which a game ends with the value that the oracle knows
    int look_ahead = 0;       // plies that greedy moves look further than the next position
    bool count_uses = false;  // keep for each weight how often it was changed
    u64 seed = 0;
};

}  // namespace spielbaum
