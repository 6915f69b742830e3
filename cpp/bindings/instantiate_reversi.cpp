#include "bindings/typed.hpp"
#include "games/reversi.hpp"

template spielbaum::GamePtr spielbaum::instantiate<spielbaum::ReversiFamily>(OptionValues);
