// GRAVE: RAVE with the AMAF values of an ancestor that has seen enough (Cazenave 2015).
#pragma once

#include <bit>
#include <vector>

#include "search/mcts/backup/policy.hpp"
#include "search/mcts/played.hpp"
#include "search/mcts/select/score.hpp"

namespace spielbaum {

// All playouts below a node that contain a move, for every player and name: moves of a descendant need not be legal at
// the node.
struct GraveStatistics {
    static constexpr Per kPer = Per::inner;
    Fixed sum = 0;  // of the player who moves
    std::uint32_t visits = 0;
    std::uint32_t unused = 0;
};

struct GraveBackup : BackupRule {
    using Settings = AmafSettings;
    static bool wanted(const TreeNeeds& needs, const auto&) { return needs.has<GraveStatistics>(); }

    template <Game G>
    class Policy : public BackupPolicy {
    public:
        static constexpr bool kNamesMoves = true;

        explicit Policy(const auto& task)
            : tree_moves_(task.options.tree_moves),
              names_(static_cast<std::size_t>(num_names(task.game))),
              played_(num_names(task.game), task.game.num_players()) {}

        void leaf(const Arrival<G>& ascent) {
            played_.clear();
            moves_.clear();
            if constexpr (PlacesStones<G>)
                for (std::uint8_t player = 0; player < ascent.game.num_players(); ++player)
                    for (u64 cells = ascent.flight.placed[player]; cells != 0; cells &= cells - 1)
                        note({static_cast<std::uint16_t>(std::countr_zero(cells)), player});
            for (std::size_t i = ascent.flight.before_playout; i < ascent.flight.trace.size(); ++i)
                note(ascent.flight.trace[i]);
        }
        void step(const Ascent<G>& ascent) {
            if (tree_moves_) note({ascent.edge.name, ascent.node.to_move});
            GraveStatistics* const row = ascent.tree.template row<GraveStatistics>(ascent.step.node);
            for (const PlayedMove& move : moves_) {
                GraveStatistics& amaf = row[move.player * names_ + move.name];
                add(amaf.sum, ascent.rewards[move.player], ascent.tree.is_shared());
                add(amaf.visits, std::uint32_t{1}, ascent.tree.is_shared());
            }
        }

    private:
        void note(PlayedMove move) {
            if (played_.contains(move.player, move.name)) return;
            played_.insert(move.player, move.name);
            moves_.push_back(move);
        }

        bool tree_moves_;
        std::size_t names_;
        PlayedMoves played_;
        std::vector<PlayedMove> moves_;  // each once
    };
};

struct GraveSettings {
    double c = kExploration;
    int ref = 50;
    double bias = 1e-5;
    static constexpr auto options() {
        using S = GraveSettings;
        return std::tuple(exploration(&S::c),
                          setting("ref", &S::ref, {0, 1'000'000'000},
                                  "grave: visits that a node needs to lend its AMAF values to those below"),
                          setting("bias", &S::bias, {0.0, 1e6},
                                  "grave: how fast the weight m / (m + n + bias m n) of AMAF values falls; n visits of "
                                  "the move, m playouts that have it"));
    }
};

// (1 - beta) mean + beta AMAF mean + c sqrt(ln N / n), beta = m / (m + n + bias m n), with the AMAF mean and its m
// playouts from the nearest node on the way to the root that has at least `ref` visits; the root, if none has. The
// paper explores by AMAF values alone, c = 0.
class SelectGrave : GraveSettings {
public:
    static constexpr std::string_view kName = "grave",
                                      kHelp = "rave with AMAF values of the nearest ancestor that has ref visits";
    using Settings = GraveSettings;
    using Backup = GraveBackup;

    SelectGrave(const Settings& settings, GameSize game) : GraveSettings(settings), names_(game.names) {}
    TreeNeeds needs(GameSize game) const { return TreeNeeds{}.with<GraveStatistics>(game.players * game.names); }

    Tree::Index reference(const Descent& at) const {
        const auto enough = [&](Tree::Index node) {
            return peek(at.tree.node(node).visits) >= static_cast<std::uint32_t>(ref);
        };
        if (at.steps.empty() || enough(at.index)) return at.index;
        std::size_t i = at.steps.size() - 1;
        while (i > 0 && !enough(at.steps[i].node)) --i;
        return at.steps[i].node;
    }
    double beta(std::uint32_t visits, std::uint32_t amaf_visits) const {
        const double n = visits, m = amaf_visits;
        return amaf_visits == 0 ? 0.0 : m / (m + n + bias * m * n);
    }
    auto scorer(const Descent& at) const {
        const GraveStatistics* const row = at.tree.row<GraveStatistics>(reference(at)) + at.node().to_move * names_;
        return [this, row, weight = c * Tables::root_log(peek(at.node().visits))](Tree::Index, const Edge& edge,
                                                                                  const Seen& seen, double mean) {
            const GraveStatistics& amaf = row[edge.name];
            const std::uint32_t visits = peek(amaf.visits);
            const double share = beta(seen.visits, visits);
            return (1.0 - share) * mean + share * mean_of(peek(amaf.sum), visits) +
                   weight * Tables::inverse_root(seen.visits);
        };
    }

private:
    std::size_t names_;
};

}  // namespace spielbaum
