#include "bindings/any_mcts.hpp"
#include "games/connect4.hpp"

spielbaum::MctsPtr spielbaum::make_mcts_connect4(const AnyGame& game, const MctsOptions& options, u64 seed) {
    if (auto search = try_mcts<ClassicConnect4>(game, options, seed)) return search;
    if (auto search = try_mcts<Connect4<u64, AnySize>>(game, options, seed)) return search;
    return try_mcts<Connect4<u128, AnySize>>(game, options, seed);
}
