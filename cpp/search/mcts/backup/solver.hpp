// MCTS-Solver (Winands, Bjornsson and Saito 2008): proven results are kept apart from means.
#pragma once

#include <algorithm>

#include "search/mcts/backup/policy.hpp"

namespace spielbaum {

// Where wins are worth more or less, a single one of them proves nothing.
template <Game G>
Proof proof_for(const G& game, const typename G::State& end, int player) {
    const Outcome outcome = game.outcome(end);
    if (!outcome.is_plain()) return Proof::unknown;
    const double reward = outcome.rewards[static_cast<std::size_t>(player)];
    return reward > 0 ? Proof::win : reward < 0 ? Proof::loss : Proof::draw;
}

struct SolverBackup : BackupRule {
    static bool wanted(const TreeNeeds&, const auto& options) { return options.solver; }

    template <Game G>
    class Policy : public BackupPolicy {
    public:
        explicit Policy(const auto& task) : two_players_(task.game.num_players() == 2) {}

        void opened(const Opening<G>& opening, const auto&) {
            if (opening.over && !by_repetition(opening))
                put(opening.tree.edge(opening.edge).proof, proof_for(opening.game, opening.next, opening.mover));
        }
        void leaf(const Arrival<G>&) { proving_ = true; }
        void step(const Ascent<G>& ascent) {
            if (proving_) proving_ = prove(ascent.tree, ascent.node, ascent.edge, ascent.tree.node(ascent.below));
            // Moves that are still searched may be worse than a draw that is at hand: those above do not get to see it.
            if (peek(ascent.node.has_draw) && ascent.reward < 0) ascent.rewards = {};
        }

    private:
        // In a graph a draw by repetition holds for one way to the position only, and so proves nothing.
        static bool by_repetition(const Opening<G>& opening) {
            if constexpr (Repeats<G>) return opening.tree.needs().graph && opening.game.repeats(opening.next) >= 2;
            return false;
        }
        // What the node below proves of the edge and of its node; false if nothing new, so that nothing follows above.
        // With more than two players, a proven result of one does not say what it means for another: only moves that
        // win at once, or lead to a win of the same player, prove anything.
        bool prove(const Tree& tree, Node& node, Edge& edge, const Node& below) const {
            if (!peek(below.over)) {
                const bool same = below.to_move == node.to_move;
                const Proof proof = peek(below.proof);
                if (proof == Proof::unknown || (!same && !two_players_)) return false;
                put(edge.proof, same ? proof : opposite(proof));
            }
            if (peek(edge.proof) == Proof::win) {
                put(node.proof, Proof::win);
                return true;
            }
            if (two_players_ && peek(edge.proof) == Proof::draw) put(node.has_draw, true);
            if (!two_players_ || see(node.opened) < node.num_edges) return false;
            Proof best = Proof::loss;
            for (const Edge& each : tree.edges(node)) {
                const Proof proof = peek(each.proof);
                if (proof == Proof::unknown) return false;
                best = std::max(best, proof);
            }
            put(node.proof, best);
            return true;
        }

        bool two_players_;
        bool proving_ = false;  // the steps so far have proven something
    };
};

}  // namespace spielbaum
