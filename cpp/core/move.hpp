// A move as the searches see it: 16 bits whose meaning is private to the game that made them.
#pragma once

#include <cstdint>

namespace spielbaum {

// `Move` is known in C++ only; its public face is the *action*, an integer that indexes policy vectors. A game converts
// between them and to text; nothing else looks inside.
using Move = std::uint16_t;

}  // namespace spielbaum
