// Playouts by general domain knowledge.
#pragma once

#include <algorithm>

#include "search/mcts/playout/policy.hpp"

namespace spielbaum {

// General domain knowledge (Browne 2011): a move that wins at once, else one that blocks and does not lose, else one
// that does not lose, else any. In games that do not say what is plain on the board, every move is tried, and blocks
// are not seen.
struct KnowledgePlayout {
    static constexpr std::string_view kName = "gdk", kHelp = "win, else block, else do not lose";
    static constexpr bool kByName = false;
    using Settings = NoSettings;

    template <Game G>
    struct Policy : PlayoutPolicy {
        Policy(const G&, const Settings&) {}
        Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove>, Rng& rng,
                    Move* buffer) const {
            if constexpr (HasTactics<G>) {
                const Tactics tactics = game.tactics(state);
                if (tactics.wins != 0) return static_cast<Move>(random_bit(tactics.wins, rng));
                if (const u64 blocks = tactics.blocks & ~tactics.loses; blocks != 0)
                    return static_cast<Move>(random_bit(blocks, rng));
                if (tactics.loses == 0) return random_move(game, state, rng, buffer);
                return any_but(game, state, rng, buffer, [&](Move move) { return contains(tactics.loses, move); });
            } else {
                const int count = game.legal_moves(state, buffer);
                const int player = game.to_move(state);
                int num_wins = 0, num_safe = 0;
                // Wins come to the front of the buffer, and what does not lose at once behind them.
                for (int i = 0; i < count; ++i) {
                    typename G::State next = state;
                    game.play(next, buffer[i]);
                    const double reward =
                        game.over(next) ? game.outcome(next).rewards[static_cast<std::size_t>(player)] : 0.0;
                    if (reward < 0) continue;
                    std::swap(buffer[num_safe++], buffer[i]);
                    if (reward > 0) std::swap(buffer[num_wins++], buffer[num_safe - 1]);
                }
                return buffer[rng.below(num_wins > 0 ? num_wins : num_safe > 0 ? num_safe : count)];
            }
        }

    private:
        template <class Bad>
        static Move any_but(const G& game, const typename G::State& state, Rng& rng, Move* buffer, Bad&& bad) {
            const int count = game.legal_moves(state, buffer);
            const auto end = std::remove_if(buffer, buffer + count, bad);
            const int good = static_cast<int>(end - buffer);
            return good > 0 ? buffer[rng.below(good)] : random_move(game, state, rng, buffer);
        }
    };
};

}  // namespace spielbaum
