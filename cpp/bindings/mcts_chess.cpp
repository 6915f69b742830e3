#include "bindings/any_mcts.hpp"
#include "eval/chess_eval.hpp"

// alphabeta_chess.cpp has them.
extern template class spielbaum::AlphaBeta<spielbaum::Chess, spielbaum::ChessEvaluations>;

spielbaum::MctsPtr spielbaum::make_mcts_chess(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<Chess, ChessEvaluations>(game, options, seed);
}
