#include "bindings/any_mcts.hpp"
#include "games/yavalath.hpp"

spielbaum::MctsPtr spielbaum::make_mcts_yavalath(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<Yavalath>(game, options, seed);
}
