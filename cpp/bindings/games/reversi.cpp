// CMake: compiled alone, for it comes in several sizes.
#include "games/reversi.hpp"
#include "bindings/kit.hpp"
#include "eval/reversi_eval.hpp"
#include "search/solver/reversi_solver.hpp"

SPIELBAUM_GAME(Reversi, Kit<ReversiEvaluations, ReversiSolving>);
