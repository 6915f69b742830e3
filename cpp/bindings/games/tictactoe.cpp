#include "games/tictactoe.hpp"
#include "bindings/kit.hpp"
#include "search/solver/tictactoe_solver.hpp"

SPIELBAUM_GAME(TicTacToe, Kit<NoEvaluations, TicTacToeSolving>);
