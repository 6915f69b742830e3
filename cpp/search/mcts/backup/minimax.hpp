// Implicit minimax backups (Lanctot, Winands, Pepels and Sturtevant 2014): evaluations are backed up by minimax beside
// the means.
#pragma once

#include <algorithm>

#include "search/mcts/backup/policy.hpp"

namespace spielbaum {

// What the player who moves gets by minimax.
struct MinimaxValue {
    static constexpr Per kPer = Per::edge;
    float value = 0.0f;
};

struct MinimaxBackup : BackupRule {
    static void ask(TreeNeeds& needs, const auto& options) {
        if (options.minimax > 0) needs = std::move(needs).with<MinimaxValue>();
    }
    static bool wanted(const TreeNeeds& needs, const auto&) { return needs.has<MinimaxValue>(); }

    template <Game G>
    struct Policy : BackupPolicy {
        explicit Policy(const auto&) {}
        void opened(const Opening<G>& opening, const auto& value) {
            put(opening.tree.template at<MinimaxValue>(opening.edge).value,
                static_cast<float>(value(opening.next, opening.mover)));
        }
        // The best that the player to move below can get by minimax, seen by the player who moves to there.
        void step(const Ascent<G>& ascent) {
            if (ascent.below == ascent.flight.leaf) return;
            Tree& tree = ascent.tree;
            const Node& below = tree.node(ascent.below);
            float best = -1.0f;
            for (Tree::Index i = below.first_edge; i < below.first_edge + see(below.opened); ++i)
                if (see(tree.edge(i).child) != 0) best = std::max(best, peek(tree.at<MinimaxValue>(i).value));
            put(tree.at<MinimaxValue>(ascent.step.edge).value, below.to_move == ascent.node.to_move ? best : -best);
        }
    };
};

}  // namespace spielbaum
