#include "bindings/any_alphabeta.hpp"
#include "eval/reversi_eval.hpp"

// mcts_reversi.cpp uses them, too.
template class spielbaum::AlphaBeta<spielbaum::Reversi<8>, spielbaum::ReversiEvaluations>;
template class spielbaum::AlphaBeta<spielbaum::Reversi<4>, spielbaum::ReversiEvaluations>;
template class spielbaum::AlphaBeta<spielbaum::Reversi<6>, spielbaum::ReversiEvaluations>;
template class spielbaum::AlphaBeta<spielbaum::Reversi<10>, spielbaum::ReversiEvaluations>;

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_reversi(const AnyGame& game, const AlphaBetaOptions& options,
                                                             std::string_view evaluation) {
    if (auto search = try_alphabeta<Reversi<8>, ReversiEvaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Reversi<4>, ReversiEvaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Reversi<6>, ReversiEvaluations>(game, options, evaluation)) return search;
    return try_alphabeta<Reversi<10>, ReversiEvaluations>(game, options, evaluation);
}
