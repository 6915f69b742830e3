#include "bindings/any_alphabeta.hpp"
#include "eval/yavalath_eval.hpp"

spielbaum::AlphaBetaPtr spielbaum::make_alphabeta_yavalath(const AnyGame& game, const AlphaBetaOptions& options) {
    return try_alphabeta<Yavalath, YavalathEvaluation>(game, options);
}
