#include "bindings/any_alphabeta.hpp"
#include "eval/connect4_eval.hpp"

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_connect4(const AnyGame& game, const AlphaBetaOptions& options,
                                                             std::string_view evaluation) {
    if (auto search = try_alphabeta<ClassicConnect4, Connect4Evaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Connect4<u64, AnySize>, Connect4Evaluations>(game, options, evaluation)) return search;
    return try_alphabeta<Connect4<u128, AnySize>, Connect4Evaluations>(game, options, evaluation);
}
