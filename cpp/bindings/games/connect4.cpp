// CMake: compiled alone, for it comes in several sizes.
#include "games/connect4.hpp"
#include "bindings/kit.hpp"
#include "eval/connect4_eval.hpp"
#include "search/solver/connect4_solver.hpp"

SPIELBAUM_GAME(Connect4, Kit<Connect4Evaluations, Connect4Solving>);
