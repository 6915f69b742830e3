// UCB1-tuned: exploration by the variance of the rewards.
#pragma once

#include "search/mcts/backup/squares.hpp"
#include "search/mcts/select/score.hpp"

namespace spielbaum {

// mean + c sqrt(ln N / n min(1, V)), V = variance + sqrt(2 ln N / n); rewards in [-1, 1] have a variance of at most 1
// (after Auer, Cesa-Bianchi and Fischer 2002, whose rewards lie in [0, 1]).
struct SelectUcb1Tuned {
    static constexpr std::string_view kName = "ucb1-tuned",
                                      kHelp = "mean + c sqrt(ln N / n min(1, variance + sqrt(2 ln N / n)))";
    using Settings = ExplorationSettings;
    using Backup = SquaresBackup;

    double c;
    explicit SelectUcb1Tuned(const Settings& settings) : c(settings.c) {}
    TreeNeeds needs(GameSize) const { return TreeNeeds{}.with<Squares>(); }
    auto scorer(const Descent& at) const {
        return [this, squares = at.tree.array<Squares>(), log = natural_log(peek(at.node().visits))](
                   Tree::Index index, const Edge&, const Seen& seen, double mean) {
            const double share = log * Tables::inverse(seen.visits);
            const double variance = to_real(peek(squares[index].sum)) * Tables::inverse(seen.visits) - mean * mean;
            return mean + c * std::sqrt(share * std::clamp(variance + std::sqrt(2.0 * share), 0.0, 1.0));
        };
    }
};

}  // namespace spielbaum
