// Who plays against whom in a search with two sides, and what one ply of it is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/game.hpp"
#include "core/zobrist.hpp"
#include "search/alphabeta/result.hpp"
#include "search/alphabeta/search_order.hpp"

namespace spielbaum {

// Two players, each for himself.
template <Game G>
class TwoPlayers {
public:
    using State = typename G::State;

    TwoPlayers(const G& game, const AlphaBetaOptions&) : game_(game) {}

    void start_at(const State&) {}
    int side(const State& state) const { return game_.to_move(state); }
    static bool is_reply(const State&) { return false; }
    u64 key(const State& state) const { return game_.key(state); }
    // For the side to move.
    template <class Evaluation>
    int evaluate(const Evaluation& evaluation, const State& state) const {
        return evaluation(game_, state);
    }
    double reward(const State& state) const {
        return game_.outcome(state).rewards[static_cast<std::size_t>(game_.to_move(state))];
    }
    static int shown(int value) { return value; }

    void list(const State& state, SearchOrder<G>& order, int ply, std::optional<Move> table_move,
              std::vector<Ply>& out) const {
        const auto moves = order.legal(state);
        out.resize(moves.size());
        for (std::size_t i = 0; i < moves.size(); ++i) out[i].move = moves[i];
        order.rank(state, out, ply, table_move);
    }
    void play(State& state, const Ply& ply, SearchOrder<G>&, Path& path) const {
        advance(game_, state, ply.move, path);
    }

private:
    const G& game_;
};

// More than two players: the one to move at the root, and all others, who only want his value to be small. They are
//
// - paranoid (Sturtevant and Korf 2000): all others move in their turn, as if they had agreed on it;
// - brs, best-reply search (Schadd and Winands 2011): only one of them moves, with the strongest of all their moves,
//   and the others pass. More turns of the root's player are seen, in positions that may be impossible;
// - brs+ (Esser et al. 2013): one of them moves as he likes, and the others play the moves that look best to
//   SearchOrder, so that all positions are possible.
//
// The replies of the others are then one ply of the search. A table knows who is at the root.
template <Game G>
class AgainstRoot {
public:
    using State = typename G::State;

    AgainstRoot(const G& game, const AlphaBetaOptions& options) : game_(game), multi_(options.multi) {
        if (multi_ == Multi::brs && !HandsTurn<G>)
            throw OptionError("option multi=brs: players of this game cannot pass; expected paranoid or maxn");
        if (multi_ == Multi::brs_plus && Repeats<G>)
            throw OptionError("option multi=brs+: replies cannot count repetitions; expected paranoid or maxn");
    }

    void start_at(const State& root) { me_ = game_.to_move(root); }
    int side(const State& state) const { return game_.to_move(state) == me_ ? 0 : 1; }
    bool is_reply(const State& state) const { return multi_ != Multi::paranoid && side(state) == 1; }
    u64 key(const State& state) const { return game_.key(state) ^ mix(kRootKey + static_cast<u64>(me_)); }
    template <class Evaluation>
    int evaluate(const Evaluation& evaluation, const State& state) const {
        const double value =
            std::clamp(values_of(evaluation, game_, state)[static_cast<std::size_t>(me_)], -kMost, kMost);
        return seen_by(state, score_of_value(evaluation, value));
    }
    // The least that a player can get is a loss.
    double reward(const State& state) const {
        const double mine = game_.outcome(state).rewards[static_cast<std::size_t>(me_)];
        return seen_by(state, mine <= least_reward(game_) ? -1.0 : mine);
    }
    // Only a win against all others in turn is certain.
    int shown(int value) const {
        return std::clamp(value, 1 - kWinBound, multi_ == Multi::paranoid ? kWin : kWinBound - 1);
    }

    // The place of a reply says who gives it: the player in brs, in brs+ how many play before him.
    void list(const State& state, SearchOrder<G>& order, int ply, std::optional<Move> table_move,
              std::vector<Ply>& out) const {
        out.clear();
        if (!is_reply(state)) return add_moves(state, 0, order, ply, table_move, out);
        if (multi_ == Multi::brs) {
            if constexpr (HandsTurn<G>)
                for (int player = 0; player < game_.num_players(); ++player) {
                    State handed = state;
                    if (player != me_ && (player == game_.to_move(state) || game_.hand_turn(handed, player)))
                        add_moves(handed, player, order, ply, table_move, out);
                }
            return;
        }
        State next = state;
        for (int before = 0; before < num_others(); ++before) {
            const std::size_t first = out.size();
            add_moves(next, before, order, ply, table_move, out);
            const Move likeliest = order.likeliest(next);
            // That one is among those of the player before.
            if (before > 0)
                out.erase(std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                                       [&](const Ply& each) { return each.move == likeliest; }));
            game_.play(next, likeliest);
            if (has_ended(next)) break;
        }
    }
    void play(State& state, const Ply& ply, SearchOrder<G>& order, Path& path) const {
        if (!is_reply(state)) return advance(game_, state, ply.move, path);
        if (multi_ == Multi::brs) {
            if constexpr (HandsTurn<G>) {
                if (ply.place != game_.to_move(state)) game_.hand_turn(state, ply.place);
                game_.play(state, ply.move);
                // If he cannot move, the others do, as the rules have it.
                if (!has_ended(state)) game_.hand_turn(state, me_);
            }
            return;
        }
        for (int i = 0; i < ply.place; ++i) game_.play(state, order.likeliest(state));
        game_.play(state, ply.move);
        for (int i = ply.place + 1; i < num_others() && !has_ended(state); ++i)
            game_.play(state, order.likeliest(state));
    }

private:
    static constexpr double kMost = 0.98;  // what an evaluation can say at most; ends of the game are worth more
    static constexpr u64 kRootKey = 0x726F6F74;

    int num_others() const { return game_.num_players() - 1; }
    // Whether the others have replied.
    bool has_ended(const State& state) const { return game_.over(state) || game_.to_move(state) == me_; }
    template <class Number>
    Number seen_by(const State& state, Number value) const {
        return side(state) == 0 ? value : -value;
    }
    void add_moves(const State& state, int place, SearchOrder<G>& order, int ply, std::optional<Move> table_move,
                   std::vector<Ply>& out) const {
        const std::size_t first = out.size();
        for (const Move move : order.legal(state)) out.push_back({move, static_cast<std::uint16_t>(place), 0});
        order.rank(state, std::span(out).subspan(first), ply, table_move);
    }

    const G& game_;
    const Multi multi_;
    int me_ = 0;
};

}  // namespace spielbaum
