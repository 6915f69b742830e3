// Which move to try next at a node whose moves have all been tried: one small class for each rule.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "core/mathematics.hpp"
#include "core/outcome.hpp"
#include "search/mcts/options.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

// 1 / n and 1 / sqrt(n), which selection needs for every move at every step, and sqrt(ln n), which it needs at every step.
class Tables {
public:
    // 0 for n = 0, so that a sum of nothing has a mean of 0.
    static double inverse(std::uint32_t n) { return n < kSize ? kInverse[n] : 1.0 / n; }
    static double root_log(std::uint32_t n) { return n < kSize ? kRootLog[n] : std::sqrt(natural_log(n)); }
    static double inverse_root(std::uint32_t n) { return n < kSize ? kRoot[n] : 1.0 / std::sqrt(static_cast<double>(n)); }

private:
    static constexpr std::size_t kSize = 4096;
    static inline const std::array<double, kSize> kInverse = [] {
        std::array<double, kSize> table{};
        for (std::size_t n = 1; n < kSize; ++n) table[n] = 1.0 / static_cast<double>(n);
        return table;
    }();
    static inline const std::array<double, kSize> kRootLog = [] {
        std::array<double, kSize> table{};
        for (std::size_t n = 1; n < kSize; ++n) table[n] = std::sqrt(natural_log(static_cast<double>(n)));
        return table;
    }();
    static inline const std::array<double, kSize> kRoot = [] {
        std::array<double, kSize> table{};
        for (std::size_t n = 1; n < kSize; ++n) table[n] = 1.0 / std::sqrt(static_cast<double>(n));
        return table;
    }();
};

inline double mean_of(Fixed sum, std::uint32_t visits) {
    return static_cast<double>(sum) * (1.0 / kFixedOne) * Tables::inverse(visits);
}

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
        const double value = score(i, edge, mean_of(edge.sum, edge.visits));
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
        return [weight = c * Tables::root_log(node.visits)](Tree::Index, const Edge& edge, double mean) {
            return mean + weight * Tables::inverse_root(edge.visits);
        };
    }
};

// The same in a graph, where edges that lead to equal positions share a node: N counts all visits of the node, n those of
// the edge (UCT1 of Childs, Brodeur and Kocsis 2008).
struct SelectUct1 : SelectUct {
    static constexpr TreeNeeds kNeeds{.graph = true};
};

// UCT2 of the same authors: the mean is that of the child, over all ways that lead to it.
struct SelectUct2 {
    static constexpr TreeNeeds kNeeds{.graph = true, .values = kMaxPlayers};
    double c;
    auto scorer(const Tree& tree, const Node& node) const {
        return [&tree, player = node.to_move, weight = c * Tables::root_log(node.visits)](Tree::Index, const Edge& edge, double) {
            return mean_of(tree.value(edge.child, player), tree.node(edge.child).visits) +
                   weight * Tables::inverse_root(edge.visits);
        };
    }
};

// mean + c sqrt(ln N / n min(1, V)), V = variance + sqrt(2 ln N / n); rewards in [-1, 1] have a variance of at most 1
// (after Auer, Cesa-Bianchi and Fischer 2002, whose rewards lie in [0, 1]).
struct SelectUcb1Tuned {
    static constexpr TreeNeeds kNeeds{.squares = true};
    double c;
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, log = natural_log(node.visits)](Tree::Index index, const Edge& edge, double mean) {
            const double share = log * Tables::inverse(edge.visits);
            const double variance = to_real(tree.squares(index)) * Tables::inverse(edge.visits) - mean * mean;
            return mean + c * std::sqrt(share * std::min(1.0, variance + std::sqrt(2.0 * share)));
        };
    }
};

// (1 - alpha) mean + alpha AMAF mean + c sqrt(ln N / n) (Helmbold and Parker-Wood 2009).
struct SelectAmaf {
    static constexpr TreeNeeds kNeeds{.amaf = true};
    double c, alpha;
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, weight = c * Tables::root_log(node.visits)](Tree::Index index, const Edge& edge, double mean) {
            const AmafStatistics& amaf = tree.amaf(index);
            return (1.0 - alpha) * mean + alpha * mean_of(amaf.sum, amaf.visits) + weight * Tables::inverse_root(edge.visits);
        };
    }
};

// The same with a weight beta that falls with the visits of the move (Gelly and Silver 2011).
class SelectRave {
public:
    static constexpr TreeNeeds kNeeds{.amaf = true};

    SelectRave(double c, double k, BetaRule rule) : c_(c), k_(k), rule_(rule), weights_(rule == BetaRule::gelly ? 4096 : 0) {
        for (std::uint32_t n = 1; n < weights_.size(); ++n) weights_[n] = weights(n, 0);
    }
    double beta(std::uint32_t visits, std::uint32_t amaf_visits) const {
        const double n = visits, m = amaf_visits;
        if (rule_ == BetaRule::gelly) return std::sqrt(k_ / (3.0 * n + k_));
        return amaf_visits == 0 ? 0.0 : m / (n + m + n * m / k_);
    }
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, exploration = c_ * Tables::root_log(node.visits)](Tree::Index index, const Edge& edge, double) {
            const AmafStatistics& amaf = tree.amaf(index);
            const Weights w = edge.visits < weights_.size() ? weights_[edge.visits] : weights(edge.visits, amaf.visits);
            return static_cast<double>(edge.sum) * w.sum + static_cast<double>(amaf.sum) * Tables::inverse(amaf.visits) * w.amaf +
                   exploration * w.exploration;
        };
    }

private:
    // What the sum of rewards, the AMAF mean (in fixed point) and the exploration are multiplied by.
    struct Weights {
        double sum = 0.0, amaf = 0.0, exploration = 0.0;
    };
    Weights weights(std::uint32_t visits, std::uint32_t amaf_visits) const {
        const double share = beta(visits, amaf_visits);
        return {(1.0 - share) * Tables::inverse(visits) / kFixedOne, share / kFixedOne, Tables::inverse_root(visits)};
    }

    double c_, k_;
    BetaRule rule_;
    std::vector<Weights> weights_;  // by visits, where they depend on nothing else
};

// mean + c sqrt(ln N / n) + cpn (1 - rank / worst rank): where the player of the root moves, moves are ranked by their proof
// number, elsewhere by their disproof number, the lowest first, and equal numbers share a rank (Doe, Winands, Soemers and
// Browne 2022).
class SelectPn {
public:
    static constexpr TreeNeeds kNeeds{.proof_numbers = true};

    SelectPn(double c, double cpn) : c_(c), cpn_(cpn) {}
    auto scorer(const Tree& tree, const Node& node) const {
        const bool proving = node.to_move == tree.prover();
        const auto number = [&tree, proving](const Edge& edge) {
            const ProofNumbers& numbers = tree.proof_numbers(edge.child);
            return proving ? numbers.proof : numbers.disproof;
        };
        // The different numbers in ascending order: the rank of a number is its place, counted from 1.
        numbers_.clear();
        for (Tree::Index i = node.first_edge; i < node.first_edge + node.opened; ++i) numbers_.push_back(number(tree.edge(i)));
        std::sort(numbers_.begin(), numbers_.end());
        numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
        return [this, number, weight = c_ * Tables::root_log(node.visits)](Tree::Index, const Edge& edge, double mean) {
            const auto place = std::lower_bound(numbers_.begin(), numbers_.end(), number(edge)) - numbers_.begin();
            const double rank = static_cast<double>(place + 1) / static_cast<double>(numbers_.size());
            return mean + weight * Tables::inverse_root(edge.visits) + cpn_ * (1.0 - rank);
        };
    }

private:
    double c_, cpn_;
    mutable std::vector<std::uint32_t> numbers_;  // of the node at hand
};

using Selection = std::variant<SelectUct, SelectUct1, SelectUct2, SelectUcb1Tuned, SelectAmaf, SelectRave, SelectPn>;

inline Selection make_selection(const MctsOptions& options) {
    switch (options.select) {
        case SelectRule::uct1: return SelectUct1{{options.c}};
        case SelectRule::uct2: return SelectUct2{options.c};
        case SelectRule::ucb1_tuned: return SelectUcb1Tuned{options.c};
        case SelectRule::amaf: return SelectAmaf{options.c, options.alpha};
        case SelectRule::rave: return SelectRave{options.c, options.rave_k, options.beta};
        case SelectRule::pn: return SelectPn(options.c, options.cpn);
        default: return SelectUct{options.c};
    }
}

}  // namespace spielbaum
