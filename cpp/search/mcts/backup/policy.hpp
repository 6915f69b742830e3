// What rules of backing up are made of: what is done with an iteration beside counting its visits and rewards.
//
// A rule says whether a search wants it, and has for each game a Policy with hooks. All policies are in every search,
// and a mask that is made with the search says whose hooks are called: one instantiation for each game, and branches
// that always go one way.
#pragma once

#include <array>

#include "core/game.hpp"
#include "search/mcts/flight.hpp"
#include "search/mcts/playout/policy.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

using FixedRewards = std::array<Fixed, kMaxPlayers>;

// An iteration that comes back.
template <Game G>
struct Arrival {
    const G& game;
    Tree& tree;
    const Flight<G>& flight;
    FixedRewards& rewards;  // what nodes above get to see
};
// A step of it upwards: the edge that was taken, its node, and what lies below. Made for each hook that is called, so
// that a loop without hooks keeps everything in registers.
template <Game G>
struct Ascent : Arrival<G> {
    Step step;
    Node& node;
    Edge& edge;
    Tree::Index below;
    Fixed reward;  // of the player who moves at the node
};

// An edge that gets its child.
template <Game G>
struct Opening {
    const G& game;
    Tree& tree;
    Tree::Index edge, child;
    const typename G::State& next;  // the position after the move
    int mover;
    bool over;  // the game, after the move
};

// What a rule has if it says nothing else.
struct BackupRule {
    using Settings = NoSettings;
    // What the tree must hold for the rule itself, where no rule of selection has asked for it.
    static void ask(TreeNeeds&, const auto& /*options*/) {}
};
struct BackupPolicy {
    static constexpr bool kNamesMoves = false;  // it wants the moves of an iteration by name
    // `value(state, player)`: what the game's evaluation says.
    void opened(const auto& /*opening*/, const auto& /*value*/) {}
    void leaf(const auto& /*arrival*/) {}
    void step(const auto& /*ascent*/) {}
    void arrived(const auto& /*arrival*/) {}
};

// Of rules of selection that need nothing but visits and rewards.
struct NoBackup : BackupRule {
    static bool wanted(const TreeNeeds&, const auto&) { return false; }
    template <Game G>
    struct Policy : BackupPolicy {
        explicit Policy(const auto&) {}
    };
};

}  // namespace spielbaum
