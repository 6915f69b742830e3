// CMake: compiled alone, for it comes in several sizes.
#include "bindings/kit.hpp"
#include "eval/reversi_eval.hpp"
#include "games/reversi.hpp"
#include "search/solver/reversi_solver.hpp"

SPIELBAUM_GAME(Reversi, Kit<ReversiEvaluations, ReversiSolving>);
