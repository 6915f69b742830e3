#include "bindings/any_mcts.hpp"
#include "eval/reversi_eval.hpp"

// alphabeta_reversi.cpp has them.
extern template class spielbaum::AlphaBeta<spielbaum::Reversi<8>, spielbaum::ReversiEvaluations>;
extern template class spielbaum::AlphaBeta<spielbaum::Reversi<4>, spielbaum::ReversiEvaluations>;
extern template class spielbaum::AlphaBeta<spielbaum::Reversi<6>, spielbaum::ReversiEvaluations>;
extern template class spielbaum::AlphaBeta<spielbaum::Reversi<10>, spielbaum::ReversiEvaluations>;

spielbaum::MctsPtr spielbaum::make_mcts_reversi(const AnyGame& game, const MctsOptions& options, u64 seed) {
    if (auto search = try_mcts<Reversi<8>, ReversiEvaluations>(game, options, seed)) return search;
    if (auto search = try_mcts<Reversi<4>, ReversiEvaluations>(game, options, seed)) return search;
    if (auto search = try_mcts<Reversi<6>, ReversiEvaluations>(game, options, seed)) return search;
    return try_mcts<Reversi<10>, ReversiEvaluations>(game, options, seed);
}
