// What the tests of alpha-beta share: an evaluation that is hard to guess, and positions of random games.
#pragma once

#include <vector>

#include "core/playout.hpp"
#include "search/alphabeta/alphabeta.hpp"

namespace spielbaum::testing {

// A hash of the position: the hardest evaluation to guess, and the same whatever way leads to it.
struct HashEvaluation {
    template <Game G>
    int operator()(const G& game, const typename G::State& state) const {
        return static_cast<int>(mix(game.key(state)) % 401) - 200;
    }
};

template <Game G>
AlphaBetaResult search_to(AlphaBeta<G, HashEvaluation>& search, const typename G::State& state, const Path& path,
                          int depth, bool all_values = false) {
    Limits limits;
    limits.depth = depth;
    SearchControl control(limits, nullptr, {});
    return search.search(state, path, all_values, control);
}

// Calls check(state, path) with unfinished positions of random games of up to 40 plies.
template <Game G, class Check>
void for_random_positions(const G& game, int positions, u64 seed, Check&& check) {
    Rng rng(seed);
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    for (int found = 0; found < positions;) {
        auto state = game.initial();
        Path path;
        const int plies = rng.below(40);
        for (int ply = 0; ply < plies && !game.over(state); ++ply)
            advance(game, state, random_move(game, state, rng, buffer.data()), path);
        if (game.over(state)) continue;
        check(state, path);
        ++found;
    }
}

}  // namespace spielbaum::testing
