// The default encoding of the games in which cells are empty or owned: own stones, each opponent's in turn order,
// and empty cells. Row 0 of a plane is the top row of the board as it is drawn.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/game.hpp"

namespace spielbaum {

// `owner(row, column)` is a player, -1 for an empty cell, or -2 for a place beside the board.
template <class Owner>
void write_stone_planes(Shape shape, int num_players, int to_move, float* out, Owner&& owner) {
    const auto cells = static_cast<std::size_t>(shape.rows * shape.columns);
    std::fill_n(out, static_cast<std::size_t>(num_players + 1) * cells, 0.0f);
    for (int row = 0; row < shape.rows; ++row) {
        for (int column = 0; column < shape.columns; ++column) {
            const int player = owner(row, column);
            if (player == -2) continue;
            const int plane = player < 0 ? num_players : (player - to_move + num_players) % num_players;
            out[static_cast<std::size_t>(plane) * cells + static_cast<std::size_t>(row * shape.columns + column)] =
                1.0f;
        }
    }
}

}  // namespace spielbaum
