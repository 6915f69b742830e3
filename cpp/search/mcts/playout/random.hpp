// Playouts of random moves.
#pragma once

#include "search/mcts/playout/policy.hpp"

namespace spielbaum {

// Any legal move, all equally likely.
struct RandomPlayout {
    static constexpr std::string_view kName = "random", kHelp = "any legal move";
    static constexpr bool kByName = false;
    using Settings = NoSettings;

    template <Game G>
    struct Policy : PlayoutPolicy {
        Policy(const G&, const Settings&) {}
        Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove>, Rng& rng,
                    Move* buffer) const {
            return random_move(game, state, rng, buffer);
        }
    };
};

}  // namespace spielbaum
