// The games of the package. A new one: its header, and a line here.
#pragma once

#include <tuple>

#include "games/chess/chess.hpp"
#include "games/connect4.hpp"
#include "games/reversi.hpp"
#include "games/tictactoe.hpp"
#include "games/yavalath.hpp"

namespace spielbaum {

// A family is a name, options, and with(values, use): hands the rules object for these options to `use`.
using Catalog = std::tuple<ChessFamily, Connect4Family, ReversiFamily, TicTacToeFamily, YavalathFamily>;

}  // namespace spielbaum
