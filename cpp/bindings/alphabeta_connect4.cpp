#include "bindings/any_alphabeta.hpp"
#include "eval/connect4_eval.hpp"

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_connect4(const AnyGame& game, const AlphaBetaOptions& options) {
    if (auto search = try_alphabeta<ClassicConnect4, Connect4Evaluation>(game, options)) return search;
    if (auto search = try_alphabeta<Connect4<u64, AnySize>, Connect4Evaluation>(game, options)) return search;
    return try_alphabeta<Connect4<u128, AnySize>, Connect4Evaluation>(game, options);
}
