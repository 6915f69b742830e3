#include "bindings/any_mcts.hpp"
#include "games/tictactoe.hpp"

spielbaum::MctsPtr spielbaum::make_mcts_tictactoe(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<TicTacToe>(game, options, seed);
}
