// AMAF: all moves as first. A tried move shares in the rewards of all playouts in which its player made it later.
#pragma once

#include "search/mcts/backup/policy.hpp"
#include "search/mcts/played.hpp"

namespace spielbaum {

// All playouts that contain the move, wherever it was played.
struct AmafStatistics {
    static constexpr Per kPer = Per::edge;
    Fixed sum = 0;
    std::uint32_t visits = 0;
    std::uint16_t name = 0;  // of the edge's move, so that counting need not look there
    std::uint16_t unused = 0;
};

struct AmafBackup : BackupRule {
    using Settings = AmafSettings;
    static bool wanted(const TreeNeeds& needs, const auto&) { return needs.has<AmafStatistics>(); }

    template <Game G>
    class Policy : public BackupPolicy {
    public:
        static constexpr bool kNamesMoves = true;

        explicit Policy(const auto& task)
            : tree_moves_(task.options.tree_moves), played_(num_names(task.game), task.game.num_players()) {}

        void opened(const Opening<G>& opening, const auto&) {
            opening.tree.template at<AmafStatistics>(opening.edge).name = opening.tree.edge(opening.edge).name;
        }
        void leaf(const Arrival<G>& ascent) { played_.take(ascent.game, ascent.flight); }
        void step(const Ascent<G>& ascent) {
            // Copies, for the compiler cannot know that what is added to is none of these.
            const Node& node = ascent.node;
            const Fixed reward = ascent.reward;
            const bool shared = ascent.tree.is_shared();
            if (tree_moves_) played_.insert(node.to_move, ascent.edge.name);
            const PlayedMoves::OfPlayer own = played_.of(node.to_move);
            AmafStatistics* amaf = ascent.tree.template array<AmafStatistics>() + node.first_edge;
            for (AmafStatistics* const end = amaf + see(node.opened); amaf != end; ++amaf) {
                // Nothing is added without a branch, which could not be foreseen.
                const bool played = own.contains(amaf->name);
                if (shared && !played) continue;
                add(amaf->sum, reward & -Fixed{played}, shared);
                add(amaf->visits, std::uint32_t{played}, shared);
            }
        }

    private:
        bool tree_moves_;
        PlayedMoves played_;
    };
};

}  // namespace spielbaum
