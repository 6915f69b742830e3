// One iteration on its way: down the tree, out of it, and back up.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/game.hpp"
#include "search/mcts/playout/policy.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

template <Game G>
struct Flight {
    typename G::State state;  // at the leaf, later at the end of the playout
    Path path;
    std::vector<Step> steps;
    Tree::Index leaf = 0;
    std::vector<PlayedMove> trace;          // the moves of the playout, after what is known of the tree's last move
    std::size_t before_playout = 0;         // moves of the trace that were made in the tree
    std::array<u64, kMaxPlayers> placed{};  // cells that the playout filled, in games where names are such cells
    int playout_plies = 0;
    Rewards rewards{};

    explicit Flight(const typename G::State& root) : state(root) {}

    // The path is cut by whoever lengthened it.
    void start(const typename G::State& root) {
        state = root;
        steps.clear();
        trace.clear();
        before_playout = 0;
        placed = {};
        playout_plies = 0;
    }
    int plies() const { return static_cast<int>(steps.size()) + playout_plies; }
};

}  // namespace spielbaum
