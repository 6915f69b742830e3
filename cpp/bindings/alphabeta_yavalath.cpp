#include "bindings/any_alphabeta.hpp"
#include "eval/yavalath_eval.hpp"

// mcts_yavalath.cpp uses them, too.
template class spielbaum::AlphaBeta<spielbaum::Yavalath, spielbaum::YavalathEvaluations>;

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_yavalath(const AnyGame& game, const AlphaBetaOptions& options,
                                                             std::string_view evaluation) {
    return try_alphabeta<Yavalath, YavalathEvaluations>(game, options, evaluation);
}
