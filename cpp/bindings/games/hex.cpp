#include "games/hex.hpp"
#include "bindings/kit.hpp"

SPIELBAUM_GAME(Hex, NoKit);
