#include "games/yavalath.hpp"
#include "bindings/kit.hpp"
#include "eval/yavalath_eval.hpp"

SPIELBAUM_GAME(Yavalath, Kit<YavalathEvaluations>);
