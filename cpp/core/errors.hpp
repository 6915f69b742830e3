// What the kernels throw at a user's mistake. Each message is one sentence that names the value and what was expected.
#pragma once

#include <stdexcept>

namespace spielbaum {

// A position or game text that cannot be read.
struct NotationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A move that cannot be played in the position at hand.
struct IllegalMove : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Options of a game that are out of range or contradict each other.
struct OptionError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace spielbaum
