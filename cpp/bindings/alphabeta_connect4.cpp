#include "bindings/any_alphabeta.hpp"
#include "eval/connect4_eval.hpp"

// mcts_connect4.cpp uses them, too.
template class spielbaum::AlphaBeta<spielbaum::ClassicConnect4, spielbaum::Connect4Evaluations>;
template class spielbaum::AlphaBeta<spielbaum::Connect4<spielbaum::u64, spielbaum::AnySize>, spielbaum::Connect4Evaluations>;
template class spielbaum::AlphaBeta<spielbaum::Connect4<spielbaum::u128, spielbaum::AnySize>, spielbaum::Connect4Evaluations>;

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_connect4(const AnyGame& game, const AlphaBetaOptions& options,
                                                             std::string_view evaluation) {
    if (auto search = try_alphabeta<ClassicConnect4, Connect4Evaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Connect4<u64, AnySize>, Connect4Evaluations>(game, options, evaluation)) return search;
    return try_alphabeta<Connect4<u128, AnySize>, Connect4Evaluations>(game, options, evaluation);
}
