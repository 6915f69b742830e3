#include "bindings/typed.hpp"
#include "games/chess/chess.hpp"

template spielbaum::GamePtr spielbaum::instantiate<spielbaum::ChessFamily>(OptionValues);
