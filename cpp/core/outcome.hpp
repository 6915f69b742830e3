// How a finished game ended: a reward for each player, summing to zero, and the reason in words.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace spielbaum {

inline constexpr int kMaxPlayers = 8;

struct Outcome {
    std::array<double, kMaxPlayers> rewards{};
    int num_players = 2;
    std::string_view reason;  // points at a string with static lifetime, so that an outcome costs no allocation

    // The winner gets 1; the others share the loss, so that rewards sum to zero for any number of players.
    static constexpr Outcome win(int winner, int num_players, std::string_view reason) {
        Outcome outcome{{}, num_players, reason};
        for (int player = 0; player < num_players; ++player)
            outcome.rewards[static_cast<std::size_t>(player)] = -1.0 / (num_players - 1);
        outcome.rewards[static_cast<std::size_t>(winner)] = 1.0;
        return outcome;
    }

    static constexpr Outcome draw(int num_players, std::string_view reason) { return {{}, num_players, reason}; }

    // Whether it is a draw, or one player's win and everybody else's loss: what `win` and `draw` make.
    constexpr bool is_plain() const {
        double highest = 0.0;
        int winners = 0;
        for (int player = 0; player < num_players; ++player) {
            const double reward = rewards[static_cast<std::size_t>(player)];
            highest = reward > highest ? reward : highest;
            winners += reward == 1.0;
        }
        if (highest == 0.0) return true;
        if (winners != 1) return false;
        for (int player = 0; player < num_players; ++player) {
            const double reward = rewards[static_cast<std::size_t>(player)];
            if (reward != 1.0 && reward != -1.0 / (num_players - 1)) return false;
        }
        return true;
    }

    // The only player with the highest reward, if there is one.
    constexpr std::optional<int> winner() const {
        int best = 0;
        bool shared = false;
        for (int player = 1; player < num_players; ++player) {
            const double lead = rewards[static_cast<std::size_t>(player)] - rewards[static_cast<std::size_t>(best)];
            if (lead > 0) best = player;
            shared = lead == 0 || (shared && lead < 0);
        }
        return shared ? std::nullopt : std::optional(best);
    }
};

}  // namespace spielbaum
