#include "games/chess/chess.hpp"
#include "bindings/kit.hpp"
#include "eval/chess_eval.hpp"

SPIELBAUM_GAME(Chess, Kit<ChessEvaluations>);
