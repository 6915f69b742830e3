// PUCT: exploration by priors.
#pragma once

#include "search/mcts/select/score.hpp"

namespace spielbaum {

// puct: how exploration falls with the visits n of a move: P sqrt(N) / (1 + n) (Silver et al. 2017), or P sqrt(N / (1 +
// n)), which falls more slowly (what S3's program computed).
enum class PuctFormula : std::uint8_t { alphazero, s3 };
inline constexpr std::array<std::string_view, 2> kFormulaNames{"alphazero", "s3"};

// puct: what a move that was never tried is worth: nothing, a loss, or the mean of the moves that were tried, less
// fpu_drop sqrt(sum of their priors).
enum class FpuRule : std::uint8_t { zero, loss, parent };
inline constexpr std::array<std::string_view, 3> kFpuNames{"zero", "loss", "parent"};

struct PuctSettings {
    double c = kExploration;
    PuctFormula formula = PuctFormula::alphazero;
    FpuRule fpu = FpuRule::zero;
    double fpu_drop = 0.25;
    static constexpr auto options() {
        using S = PuctSettings;
        return std::tuple(
            exploration(&S::c),
            choice("formula", &S::formula, kFormulaNames,
                   "puct: how exploration falls with the visits n of a move: alphazero is P sqrt(N) / (1 + n); s3 is "
                   "P sqrt(N / (1 + n))"),
            choice("fpu", &S::fpu, kFpuNames,
                   "puct: worth of a move that was not tried: 0, a loss, or the mean of those that were, less fpu_drop "
                   "sqrt(sum of "
                   "their priors)"),
            setting("fpu_drop", &S::fpu_drop, {0.0, 2.0}, "puct: see fpu=parent"));
    }
};

// mean + c P sqrt(N) / (1 + n) with a prior probability P for each move, or another formula (see PuctFormula). N counts
// the visit that made the node, so that priors decide already at the second.
struct SelectPuct : PuctSettings {
    static constexpr std::string_view kName = "puct", kHelp = "mean + c P sqrt(N) / (1 + n) with a prior P";
    using Settings = PuctSettings;
    using Backup = NoBackup;

    explicit SelectPuct(const Settings& settings) : PuctSettings(settings) {}
    TreeNeeds needs(GameSize) const { return TreeNeeds{}.with<Prior>(); }
    auto scorer(const Descent& at) const {
        return [priors = at.tree.array<Prior>(), weight = c * std::sqrt(static_cast<double>(peek(at.node().visits))),
                untried = untried_value(at.tree, at.node()),
                by_root = formula == PuctFormula::s3](Tree::Index index, const Edge&, const Seen& seen, double mean) {
            const double fall = by_root ? Tables::inverse_root(seen.visits + 1) : Tables::inverse(seen.visits + 1);
            return (seen.visits == 0 ? untried : mean) + weight * static_cast<double>(priors[index].share) * fall;
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
            tried += static_cast<double>(tree.at<Prior>(i).share);
        }
        return (visits == 0.0 ? 0.0 : sum / visits) - fpu_drop * std::sqrt(tried);
    }
};

}  // namespace spielbaum
