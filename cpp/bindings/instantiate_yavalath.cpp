#include "bindings/typed.hpp"
#include "games/yavalath.hpp"

template spielbaum::GamePtr spielbaum::instantiate<spielbaum::YavalathFamily>(OptionValues);
