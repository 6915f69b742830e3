// PN-MCTS: moves are also ranked by how close they are to a proof.
#pragma once

#include <vector>

#include "search/mcts/backup/proof_numbers.hpp"
#include "search/mcts/select/score.hpp"

namespace spielbaum {

// mean + c sqrt(ln N / n) + cpn (1 - rank / worst rank): where the player of the root moves, moves are ranked by their
// proof number, elsewhere by their disproof number, the lowest first, and equal numbers share a rank (Doe, Winands,
// Soemers and Browne 2022).
class SelectPn {
public:
    static constexpr std::string_view kName = "pn", kHelp = "uct + cpn (1 - rank / worst rank) by proof numbers";
    using Backup = ProofNumbersBackup;
    struct Settings {
        double c = kExploration, cpn = 1.0;
        static constexpr auto options() {
            return std::tuple(exploration(&Settings::c),
                              setting("cpn", &Settings::cpn, {0.0, 1e6}, "pn: weight of the rank by proof numbers"));
        }
    };
    explicit SelectPn(const Settings& settings) : c_(settings.c), cpn_(settings.cpn) {}
    TreeNeeds needs(GameSize) const { return TreeNeeds{}.with<ProofNumbers>(); }
    auto scorer(const Descent& at) const {
        const Tree& tree = at.tree;
        const Node& node = at.node();
        const bool proving = node.to_move == tree.prover();
        const auto number = [&tree, proving](const Edge& edge) {
            const ProofNumbers numbers = peek(tree.at<ProofNumbers>(edge.child));
            return proving ? numbers.proof : numbers.disproof;
        };
        // The different numbers in ascending order: the rank of a number is its place, counted from 1.
        static thread_local std::vector<std::uint32_t> numbers;
        numbers.clear();
        for (Tree::Index i = node.first_edge; i < node.first_edge + see(node.opened); ++i)
            numbers.push_back(number(tree.edge(i)));
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        return [this, number, weight = c_ * Tables::root_log(peek(node.visits))](Tree::Index, const Edge& edge,
                                                                                 const Seen& seen, double mean) {
            const auto place = std::lower_bound(numbers.begin(), numbers.end(), number(edge)) - numbers.begin();
            const double rank = static_cast<double>(place + 1) / static_cast<double>(numbers.size());
            return mean + weight * Tables::inverse_root(seen.visits) + cpn_ * (1.0 - rank);
        };
    }

private:
    double c_, cpn_;
};

}  // namespace spielbaum
