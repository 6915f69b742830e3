#include "bindings/any_mcts.hpp"
#include "eval/connect4_eval.hpp"

// alphabeta_connect4.cpp has them.
extern template class spielbaum::AlphaBeta<spielbaum::ClassicConnect4, spielbaum::Connect4Evaluations>;
extern template class spielbaum::AlphaBeta<spielbaum::Connect4<spielbaum::u64, spielbaum::AnySize>, spielbaum::Connect4Evaluations>;
extern template class spielbaum::AlphaBeta<spielbaum::Connect4<spielbaum::u128, spielbaum::AnySize>, spielbaum::Connect4Evaluations>;

spielbaum::MctsPtr spielbaum::make_mcts_connect4(const AnyGame& game, const MctsOptions& options, u64 seed) {
    if (auto search = try_mcts<ClassicConnect4, Connect4Evaluations>(game, options, seed)) return search;
    if (auto search = try_mcts<Connect4<u64, AnySize>, Connect4Evaluations>(game, options, seed)) return search;
    return try_mcts<Connect4<u128, AnySize>, Connect4Evaluations>(game, options, seed);
}
