#include "bindings/any_alphabeta.hpp"
#include "eval/chess_eval.hpp"

// mcts_chess.cpp uses them, too.
template class spielbaum::AlphaBeta<spielbaum::Chess, spielbaum::ChessEvaluations>;

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_chess(const AnyGame& game, const AlphaBetaOptions& options,
                                                             std::string_view evaluation) {
    return try_alphabeta<Chess, ChessEvaluations>(game, options, evaluation);
}
