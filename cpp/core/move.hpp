// A move as the searches see it: 16 bits whose meaning is private to the game that made them.
#pragma once

#include <cstdint>

namespace spielbaum {

// Three names for a move are kept apart: `Move` (this one, C++ only), *action* (the public integer that indexes
// policy vectors) and text. A game converts between them; nothing else looks inside.
using Move = std::uint16_t;

}  // namespace spielbaum
