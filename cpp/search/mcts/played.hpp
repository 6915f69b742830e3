// Which moves were made in an iteration, by player and name: what AMAF values are counted by.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/game.hpp"
#include "core/setting.hpp"
#include "search/mcts/flight.hpp"

namespace spielbaum {

struct AmafSettings {
    bool tree_moves = true;
    static constexpr auto options() {
        return std::tuple(setting("tree_moves", &AmafSettings::tree_moves,
                                  "AMAF values also count moves in the tree, not only in playouts"));
    }
};

// Names by player: a bit set where a word has room for them, else the number of the iteration at the place of the name.
class PlayedMoves {
public:
    PlayedMoves(int num_names, int num_players)
        : names_(static_cast<std::size_t>(num_names)),
          stamps_(num_names <= 64 ? 0 : names_ * static_cast<std::size_t>(num_players)) {}

    void clear() {
        bits_ = {};
        if (++stamp_ == 0) {  // after four thousand million iterations the old marks would come alive
            std::fill(stamps_.begin(), stamps_.end(), 0);
            stamp_ = 1;
        }
    }
    void insert(std::size_t player, std::size_t name) {
        if (stamps_.empty())
            bits_[player] |= bit<u64>(static_cast<int>(name));
        else
            stamps_[player * names_ + name] = stamp_;
    }
    // The moves of a playout.
    template <Game G>
    void take(const G& game, const Flight<G>& flight) {
        clear();
        if constexpr (PlacesStones<G>)
            for (std::size_t player = 0; player < static_cast<std::size_t>(game.num_players()); ++player)
                insert_set(player, flight.placed[player]);
        for (std::size_t i = flight.before_playout; i < flight.trace.size(); ++i)
            insert(flight.trace[i].player, flight.trace[i].name);
    }
    // A set of names below 64, as bits.
    void insert_set(std::size_t player, u64 set) { bits_[player] |= set; }
    // The names of one player, for as long as nothing changes.
    struct OfPlayer {
        u64 bits;
        const std::uint32_t* stamps;  // none: bits
        std::uint32_t stamp;

        bool contains(std::size_t name) const {
            return stamps == nullptr ? (bits >> name & 1) != 0 : stamps[name] == stamp;
        }
    };
    OfPlayer of(std::size_t player) const {
        return {bits_[player], stamps_.empty() ? nullptr : stamps_.data() + player * names_, stamp_};
    }
    bool contains(std::size_t player, std::size_t name) const { return of(player).contains(name); }

private:
    std::size_t names_;
    std::array<u64, kMaxPlayers> bits_{};
    std::vector<std::uint32_t> stamps_;
    std::uint32_t stamp_ = 0;
};

}  // namespace spielbaum
