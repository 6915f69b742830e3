// AMAF: a move is worth what all playouts that have it were worth, in part.
#pragma once

#include "search/mcts/backup/amaf.hpp"
#include "search/mcts/select/score.hpp"

namespace spielbaum {

// (1 - alpha) mean + alpha AMAF mean + c sqrt(ln N / n) (Helmbold and Parker-Wood 2009).
struct SelectAmaf {
    static constexpr std::string_view
        kName = "amaf",
        kHelp = "uct whose mean is mixed with that of all playouts that have the move, by weight alpha";
    using Backup = AmafBackup;
    struct Settings {
        double c = kExploration, alpha = 0.5;
        static constexpr auto options() {
            return std::tuple(exploration(&Settings::c),
                              setting("alpha", &Settings::alpha, {0.0, 1.0}, "weight of AMAF values with select=amaf"));
        }
    };

    double c, alpha;
    explicit SelectAmaf(const Settings& settings) : c(settings.c), alpha(settings.alpha) {}
    TreeNeeds needs(GameSize) const { return TreeNeeds{}.with<AmafStatistics>(); }
    auto scorer(const Descent& at) const {
        return [this, all = at.tree.array<AmafStatistics>(), weight = c * Tables::root_log(peek(at.node().visits))](
                   Tree::Index index, const Edge&, const Seen& seen, double mean) {
            const AmafStatistics& amaf = all[index];
            return (1.0 - alpha) * mean + alpha * mean_of(peek(amaf.sum), peek(amaf.visits)) +
                   weight * Tables::inverse_root(seen.visits);
        };
    }
};

}  // namespace spielbaum
