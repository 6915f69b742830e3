#include "bindings/kit.hpp"
#include "games/hex.hpp"

SPIELBAUM_GAME(Hex, NoKit);
