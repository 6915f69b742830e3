#include "bindings/any_alphabeta.hpp"
#include "bindings/any_mcts.hpp"
#include "bindings/any_ntuple.hpp"
#include "bindings/instantiate.hpp"
#include "eval/chess_eval.hpp"

namespace spielbaum {

template GamePtr instantiate<ChessFamily>(OptionValues);

AlphaBetaPtr make_alphabeta_chess(const AnyGame& game, const AlphaBetaOptions& options, const EvaluationSpec& evaluation) {
    return try_alphabeta<Chess, ChessEvaluations>(game, options, evaluation);
}

MctsPtr make_mcts_chess(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<Chess, ChessEvaluations>(game, options, seed);
}

NTuplePtr make_ntuple_chess(const GamePtr& game, const NTupleOptions& options) { return try_ntuple<Chess>(game, options); }

}  // namespace spielbaum
