#include "bindings/any_alphabeta.hpp"
#include "eval/chess_eval.hpp"

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_chess(const AnyGame& game, const AlphaBetaOptions& options,
                                                             std::string_view evaluation) {
    return try_alphabeta<Chess, ChessEvaluations>(game, options, evaluation);
}
