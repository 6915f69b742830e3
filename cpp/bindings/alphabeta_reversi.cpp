#include "bindings/any_alphabeta.hpp"
#include "eval/reversi_eval.hpp"

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_reversi(const AnyGame& game, const AlphaBetaOptions& options,
                                                             std::string_view evaluation) {
    if (auto search = try_alphabeta<Reversi<8>, ReversiEvaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Reversi<4>, ReversiEvaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Reversi<6>, ReversiEvaluations>(game, options, evaluation)) return search;
    return try_alphabeta<Reversi<10>, ReversiEvaluations>(game, options, evaluation);
}
