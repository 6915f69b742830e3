// Paranoid tree search for more than two players (Nijssen and Winands 2012): the player of the root is alone, and all
// others have one aim, that he gets as little as possible.
#pragma once

#include "search/mcts/backup/policy.hpp"

namespace spielbaum {

// What the others want where there are more than two players: each of them the most for himself, or all of them the
// least for the player of the root.
enum class MultiRule : std::uint8_t { maxn, paranoid };
inline constexpr std::array<std::string_view, 2> kMultiRuleNames{"maxn", "paranoid"};

struct ParanoidBackup : BackupRule {
    struct Settings {
        MultiRule multi = MultiRule::maxn;
        static constexpr auto options() {
            return std::tuple(choice("multi", &Settings::multi, kMultiRuleNames,
                                     "more than two players: everybody for himself (maxn), or all others against the "
                                     "player of the root (paranoid)"));
        }
    };
    static bool wanted(const TreeNeeds&, const auto& options) { return options.multi == MultiRule::paranoid; }

    template <Game G>
    class Policy : public BackupPolicy {
    public:
        explicit Policy(const auto& task) : num_players_(static_cast<std::size_t>(task.game.num_players())) {}
        void leaf(const Arrival<G>& arrival) {
            const auto me = static_cast<std::size_t>(arrival.tree.prover());
            for (std::size_t player = 0; player < num_players_; ++player)
                if (player != me) arrival.rewards[player] = -arrival.rewards[me];
        }

    private:
        std::size_t num_players_;
    };
};

}  // namespace spielbaum
