// RAVE: AMAF values count the less, the more often a move was tried.
#pragma once

#include <vector>

#include "search/mcts/backup/amaf.hpp"
#include "search/mcts/select/score.hpp"

namespace spielbaum {

// How the weight of AMAF values falls with the visits n of a move: `gelly` is sqrt(k / (3 n + k)), `silver` is
// m / (n + m + n m / k) with m playouts that contain the move (Silver 2009, with a bias of 1 / (2 sqrt(k))), `helmbold`
// is max(0, (k - n) / k), so that AMAF values are given up after k visits (Helmbold and Parker-Wood 2009, as Browne et
// al. 2012 print it in section 5.3.5).
enum class BetaRule : std::uint8_t { gelly, silver, helmbold };
inline constexpr std::array<std::string_view, 3> kBetaNames{"gelly", "silver", "helmbold"};

struct RaveSettings {
    double c = kExploration, rave_k = 50.0;
    BetaRule beta = BetaRule::gelly;
    static constexpr auto options() {
        using S = RaveSettings;
        return std::tuple(
            exploration(&S::c),
            setting("rave_k", &S::rave_k, {1e-3, 1e9}, "visits at which AMAF values and others weigh alike"),
            choice("beta", &S::beta, kBetaNames,
                   "weight of AMAF values with select=rave, by the visits n of the move: gelly is sqrt(k / (3 n + k)); "
                   "silver is "
                   "m / (n + m + n m / k), with m playouts that have the move; helmbold is max(0, (k - n) / k) "
                   "(Helmbold and "
                   "Parker-Wood 2009; printed in section 5.3.5 of Browne et al. 2012)"));
    }
};

// AMAF with a weight beta that falls with the visits of the move (Gelly and Silver 2011).
class SelectRave {
public:
    static constexpr std::string_view kName = "rave",
                                      kHelp = "the same by a weight beta that falls with the visits of the move";
    static constexpr bool kOwnMean = true;
    using Settings = RaveSettings;
    using Backup = AmafBackup;
    explicit SelectRave(const Settings& settings)
        : c_(settings.c),
          k_(settings.rave_k),
          rule_(settings.beta),
          weights_(rule_ == BetaRule::silver ? 0 : Tables::kSize) {
        for (std::uint32_t n = 1; n < weights_.size(); ++n) weights_[n] = weights(n, 0);
    }
    TreeNeeds needs(GameSize) const { return TreeNeeds{}.with<AmafStatistics>(); }
    double beta(std::uint32_t visits, std::uint32_t amaf_visits) const {
        const double n = visits, m = amaf_visits;
        if (rule_ == BetaRule::gelly) return std::sqrt(k_ / (3.0 * n + k_));
        if (rule_ == BetaRule::helmbold) return std::max(0.0, (k_ - n) / k_);
        return amaf_visits == 0 ? 0.0 : m / (n + m + n * m / k_);
    }
    auto scorer(const Descent& at) const {
        return [this, all = at.tree.array<AmafStatistics>(),
                exploration = c_ * Tables::root_log(peek(at.node().visits))](Tree::Index index, const Edge&,
                                                                             const Seen& seen, double) {
            const AmafStatistics& amaf = all[index];
            const std::uint32_t amaf_visits = peek(amaf.visits);
            const Weights w = seen.visits < weights_.size() ? weights_[seen.visits] : weights(seen.visits, amaf_visits);
            return static_cast<double>(seen.sum) * w.sum +
                   static_cast<double>(peek(amaf.sum)) * Tables::inverse(amaf_visits) * w.amaf +
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

}  // namespace spielbaum
