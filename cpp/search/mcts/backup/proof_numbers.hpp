// Proof numbers: how many positions must at least be decided to prove that the player of the root wins, or that he does
// not (Allis 1994).
#pragma once

#include <algorithm>
#include <limits>

#include "search/mcts/backup/policy.hpp"
#include "search/mcts/backup/solver.hpp"

namespace spielbaum {

struct alignas(8) ProofNumbers {
    static constexpr Per kPer = Per::node;
    static constexpr std::uint32_t kInfinite = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t proof = 1, disproof = 1;

    static constexpr ProofNumbers known(bool wins) {
        return wins ? ProofNumbers{0, kInfinite} : ProofNumbers{kInfinite, 0};
    }
    static constexpr std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
        return a > kInfinite - b ? kInfinite : a + b;
    }
};

struct ProofNumbersBackup : BackupRule {
    static bool wanted(const TreeNeeds& needs, const auto&) { return needs.has<ProofNumbers>(); }

    template <Game G>
    struct Policy : BackupPolicy {
        explicit Policy(const auto&) {}
        void opened(const Opening<G>& opening, const auto&) {
            Tree& tree = opening.tree;
            if (opening.over)
                put(tree.at<ProofNumbers>(opening.child),
                    ProofNumbers::known(proof_for(opening.game, opening.next, tree.prover()) == Proof::win));
        }
        // The prover needs one good move, the other player must have all of his refuted. Moves that were not tried
        // count as leaves.
        void step(const Ascent<G>& ascent) {
            Tree& tree = ascent.tree;
            const Node& node = ascent.node;
            const std::uint16_t opened = see(node.opened);
            const auto untried = static_cast<std::uint32_t>(node.num_edges - opened);
            std::uint32_t least = untried > 0 ? 1 : ProofNumbers::kInfinite, sum = untried;
            const bool proving = node.to_move == tree.prover();
            const ProofNumbers* const all = tree.array<ProofNumbers>();
            for (Tree::Index i = node.first_edge; i < node.first_edge + opened; ++i) {
                const ProofNumbers child = peek(all[tree.edge(i).child]);
                least = std::min(least, proving ? child.proof : child.disproof);
                sum = ProofNumbers::sum(sum, proving ? child.disproof : child.proof);
            }
            put(tree.at<ProofNumbers>(ascent.step.node), proving ? ProofNumbers{least, sum} : ProofNumbers{sum, least});
        }
    };
};

}  // namespace spielbaum
