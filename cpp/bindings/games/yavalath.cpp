#include "bindings/kit.hpp"
#include "eval/yavalath_eval.hpp"
#include "games/yavalath.hpp"

SPIELBAUM_GAME(Yavalath, Kit<YavalathEvaluations>);
