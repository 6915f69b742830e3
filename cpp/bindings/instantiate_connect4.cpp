#include "bindings/typed.hpp"
#include "games/connect4.hpp"

template spielbaum::GamePtr spielbaum::instantiate<spielbaum::Connect4Family>(OptionValues);
