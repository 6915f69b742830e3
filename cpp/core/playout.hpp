// Uniformly random play to the end of a game.
#pragma once

#include <vector>

#include "core/game.hpp"

namespace spielbaum {

// Draws a uniformly random legal move; `buffer` has room for max_moves() moves.
template <Game G>
Move random_move(const G& game, const typename G::State& state, Rng& rng, Move* buffer) {
    if constexpr (DrawsRandomMove<G>) {
        return game.random_move(state, rng);
    } else {
        const int num_moves = game.legal_moves(state, buffer);
        return buffer[rng.below(num_moves)];
    }
}

// Plays `state` to its end and returns the number of plies. Flattened, for whether a compiler inlines the few
// instructions of a move here would else depend on what else is in the file, and Connect Four lose a sixth of its
// speed.
template <Game G>
[[gnu::flatten]] int random_playout(const G& game, typename G::State& state, Path& path, Rng& rng, Move* buffer) {
    int plies = 0;
    while (!game.over(state)) {
        advance(game, state, random_move(game, state, rng, buffer), path);
        ++plies;
    }
    return plies;
}

struct PlayoutTotals {
    u64 plies = 0;
    u64 checksum = 0;  // mixes every final position and result, so that no part of the work can be optimised away
};

template <Game G, class Poll>
PlayoutTotals random_playouts(const G& game, const typename G::State& root, const Path& root_path, u64 count, u64 seed,
                              Poll&& poll) {
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    Rng rng(seed);
    PlayoutTotals totals;
    Path path;
    for (u64 i = 0; i < count; ++i) {
        if (i % 64 == 0) poll();
        typename G::State state = root;
        if constexpr (Repeats<G>) path = root_path;
        totals.plies += static_cast<u64>(random_playout(game, state, path, rng, buffer.data()));
        const double reward = game.outcome(state).rewards[0];
        totals.checksum =
            combine(totals.checksum, game.key(state) + static_cast<u64>(static_cast<int>(2 * reward) + 2));
    }
    return totals;
}

}  // namespace spielbaum
