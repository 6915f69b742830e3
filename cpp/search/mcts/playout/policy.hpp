// What rules of playouts are made of.
//
// A rule has a name (kName), a line for the help of playout= (kHelp), its Settings, and for each game a Policy, which
// chooses moves and may learn from playouts: it gets the moves that were made, as names with their players, and the
// rewards. If it knows moves by their names (kByName), it cannot be used where symmetric positions are one.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>

#include "core/playout.hpp"
#include "core/setting.hpp"

namespace spielbaum {

struct PlayedMove {
    std::uint16_t name;
    std::uint8_t player;
};

using Rewards = std::array<double, kMaxPlayers>;

struct NoSettings {
    static constexpr auto options() { return std::tuple(); }
};

// The option keep of rules that learn.
template <class Settings>
constexpr auto keep_option(bool Settings::* field) {
    return setting("keep", field, "playouts that learn keep what they learnt for the next move");
}

// What a policy has if it says nothing else.
struct PlayoutPolicy {
    static constexpr bool kTraced = false;  // it wants to see the moves that were made
    // So many moves before the playout are in the trace as well, if the tree has them.
    std::size_t moves_before() const { return 0; }
    bool keeps() const { return true; }  // from one search to the next
    void forget_all() {}
    // `before`: so many moves of the trace were made in the tree.
    void learn(std::span<const PlayedMove> /*trace*/, std::size_t /*before*/, const Rewards&) {}
};

}  // namespace spielbaum
