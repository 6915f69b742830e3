#include "bindings/any_mcts.hpp"
#include "games/chess/chess.hpp"

spielbaum::MctsPtr spielbaum::make_mcts_chess(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<Chess>(game, options, seed);
}
