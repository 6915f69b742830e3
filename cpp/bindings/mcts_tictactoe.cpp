#include "bindings/any_mcts.hpp"
#include "games/tictactoe.hpp"

// alphabeta_tictactoe.cpp has them.
extern template class spielbaum::AlphaBeta<spielbaum::TicTacToe, spielbaum::EvaluationChoice<spielbaum::NoEvaluation>>;

spielbaum::MctsPtr spielbaum::make_mcts_tictactoe(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<TicTacToe, EvaluationChoice<NoEvaluation>>(game, options, seed);
}
