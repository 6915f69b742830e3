// What rules of selection are made of: looked-up roots, what an edge has seen, and the search for the best edge.
//
// A rule has a name (kName), a line for the help of select= (kHelp), its Settings, of which it is made (and of the
// size of the game, if it likes), the statistics that the tree must keep for it (needs), the rule of backing up that
// counts them (Backup), a mark if it has means of its own (kOwnMean), to which minimax= cannot be added, and a
// scorer(descent): a function of an edge's index, the edge, what it has seen, and its mean.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/mathematics.hpp"
#include "core/setting.hpp"
#include "search/mcts/backup/minimax.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

// 1 / n and 1 / sqrt(n), which selection needs for every move at every step, and sqrt(ln n), which it needs at every
// step.
class Tables {
public:
    // 0 for n = 0, so that a sum of nothing has a mean of 0.
    static double inverse(std::uint32_t n) { return n < kSize ? kByCount[n].inverse : 1.0 / n; }
    static double inverse_root(std::uint32_t n) {
        return n < kSize ? kByCount[n].inverse_root : 1.0 / std::sqrt(static_cast<double>(n));
    }
    static double root_log(std::uint32_t n) { return n < kSize ? kRootLog[n] : std::sqrt(natural_log(n)); }

    // Counts below this are looked up: those of all but a few moves. Of a table this large only the entries near a few
    // counts are used at any time.
    static constexpr std::size_t kSize = 16384;

private:
    // Side by side, for who needs the one needs the other.
    struct ByCount {
        double inverse, inverse_root;
    };
    // Functions that are not constexpr: the compiler would take two seconds for what takes a program no time.
    static std::array<ByCount, kSize> by_count() {
        std::array<ByCount, kSize> table{};
        for (std::size_t n = 1; n < kSize; ++n)
            table[n] = {1.0 / static_cast<double>(n), 1.0 / std::sqrt(static_cast<double>(n))};
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

// A node that was reached from the root by these steps.
struct Descent {
    const Tree& tree;
    std::span<const Step> steps;
    Tree::Index index;

    const Node& node() const { return tree.node(index); }
};

// How large a game is: statistics may have a number for each of its players, or for the name of each of its moves.
struct GameSize {
    std::size_t players, names;
};

// The score of an opened edge.
template <class Scorer>
[[gnu::always_inline]] inline double score_of(const Tree& tree, const Scorer& score, Tree::Index index,
                                              const Edge& edge, double minimax_weight) {
    const Seen seen(edge);
    double mean = seen.mean();
    // Implicit minimax backups (Lanctot, Winands, Pepels and Sturtevant 2014).
    if (minimax_weight > 0)
        mean += minimax_weight * (static_cast<double>(peek(tree.at<MinimaxValue>(index).value)) - mean);
    return score(index, edge, seen, mean);
}

// The opened edge with the highest score among those whose results are not proven: a visit of the others would tell
// nothing. A proven win is taken at once; if all are proven, a draw comes before a loss.
template <class Rule>
Tree::Index best_edge(const Descent& descent, const Rule& rule, double minimax_weight) {
    const Tree& tree = descent.tree;
    const Node& node = descent.node();
    const auto score = rule.scorer(descent);
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

// The option c, which every rule has: with c = 0 a rule scores moves by what is known of them alone.
inline constexpr double kExploration = 0.4;
template <class Settings>
constexpr auto exploration(double Settings::* field) {
    return setting("c", field, {0.0, 1e6}, "weight of exploration");
}
struct ExplorationSettings {
    double c = kExploration;
    static constexpr auto options() { return std::tuple(exploration(&ExplorationSettings::c)); }
};

}  // namespace spielbaum
