// Perft: the number of move sequences of a given length, the standard proof that move generation is right.
#pragma once

#include <vector>

#include "core/game.hpp"

namespace spielbaum {

template <Game G>
int list_perft_moves(const G& game, const typename G::State& state, Move* out) {
    if constexpr (PlaysOnAfterDraws<G>)
        return game.moves_despite_draws(state, out);
    else
        return game.legal_moves(state, out);
}

template <Game G>
int count_perft_moves(const G& game, const typename G::State& state, Move* buffer) {
    if constexpr (PlaysOnAfterDraws<G>)
        return game.count_despite_draws(state);
    else if constexpr (CountsMoves<G>)
        return game.count_moves(state);
    else
        return game.legal_moves(state, buffer);
}

// Counts sequences of exactly `depth` moves; a game that ends earlier counts nothing, unless the game declares the
// other convention (CountsFinishedGames). The path plays no part: published counts ignore draws by repetition, and
// so states here are advanced by plain play() (see also PlaysOnAfterDraws). `poll` is called now and then and may throw
// to give up.
template <Game G, class Poll>
u64 perft(const G& game, const typename G::State& root, int depth, Poll&& poll) {
    const auto width = static_cast<std::size_t>(game.max_moves());
    std::vector<Move> buffer(width * static_cast<std::size_t>(depth > 0 ? depth : 0));

    auto count = [&](auto&& self, const typename G::State& state, int left) -> u64 {
        if (left == 0) return 1;
        if constexpr (CountsFinishedGames<G>)
            if (game.over(state)) return 1;
        Move* const moves = buffer.data() + width * static_cast<std::size_t>(left - 1);
        if (left == 1) return static_cast<u64>(count_perft_moves(game, state, moves));
        const int num_moves = list_perft_moves(game, state, moves);
        if (left == 4) poll();
        u64 total = 0;
        for (int i = 0; i < num_moves; ++i) {
            typename G::State next = state;
            game.play(next, moves[i]);
            total += self(self, next, left - 1);
        }
        return total;
    };
    return count(count, root, depth);
}

}  // namespace spielbaum
