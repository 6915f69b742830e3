// AMAF: a move is worth what all playouts that have it were worth, in part.
#pragma once

#include "search/mcts/select/score.hpp"

namespace spielbaum {

// (1 - alpha) mean + alpha AMAF mean + c sqrt(ln N / n) (Helmbold and Parker-Wood 2009).
struct SelectAmaf {
    static constexpr std::string_view kName = "amaf", kHelp = "uct whose mean is mixed with that of all playouts that have the move, by weight alpha";
    static constexpr TreeNeeds kNeeds{.amaf = true};
    struct Settings {
        double c = kExploration, alpha = 0.5;
        static constexpr auto options() {
            return std::tuple(exploration(&Settings::c), setting("alpha", &Settings::alpha, {0.0, 1.0}, "weight of AMAF values with select=amaf"));
        }
    };

    double c, alpha;
    explicit SelectAmaf(const Settings& settings) : c(settings.c), alpha(settings.alpha) {}
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, weight = c * Tables::root_log(peek(node.visits))](Tree::Index index, const Edge&, const Seen& seen, double mean) {
            const AmafStatistics& amaf = tree.amaf(index);
            return (1.0 - alpha) * mean + alpha * mean_of(peek(amaf.sum), peek(amaf.visits)) + weight * Tables::inverse_root(seen.visits);
        };
    }
};

}  // namespace spielbaum
