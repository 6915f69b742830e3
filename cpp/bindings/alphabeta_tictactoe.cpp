#include "bindings/any_alphabeta.hpp"
#include "eval/no_evaluation.hpp"
#include "games/tictactoe.hpp"

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_tictactoe(const AnyGame& game, const AlphaBetaOptions& options) {
    return try_alphabeta<TicTacToe, NoEvaluation>(game, options);
}
