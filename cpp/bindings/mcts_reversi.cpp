#include "bindings/any_mcts.hpp"
#include "games/reversi.hpp"

spielbaum::MctsPtr spielbaum::make_mcts_reversi(const AnyGame& game, const MctsOptions& options, u64 seed) {
    if (auto search = try_mcts<Reversi<8>>(game, options, seed)) return search;
    if (auto search = try_mcts<Reversi<4>>(game, options, seed)) return search;
    if (auto search = try_mcts<Reversi<6>>(game, options, seed)) return search;
    return try_mcts<Reversi<10>>(game, options, seed);
}
