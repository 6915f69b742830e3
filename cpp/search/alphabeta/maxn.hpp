// Everybody for himself: max^n (Luckhardt and Irani 1986) with shallow pruning (Korf 1991). A position has a value for
// each player, and whoever moves takes the move that is worth most to himself; of several such moves the first one that
// the game lists, so that values do not depend on the order of the search.
//
// The values of all players sum to 0, and none is below the least reward. So a player who can have `own` leaves at most
// -own - (players - 2) * least to the one who moved before him, and the rest of his moves does not matter if that
// player has a better move already. Deeper down nothing of the kind holds; the transposition table therefore keeps
// moves to begin with, but no values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "eval/choice.hpp"
#include "search/alphabeta/deepening.hpp"

namespace spielbaum {

template <Game G, class Evaluation>
class MaxNWorker final : public DeepeningWorker<G> {
    using Base = DeepeningWorker<G>;
    using Base::control_;
    using Base::copy_for;
    using Base::game_;
    using Base::horizon_seen_;
    using Base::line_at;
    using Base::options_;
    using Base::order_;
    using Base::path_;
    using Base::plies_at;
    using Base::table_;

public:
    using State = typename G::State;

    MaxNWorker(const G& game, const Evaluation& evaluation, const AlphaBetaOptions& options, TranspositionTable& table)
        : Base(game, options, table),
          evaluation_(evaluation),
          players_(game.num_players()),
          least_(least_reward(game)),
          // Values are rounded, so that their sum may be off by half for each player.
          most_together_(players_ - static_cast<int>(std::floor((players_ - 2) * least_ * kWhole))) {}

private:
    // Millionths of a reward, for each player.
    using Shares = std::array<int, kMaxPlayers>;
    static constexpr int kWhole = 1'000'000, kPerPly = 100;
    static constexpr double kMost = 0.95;  // what an evaluation can say at most
    static constexpr int kNever = std::numeric_limits<int>::max();

    int search_root(const State& root, std::vector<RootMove>& moves, int depth, const AlphaBetaResult&,
                    bool all_values) override {
        const int player = game_.to_move(root);
        std::optional<int> best;
        for (RootMove& move : moves) {
            typename Base::Copy next = copy_for(root, 1);
            const typename Base::Unwind unwind(path_);
            advance(game_, next, move.move, path_);
            const int cut = options_.pruning && best && !all_values && game_.to_move(next) != player
                                ? most_together_ - *best
                                : kNever;
            const Shares found = search_node(next, depth - 1, 1, cut);
            move.value = found[static_cast<std::size_t>(player)];
            if (all_values || !best || move.value > *best) Base::set_root_line(move, line_at(1));
            if (!best || move.value > *best) best = move.value;
        }
        sort_by_value(moves);
        return *best;
    }

    // Values of a position; if the side to move can have `cut`, of one move that gives it to him.
    Shares search_node(const State& state, int depth, int ply, int cut) {
        control_->count_node();
        line_at(ply).clear();
        if (game_.over(state)) return shares_of_end(state, ply);
        if (depth == 0 || ply >= kMaxPly) {
            horizon_seen_ = true;
            return evaluate(state);
        }

        const u64 key = game_.key(state);
        std::optional<Move> table_move;
        if (options_.table)
            if (const auto entry = table_.find(key)) table_move = entry->move;
        std::vector<Ply>& plies = plies_at(ply);
        const auto legal = order_.legal(state);
        plies.resize(legal.size());
        for (std::size_t i = 0; i < legal.size(); ++i) plies[i] = {legal[i], static_cast<std::uint16_t>(i), 0};
        order_.rank(state, plies, ply, table_move);

        const int player = game_.to_move(state);
        const auto own = static_cast<std::size_t>(player);
        Shares best{};
        Ply chosen;
        bool searched = false;
        for (std::size_t i = 0; i < plies.size(); ++i) {
            order_.pick_best(plies, i);
            // Of two equal moves the one that the game lists first counts.
            const bool wins_ties = !searched || plies[i].place < chosen.place;
            typename Base::Copy next = copy_for(state, ply + 1);
            const typename Base::Unwind unwind(path_);
            advance(game_, next, plies[i].move, path_);
            const bool prunes = options_.pruning && searched && game_.to_move(next) != player;
            const Shares found =
                search_node(next, depth - 1, ply + 1, prunes ? most_together_ - best[own] + wins_ties : kNever);
            if (searched && (found[own] < best[own] || (found[own] == best[own] && !wins_ties))) continue;
            searched = true;
            best = found;
            chosen = plies[i];
            Base::set_line(ply, chosen.move);
            if (best[own] >= cut) {
                order_.reward(chosen.move, player, depth, ply);
                break;
            }
        }
        if (options_.table) table_.store(key, {0, chosen.move, static_cast<std::uint8_t>(depth), Bound::lower, true});
        return best;
    }

    // Early wins and late losses are better.
    Shares shares_of_end(const State& state, int ply) const {
        const Outcome outcome = game_.outcome(state);
        Shares shares{};
        for (std::size_t i = 0; i < static_cast<std::size_t>(players_); ++i)
            shares[i] = static_cast<int>(std::lround(outcome.rewards[i] * (kWhole - kPerPly * ply)));
        return shares;
    }
    // The values of an evaluation, made to sum to 0 and to lie between the bounds of rewards.
    Shares evaluate(const State& state) const {
        Values values = values_of(evaluation_, game_, state);
        double sum = 0.0, factor = 1.0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(players_); ++i) sum += values[i];
        for (std::size_t i = 0; i < static_cast<std::size_t>(players_); ++i) {
            values[i] -= sum / players_;
            if (values[i] > kMost) factor = std::min(factor, kMost / values[i]);
            if (values[i] < least_ * kMost) factor = std::min(factor, least_ * kMost / values[i]);
        }
        Shares shares{};
        for (std::size_t i = 0; i < static_cast<std::size_t>(players_); ++i)
            shares[i] = static_cast<int>(std::lround(values[i] * factor * kWhole));
        return shares;
    }
    // Nothing is proven where others need not play as is thought of them.
    int shown(int value) const override {
        const double share = std::clamp(static_cast<double>(value) / kWhole, -0.999, 0.999);
        return std::clamp(score_of_value(evaluation_, share), 1 - kWinBound, kWinBound - 1);
    }

    const Evaluation& evaluation_;
    const int players_;
    const double least_;
    const int most_together_;  // of two players
};

}  // namespace spielbaum
