// Sums of squared rewards, for variances.
#pragma once

#include "search/mcts/backup/policy.hpp"

namespace spielbaum {

struct Squares {
    static constexpr Per kPer = Per::edge;
    Fixed sum = 0;
};

struct SquaresBackup : BackupRule {
    static bool wanted(const TreeNeeds& needs, const auto&) { return needs.has<Squares>(); }

    template <Game G>
    struct Policy : BackupPolicy {
        explicit Policy(const auto&) {}
        void step(const Ascent<G>& ascent) {
            const double reward = to_real(ascent.reward);
            add(ascent.tree.template at<Squares>(ascent.step.edge).sum, to_fixed(reward * reward),
                ascent.tree.is_shared());
        }
    };
};

}  // namespace spielbaum
