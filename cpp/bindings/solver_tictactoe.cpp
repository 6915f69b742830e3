#include "bindings/any_solver.hpp"
#include "search/solver/tictactoe_solver.hpp"

// The whole game fits a small table; `memory` is for games that can use it.
spielbaum::SolverPtr spielbaum::make_tictactoe_solver(const AnyGame& game, std::size_t) {
    if (dynamic_cast<const TypedGame<TicTacToe>*>(&game) == nullptr) return nullptr;
    return std::make_unique<TypedSolver<TicTacToe, TicTacToeSolver>>();
}
