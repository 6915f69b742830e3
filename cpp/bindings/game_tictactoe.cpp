#include "bindings/any_alphabeta.hpp"
#include "bindings/any_mcts.hpp"
#include "bindings/any_ntuple.hpp"
#include "bindings/any_solver.hpp"
#include "bindings/instantiate.hpp"
#include "eval/choice.hpp"
#include "search/solver/tictactoe_solver.hpp"

namespace spielbaum {

template GamePtr instantiate<TicTacToeFamily>(OptionValues);

AlphaBetaPtr make_alphabeta_tictactoe(const AnyGame& game, const AlphaBetaOptions& options, const EvaluationSpec& evaluation) {
    return try_alphabeta<TicTacToe, EvaluationChoice<NoEvaluation>>(game, options, evaluation);
}

MctsPtr make_mcts_tictactoe(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<TicTacToe, EvaluationChoice<NoEvaluation>>(game, options, seed);
}

// The whole game fits a small table; the options are for games that can use them.
SolverPtr make_tictactoe_solver(const AnyGame& game, const SolverOptions&) {
    if (dynamic_cast<const TypedGame<TicTacToe>*>(&game) == nullptr) return nullptr;
    return std::make_unique<TypedSolver<TicTacToe, TicTacToeSolver>>();
}

NTuplePtr make_ntuple_tictactoe(const GamePtr& game, const NTupleOptions& options) { return try_ntuple<TicTacToe>(game, options); }

}  // namespace spielbaum
