// The order in which a search looks at moves of ReversiXT, of which some maps have thousands: judged without playing
// them.
#pragma once

#include "games/reversixt/reversixt.hpp"

namespace spielbaum {

namespace reversixt {

// Ranks of a position's moves; what they have in common is found once.
class MoveRanks {
public:
    using State = ReversiXt::State;

    MoveRanks(const ReversiXt& game, const State& state)
        : game_(game), map_(game.map()), state_(state), me_(state.to_move), counts_(game.count_stones(state)) {
        for (int player = 0; player < game.num_players(); ++player) total_ += counts_[static_cast<std::size_t>(player)];
        if (state.phase == ReversiXt::Phase::bombing) weigh_rivals();
    }

    int operator()(Move move) const {
        const int cell = move / map_.variants();
        return state_.phase == ReversiXt::Phase::bombing ? bomb(cell) : stone(cell, move % map_.variants());
    }

private:
    // Corners, then edges; stones that others give, or that one would have to give away; override stones are spent
    // last, and nobody wants to stand beside an empty corner.
    int stone(int cell, int variant) const {
        constexpr std::array<int, 5> kByCrossings{400, 60, 20, 0, 0};
        int rank = kByCrossings[static_cast<std::size_t>(map_.crossings(cell))];
        if (is_occupied(cell)) return rank / 2 - 300;
        if (map_.crossings(cell) > 0)
            for (int direction = 0; direction < kDirections; ++direction) {
                const int exit = map_.step({cell, direction});
                if (exit == Map::kNowhere || map_.crossings(exit / kDirections) > 0) continue;
                if (!is_occupied(exit / kDirections)) rank -= 100;
            }
        switch (map_.symbol(cell)) {
            case 'b':
                return rank + 300 + 20 * variant;
            case 'c':
                return rank + gain_from(variant);
            case 'i':
                return rank + gain_from((me_ + game_.num_players() - 1) % game_.num_players());
            default:
                return rank;
        }
    }
    bool is_occupied(int cell) const {
        return contains(game_.occupied_at(state_, static_cast<std::size_t>(cell) / 64), cell % 64);
    }
    // What it is worth to have a player's stones in place of one's own.
    int gain_from(int player) const {
        return 1000 * (counts_[static_cast<std::size_t>(player)] - counts_[static_cast<std::size_t>(me_)]) /
               std::max(total_, 1);
    }

    // A stone less of a rival counts the more, the closer the race with him is; an own one counts in all races.
    void weigh_rivals() {
        for (int player = 0; player < game_.num_players(); ++player) {
            if (player == me_ || game_.eliminated(state_, player)) continue;
            const auto i = static_cast<std::size_t>(player);
            const int distance = std::abs(counts_[i] - counts_[static_cast<std::size_t>(me_)]);
            weights_[i] = 1 + 32 * game_.blast() / (game_.blast() + distance);
            weights_[static_cast<std::size_t>(me_)] -= weights_[i];
        }
        for (int player = 0; player < game_.num_players(); ++player)
            for (std::size_t i = 0; i < map_.cell_words(); ++i)
                stones_[static_cast<std::size_t>(player)][i] = game_.stones_at(state_, player, i);
    }
    // As if no hole stood in the way of the blast, which is nearly right and much faster.
    int bomb(int cell) const {
        const u64* const reach = map_.reach(cell);
        int rank = 0;
        for (std::size_t i = 0; i < map_.cell_words(); ++i) {
            if (reach[i] == 0) continue;
            for (std::size_t player = 0; player < static_cast<std::size_t>(game_.num_players()); ++player)
                if (weights_[player] != 0) rank += weights_[player] * popcount(reach[i] & stones_[player][i]);
        }
        return rank;
    }

    const ReversiXt& game_;
    const Map& map_;
    const State& state_;
    const int me_;
    const std::array<int, kMaxPlayers> counts_;
    int total_ = 0;
    std::array<int, kMaxPlayers> weights_{};
    std::array<std::array<u64, kMostCellWords>, kMaxPlayers> stones_;  // in the bombing phase only
};

}  // namespace reversixt

inline void ReversiXt::order_moves(const State& state, const Move* moves, int count, int* ranks) const {
    const reversixt::MoveRanks rank(*this, state);
    for (int i = 0; i < count; ++i) ranks[i] = rank(moves[i]);
}

}  // namespace spielbaum
