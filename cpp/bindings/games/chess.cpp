#include "bindings/kit.hpp"
#include "eval/chess_eval.hpp"
#include "games/chess/chess.hpp"

SPIELBAUM_GAME(Chess, Kit<ChessEvaluations>);
