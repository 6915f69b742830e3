// Which move to try next at a node whose moves have all been tried: one small class for each rule.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "core/mathematics.hpp"
#include "search/mcts/options.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

// 1 / n and 1 / sqrt(n), which selection needs for every move at every step.
class Reciprocals {
public:
    static double of(std::uint32_t n) { return n < kSize ? kInverse[n] : 1.0 / n; }
    static double of_root(std::uint32_t n) { return n < kSize ? kRoot[n] : 1.0 / std::sqrt(static_cast<double>(n)); }

private:
    static constexpr std::size_t kSize = 4096;
    static inline const std::array<double, kSize> kInverse = [] {
        std::array<double, kSize> table{};
        for (std::size_t n = 1; n < kSize; ++n) table[n] = 1.0 / static_cast<double>(n);
        return table;
    }();
    static inline const std::array<double, kSize> kRoot = [] {
        std::array<double, kSize> table{};
        for (std::size_t n = 1; n < kSize; ++n) table[n] = 1.0 / std::sqrt(static_cast<double>(n));
        return table;
    }();
};

// Each rule has a scorer(tree, node): a function of an edge's index, the edge, and its mean reward.
//
// The opened edge with the highest score among those whose results are not proven: a visit of the others would tell
// nothing. A proven win is taken at once; if all are proven, a draw comes before a loss.
template <class Rule>
Tree::Index best_edge(const Tree& tree, const Node& node, const Rule& rule) {
    const auto score = rule.scorer(tree, node);
    Tree::Index best = node.first_edge;
    double best_score = -std::numeric_limits<double>::infinity();
    bool searching = false;
    for (Tree::Index i = node.first_edge; i < node.first_edge + node.opened; ++i) {
        const Edge& edge = tree.edge(i);
        if (edge.proof != Proof::unknown) {
            if (edge.proof == Proof::win) return i;
            if (edge.proof == Proof::draw && !searching) best = i;
            continue;
        }
        const double value = score(i, edge, static_cast<double>(edge.sum) * (1.0 / kFixedOne) * Reciprocals::of(edge.visits));
        if (value > best_score) {
            best = i;
            best_score = value;
            searching = true;
        }
    }
    return best;
}

// mean + c sqrt(ln N / n) (Kocsis and Szepesvari 2006).
struct SelectUct {
    static constexpr TreeNeeds kNeeds{};
    double c;
    auto scorer(const Tree&, const Node& node) const {
        return [weight = c * std::sqrt(natural_log(node.visits))](Tree::Index, const Edge& edge, double mean) {
            return mean + weight * Reciprocals::of_root(edge.visits);
        };
    }
};

// mean + c sqrt(ln N / n min(1, V)), V = variance + sqrt(2 ln N / n); rewards in [-1, 1] have a variance of at most 1
// (after Auer, Cesa-Bianchi and Fischer 2002, whose rewards lie in [0, 1]).
struct SelectUcb1Tuned {
    static constexpr TreeNeeds kNeeds{.amaf = false, .squares = true};
    double c;
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, log = natural_log(node.visits)](Tree::Index index, const Edge& edge, double mean) {
            const double share = log * Reciprocals::of(edge.visits);
            const double variance = to_real(tree.squares(index)) * Reciprocals::of(edge.visits) - mean * mean;
            return mean + c * std::sqrt(share * std::min(1.0, variance + std::sqrt(2.0 * share)));
        };
    }
};

// (1 - alpha) mean + alpha AMAF mean + c sqrt(ln N / n) (Helmbold and Parker-Wood 2009).
struct SelectAmaf {
    static constexpr TreeNeeds kNeeds{.amaf = true, .squares = false};
    double c, alpha;
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, weight = c * std::sqrt(natural_log(node.visits))](Tree::Index index, const Edge& edge, double mean) {
            return (1.0 - alpha) * mean + alpha * tree.amaf(index).mean() + weight * Reciprocals::of_root(edge.visits);
        };
    }
};

// The same with a weight beta that falls with the visits of the move (Gelly and Silver 2011).
struct SelectRave {
    static constexpr TreeNeeds kNeeds{.amaf = true, .squares = false};
    double c, k;
    BetaRule rule;
    double beta(double visits, double amaf_visits) const {
        if (rule == BetaRule::gelly) return std::sqrt(k / (3.0 * visits + k));
        return amaf_visits == 0.0 ? 0.0 : amaf_visits / (visits + amaf_visits + visits * amaf_visits / k);
    }
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, weight = c * std::sqrt(natural_log(node.visits))](Tree::Index index, const Edge& edge, double mean) {
            const AmafStatistics& amaf = tree.amaf(index);
            const double b = beta(edge.visits, static_cast<double>(amaf.visits));
            return (1.0 - b) * mean + b * amaf.mean() + weight * Reciprocals::of_root(edge.visits);
        };
    }
};

using Selection = std::variant<SelectUct, SelectUcb1Tuned, SelectAmaf, SelectRave>;

inline Selection make_selection(const MctsOptions& options) {
    switch (options.select) {
        case SelectRule::ucb1_tuned: return SelectUcb1Tuned{options.c};
        case SelectRule::amaf: return SelectAmaf{options.c, options.alpha};
        case SelectRule::rave: return SelectRave{options.c, options.rave_k, options.beta};
        default: return SelectUct{options.c};
    }
}

}  // namespace spielbaum
