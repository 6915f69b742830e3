#include "bindings/typed.hpp"
#include "games/tictactoe.hpp"

template spielbaum::GamePtr spielbaum::instantiate<spielbaum::TicTacToeFamily>(OptionValues);
