#include "games/reversixt/reversixt.hpp"
#include "bindings/kit.hpp"
#include "eval/reversixt_eval.hpp"

SPIELBAUM_GAME(ReversiXt, Kit<ReversiXtEvaluations>);
