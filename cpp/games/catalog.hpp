// The games of the package. A new one: its header and its family, both named here, and its line in bindings/games/.
#pragma once

#include <tuple>

#include "games/chess/chess.hpp"
#include "games/connect4.hpp"
#include "games/hex.hpp"
#include "games/reversi.hpp"
#include "games/reversixt/reversixt.hpp"
#include "games/tictactoe.hpp"
#include "games/yavalath.hpp"

namespace spielbaum {

// A family is a name, options, and with(values, use): hands the rules object for these options to `use`.
using Catalog =
    std::tuple<ChessFamily, Connect4Family, HexFamily, ReversiFamily, ReversiXtFamily, TicTacToeFamily, YavalathFamily>;

// Calls visit.operator()<Family>() for every family.
template <class Visit>
void for_each_family(Visit&& visit) {
    [&]<class... Family>(std::tuple<Family...>*) {
        (visit.template operator()<Family>(), ...);
    }(static_cast<Catalog*>(nullptr));
}

}  // namespace spielbaum
