#include "bindings/any_mcts.hpp"
#include "eval/yavalath_eval.hpp"

// alphabeta_yavalath.cpp has them.
extern template class spielbaum::AlphaBeta<spielbaum::Yavalath, spielbaum::YavalathEvaluations>;

spielbaum::MctsPtr spielbaum::make_mcts_yavalath(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<Yavalath, YavalathEvaluations>(game, options, seed);
}
