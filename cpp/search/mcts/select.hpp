// Which move to try next at a node: one small class for each rule.
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
#include "search/mcts/ucd.hpp"

namespace spielbaum {

// 1 / n and 1 / sqrt(n), which selection needs for every move at every step, and sqrt(ln n), which it needs at every step.
class Tables {
public:
    // 0 for n = 0, so that a sum of nothing has a mean of 0.
    static double inverse(std::uint32_t n) { return n < kSize ? kByCount[n].inverse : 1.0 / n; }
    static double inverse_root(std::uint32_t n) { return n < kSize ? kByCount[n].inverse_root : 1.0 / std::sqrt(static_cast<double>(n)); }
    static double root_log(std::uint32_t n) { return n < kSize ? kRootLog[n] : std::sqrt(natural_log(n)); }

    // Counts below this are looked up: those of all but a few moves. Of a table this large only the entries near a few counts
    // are used at any time.
    static constexpr std::size_t kSize = 16384;

private:
    // Side by side, for who needs the one needs the other.
    struct ByCount {
        double inverse, inverse_root;
    };
    // Functions that are not constexpr: the compiler would take two seconds for what takes a program no time.
    static std::array<ByCount, kSize> by_count() {
        std::array<ByCount, kSize> table{};
        for (std::size_t n = 1; n < kSize; ++n) table[n] = {1.0 / static_cast<double>(n), 1.0 / std::sqrt(static_cast<double>(n))};
        return table;
    }
    static std::array<double, kSize> root_logs() {
        std::array<double, kSize> table{};
        for (std::size_t n = 1; n < kSize; ++n) table[n] = std::sqrt(natural_log(static_cast<double>(n)));
        return table;
    }
    static inline const std::array<ByCount, kSize> kByCount = by_count();
    static inline const std::array<double, kSize> kRootLog = root_logs();
};

inline double mean_of(Fixed sum, std::uint32_t visits) {
    return static_cast<double>(sum) * (1.0 / kFixedOne) * Tables::inverse(visits);
}

// What an edge has seen so far; visits that are in flight count as lost, so that those who come next go elsewhere.
struct Seen {
    Fixed sum;
    std::uint32_t visits;

    [[gnu::always_inline]] explicit Seen(const Edge& edge) {
        const std::uint32_t in_flight = peek(edge.in_flight);
        sum = peek(edge.sum) - (Fixed{in_flight} << 30);
        visits = peek(edge.visits) + in_flight;
    }
    double mean() const { return mean_of(sum, visits); }
};

// Each rule has a scorer(tree, node): a function of an edge's index, the edge, what it has seen, and its mean.
//
// The score of an opened edge.
template <class Scorer>
[[gnu::always_inline]] inline double score_of(const Tree& tree, const Scorer& score, Tree::Index index, const Edge& edge, double minimax_weight) {
    const Seen seen(edge);
    double mean = seen.mean();
    // Implicit minimax backups (Lanctot, Winands, Pepels and Sturtevant 2014).
    if (minimax_weight > 0) mean += minimax_weight * (static_cast<double>(peek(tree.minimax(index))) - mean);
    return score(index, edge, seen, mean);
}

// The opened edge with the highest score among those whose results are not proven: a visit of the others would tell
// nothing. A proven win is taken at once; if all are proven, a draw comes before a loss.
template <class Rule>
Tree::Index best_edge(const Tree& tree, const Node& node, const Rule& rule, double minimax_weight) {
    const auto score = rule.scorer(tree, node);
    const Tree::Index end = node.first_edge + see(node.opened);
    Tree::Index best = node.first_edge;
    constexpr double kNobody = -std::numeric_limits<double>::infinity();
    double best_score = kNobody;
    for (Tree::Index i = node.first_edge; i < end; ++i) {
        const Edge& edge = tree.edge(i);
        if (const Proof proof = peek(edge.proof); proof != Proof::unknown) {
            if (proof == Proof::win) return i;
            if (proof == Proof::draw && best_score == kNobody) best = i;
            continue;
        }
        // Without a branch, which could not be foreseen.
        const double value = score_of(tree, score, i, edge, minimax_weight);
        const bool better = value > best_score;
        best_score = better ? value : best_score;
        best = better ? i : best;
    }
    return best;
}

// mean + c sqrt(ln N / n) (Kocsis and Szepesvari 2006).
struct SelectUct {
    static constexpr TreeNeeds kNeeds{};
    double c;
    auto scorer(const Tree&, const Node& node) const {
        return [weight = c * Tables::root_log(peek(node.visits))](Tree::Index, const Edge&, const Seen& seen, double mean) {
            return mean + weight * Tables::inverse_root(seen.visits);
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
        return [&tree, player = node.to_move, weight = c * Tables::root_log(peek(node.visits))](Tree::Index, const Edge& edge, const Seen& seen, double) {
            const Tree::Value value = tree.value(edge.child, player);
            return mean_of(value.sum, value.visits) + weight * Tables::inverse_root(seen.visits);
        };
    }
};

// Means and counts of the graph below, to chosen depths (Saffidine, Cazenave and Mehat 2012; UCT3 of Childs et al. is that
// with means of the whole graph below).
class SelectUcd {
public:
    static constexpr TreeNeeds kNeeds{.graph = true, .depths = 1};  // how many numbers, the depths tell

    SelectUcd(double c, UcdDepths depths) : c_(c), depths_(depths) {}
    const UcdDepths& depths() const { return depths_; }

    auto scorer(const Tree& tree, const Node& node) const {
        double all = 0.0;
        if (depths_.d2 == 0)
            all = peek(node.visits);
        else
            for (Tree::Index i = node.first_edge; i < node.first_edge + see(node.opened); ++i)
                all += depths_.count(tree, tree.edge(i), depths_.d2);
        return [this, &tree, sign = node.to_move == 0 ? 1.0 : -1.0, weight = c_ * std::sqrt(natural_log(std::max(all, 1.0)))](
                   Tree::Index, const Edge& edge, const Seen& seen, double mean) {
            const double value = depths_.d1 == 0 ? mean : sign * depths_.mean(tree, edge.child);
            const double count = depths_.d3 == 0 ? seen.visits : depths_.count(tree, edge, depths_.d3);
            return value + weight / std::sqrt(count);
        };
    }

private:
    double c_;
    UcdDepths depths_;
};

// mean + c sqrt(ln N / n min(1, V)), V = variance + sqrt(2 ln N / n); rewards in [-1, 1] have a variance of at most 1
// (after Auer, Cesa-Bianchi and Fischer 2002, whose rewards lie in [0, 1]).
struct SelectUcb1Tuned {
    static constexpr TreeNeeds kNeeds{.squares = true};
    double c;
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, log = natural_log(peek(node.visits))](Tree::Index index, const Edge&, const Seen& seen, double mean) {
            const double share = log * Tables::inverse(seen.visits);
            const double variance = to_real(peek(tree.squares(index))) * Tables::inverse(seen.visits) - mean * mean;
            return mean + c * std::sqrt(share * std::clamp(variance + std::sqrt(2.0 * share), 0.0, 1.0));
        };
    }
};

// (1 - alpha) mean + alpha AMAF mean + c sqrt(ln N / n) (Helmbold and Parker-Wood 2009).
struct SelectAmaf {
    static constexpr TreeNeeds kNeeds{.amaf = true};
    double c, alpha;
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, weight = c * Tables::root_log(peek(node.visits))](Tree::Index index, const Edge&, const Seen& seen, double mean) {
            const AmafStatistics& amaf = tree.amaf(index);
            return (1.0 - alpha) * mean + alpha * mean_of(peek(amaf.sum), peek(amaf.visits)) + weight * Tables::inverse_root(seen.visits);
        };
    }
};

// The same with a weight beta that falls with the visits of the move (Gelly and Silver 2011).
class SelectRave {
public:
    static constexpr TreeNeeds kNeeds{.amaf = true};

    SelectRave(double c, double k, BetaRule rule) : c_(c), k_(k), rule_(rule), weights_(rule == BetaRule::silver ? 0 : Tables::kSize) {
        for (std::uint32_t n = 1; n < weights_.size(); ++n) weights_[n] = weights(n, 0);
    }
    double beta(std::uint32_t visits, std::uint32_t amaf_visits) const {
        const double n = visits, m = amaf_visits;
        if (rule_ == BetaRule::gelly) return std::sqrt(k_ / (3.0 * n + k_));
        if (rule_ == BetaRule::helmbold) return std::max(0.0, (k_ - n) / k_);
        return amaf_visits == 0 ? 0.0 : m / (n + m + n * m / k_);
    }
    auto scorer(const Tree& tree, const Node& node) const {
        return [this, &tree, exploration = c_ * Tables::root_log(peek(node.visits))](Tree::Index index, const Edge&, const Seen& seen, double) {
            const AmafStatistics& amaf = tree.amaf(index);
            const std::uint32_t amaf_visits = peek(amaf.visits);
            const Weights w = seen.visits < weights_.size() ? weights_[seen.visits] : weights(seen.visits, amaf_visits);
            return static_cast<double>(seen.sum) * w.sum + static_cast<double>(peek(amaf.sum)) * Tables::inverse(amaf_visits) * w.amaf +
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
            const ProofNumbers numbers = peek(tree.proof_numbers(edge.child));
            return proving ? numbers.proof : numbers.disproof;
        };
        // The different numbers in ascending order: the rank of a number is its place, counted from 1.
        static thread_local std::vector<std::uint32_t> numbers;
        numbers.clear();
        for (Tree::Index i = node.first_edge; i < node.first_edge + see(node.opened); ++i) numbers.push_back(number(tree.edge(i)));
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        return [this, number, weight = c_ * Tables::root_log(peek(node.visits))](Tree::Index, const Edge& edge, const Seen& seen, double mean) {
            const auto place = std::lower_bound(numbers.begin(), numbers.end(), number(edge)) - numbers.begin();
            const double rank = static_cast<double>(place + 1) / static_cast<double>(numbers.size());
            return mean + weight * Tables::inverse_root(seen.visits) + cpn_ * (1.0 - rank);
        };
    }

private:
    double c_, cpn_;
};

// mean + c P sqrt(N) / (1 + n) with a prior probability P for each move, or another formula (see PuctFormula). N counts the
// visit that made the node, so that priors decide already at the second.
struct SelectPuct {
    static constexpr TreeNeeds kNeeds{.priors = true};
    double c;
    PuctFormula formula;
    FpuRule fpu;
    double fpu_drop;
    auto scorer(const Tree& tree, const Node& node) const {
        return [&tree, weight = c * std::sqrt(static_cast<double>(peek(node.visits))), untried = untried_value(tree, node),
                by_root = formula == PuctFormula::s3](Tree::Index index, const Edge&, const Seen& seen, double mean) {
            const double fall = by_root ? Tables::inverse_root(seen.visits + 1) : Tables::inverse(seen.visits + 1);
            return (seen.visits == 0 ? untried : mean) + weight * static_cast<double>(tree.prior(index)) * fall;
        };
    }
    double untried_value(const Tree& tree, const Node& node) const {
        if (fpu == FpuRule::zero) return 0.0;
        if (fpu == FpuRule::loss) return -1.0;
        double sum = 0.0, visits = 0.0, tried = 0.0;
        for (Tree::Index i = node.first_edge; i < node.first_edge + see(node.opened); ++i) {
            const Seen seen(tree.edge(i));
            if (seen.visits == 0) continue;
            sum += to_real(seen.sum);
            visits += seen.visits;
            tried += static_cast<double>(tree.prior(i));
        }
        return (visits == 0.0 ? 0.0 : sum / visits) - fpu_drop * std::sqrt(tried);
    }
};

using Selection = std::variant<SelectUct, SelectUct1, SelectUct2, SelectUcd, SelectUcb1Tuned, SelectAmaf, SelectRave, SelectPn, SelectPuct>;

inline Selection make_selection(const MctsOptions& options) {
    switch (options.select) {
        case SelectRule::uct1: return SelectUct1{{options.c}};
        case SelectRule::uct2: return SelectUct2{options.c};
        case SelectRule::uct3: return SelectUcd(options.c, {MctsOptions::kAllDepths, 0, 0});
        case SelectRule::ucd: return SelectUcd(options.c, {options.d1, options.d2, options.d3});
        case SelectRule::ucb1_tuned: return SelectUcb1Tuned{options.c};
        case SelectRule::amaf: return SelectAmaf{options.c, options.alpha};
        case SelectRule::rave: return SelectRave{options.c, options.rave_k, options.beta};
        case SelectRule::pn: return SelectPn(options.c, options.cpn);
        case SelectRule::puct: return SelectPuct{options.c, options.formula, options.fpu, options.fpu_drop};
        default: return SelectUct{options.c};
    }
}

// The same rule without exploration, by which final=select decides.
inline Selection make_final_selection(MctsOptions options) {
    options.c = 0.0;
    return make_selection(options);
}

// What the tree must hold for a selection, in a game with so many players.
inline TreeNeeds needs_of(const Selection& selection, const MctsOptions& options, int num_players) {
    TreeNeeds needs = std::visit([](const auto& rule) { return rule.kNeeds; }, selection);
    needs.values = std::min(needs.values, num_players);
    needs.minimax = options.minimax > 0;
    if (const auto* ucd = std::get_if<SelectUcd>(&selection)) needs.depths = ucd->depths().numbers();
    return needs;
}

}  // namespace spielbaum
