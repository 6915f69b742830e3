#include "bindings/any_alphabeta.hpp"
#include "eval/choice.hpp"
#include "games/tictactoe.hpp"

// mcts_tictactoe.cpp uses them, too.
template class spielbaum::AlphaBeta<spielbaum::TicTacToe, spielbaum::EvaluationChoice<spielbaum::NoEvaluation>>;

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_tictactoe(const AnyGame& game, const AlphaBetaOptions& options,
                                                             std::string_view evaluation) {
    return try_alphabeta<TicTacToe, EvaluationChoice<NoEvaluation>>(game, options, evaluation);
}
