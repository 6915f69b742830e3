#include "bindings/any_alphabeta.hpp"
#include "bindings/any_mcts.hpp"
#include "bindings/any_ntuple.hpp"
#include "bindings/instantiate.hpp"
#include "eval/yavalath_eval.hpp"

namespace spielbaum {

template GamePtr instantiate<YavalathFamily>(OptionValues);

AlphaBetaPtr make_alphabeta_yavalath(const AnyGame& game, const AlphaBetaOptions& options, const EvaluationSpec& evaluation) {
    return try_alphabeta<Yavalath, YavalathEvaluations>(game, options, evaluation);
}

MctsPtr make_mcts_yavalath(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<Yavalath, YavalathEvaluations>(game, options, seed);
}

NTuplePtr make_ntuple_yavalath(const GamePtr& game, const NTupleOptions& options) { return try_ntuple<Yavalath>(game, options); }

}  // namespace spielbaum
