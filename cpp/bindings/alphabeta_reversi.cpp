#include "bindings/any_alphabeta.hpp"
#include "eval/reversi_eval.hpp"

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_reversi(const AnyGame& game, const AlphaBetaOptions& options) {
    if (auto search = try_alphabeta<Reversi<8>, ReversiEvaluation>(game, options)) return search;
    if (auto search = try_alphabeta<Reversi<4>, ReversiEvaluation>(game, options)) return search;
    if (auto search = try_alphabeta<Reversi<6>, ReversiEvaluation>(game, options)) return search;
    return try_alphabeta<Reversi<10>, ReversiEvaluation>(game, options);
}
