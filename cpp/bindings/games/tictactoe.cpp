#include "bindings/kit.hpp"
#include "games/tictactoe.hpp"
#include "search/solver/tictactoe_solver.hpp"

SPIELBAUM_GAME(TicTacToe, Kit<NoEvaluations, TicTacToeSolving>);
