// The search of one thread with two sides: negamax with principal variation search, iterative deepening, a
// transposition table, enhanced transposition cutoffs, killer and history ordering, and aspiration windows. Every part
// can be switched off, and none of them changes the value that a search to a fixed depth gives. Without pruning it is
// plain minimax.
//
// Players need not alternate: signs come from `Sides`, and so from to_move().
#pragma once

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "eval/choice.hpp"
#include "search/alphabeta/deepening.hpp"
#include "search/alphabeta/result.hpp"
#include "search/alphabeta/sides.hpp"
#include "search/table.hpp"

namespace spielbaum {

// `Evaluation`: int operator()(const G&, const G::State&), the value of an unfinished position for the side to move.
template <Game G, class Evaluation, class Sides>
class AlphaBetaWorker final : public DeepeningWorker<G> {
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

    AlphaBetaWorker(const G& game, const Evaluation& evaluation, const AlphaBetaOptions& options,
                    TranspositionTable& table)
        : Base(game, options, table), evaluation_(evaluation), sides_(game, options) {}

private:
    void start_at(const State& root) override { sides_.start_at(root); }
    bool is_decided(int value, int depth) const override {
        return std::abs(value) >= kWinBound && kWin - std::abs(value) <= depth;
    }
    int shown(int value) const override { return sides_.shown(value); }

    // A value from the table comes without its line: the table's best moves go on where it ends.
    void extend_line(State state, std::vector<Move>& line, int depth) override {
        Path path = path_;
        for (const Move move : line) advance(game_, state, move, path);
        while (options_.table && static_cast<int>(line.size()) < depth && !game_.over(state) &&
               !sides_.is_reply(state)) {
            const auto entry = table_.find(table_key(state));
            const auto legal = order_.legal(state);
            if (!entry || !entry->has_move || std::find(legal.begin(), legal.end(), entry->move) == legal.end()) break;
            line.push_back(entry->move);
            advance(game_, state, entry->move, path);
        }
    }

    int search_root(const State& root, std::vector<RootMove>& moves, int depth, const AlphaBetaResult& last,
                    bool all_values) override {
        int margin = 40;
        int alpha = -kWin, beta = kWin;
        if (options_.windows && !all_values && last.depth >= 3 && std::abs(last.value) < kWinBound) {
            alpha = last.value - margin;
            beta = last.value + margin;
        }
        while (true) {
            const int value = search_root_window(root, moves, depth, alpha, beta, all_values);
            if (value > alpha && value < beta) return value;
            if (alpha == -kWin && beta == kWin) return value;
            // Outside of the window: open it on that side, wider each time.
            margin *= 4;
            if (value <= alpha) alpha = margin > 1000 ? -kWin : value - margin;
            if (value >= beta) beta = margin > 1000 ? kWin : value + margin;
        }
    }

    int search_root_window(const State& root, std::vector<RootMove>& moves, int depth, int alpha, int beta,
                           bool all_values) {
        int best = -kWin;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            typename Base::Copy next = copy_for(root, 1);
            const typename Base::Unwind unwind(path_);
            advance(game_, next, moves[i].move, path_);
            const int floor = all_values ? -kWin : std::max(alpha, best);
            const bool scout = options_.windows && !all_values && i > 0;
            int value = search_child(root, next, depth - 1, floor, scout ? floor + 1 : beta, 1);
            if (scout && value > floor && value < beta) value = search_child(root, next, depth - 1, floor, beta, 1);
            moves[i].value = value;
            if (all_values || value > best) Base::set_root_line(moves[i], line_at(1));
            best = std::max(best, value);
            if (best >= beta) break;
        }
        sort_by_value(moves);
        return best;
    }

    // The value of a child, seen by the side that moves at its parent.
    int search_child(const State& parent, const State& child, int depth, int alpha, int beta, int ply) {
        if (sides_.side(parent) == sides_.side(child)) return search_node(child, depth, alpha, beta, ply);
        return -search_node(child, depth, -beta, -alpha, ply);
    }

    int search_node(const State& state, int depth, int alpha, int beta, int ply) {
        control_->count_node();
        if (!options_.pruning) {
            alpha = -kWin;
            beta = kWin;
        }
        line_at(ply).clear();

        // Step 1. The end of the game, or of the search.
        if (game_.over(state)) return value_of_end(state, ply);
        if (depth == 0 || ply >= kMaxPly) {
            horizon_seen_ = true;
            if constexpr (HasNoisyMoves<G>)
                if (options_.quiescence) return play_out_noise(state, alpha, beta, ply);
            return evaluate(state);
        }

        // Step 2. No line through here wins or loses faster than the next move.
        if (options_.pruning) {
            alpha = std::max(alpha, -(kWin - ply));
            beta = std::min(beta, kWin - ply - 1);
            if (alpha >= beta) return alpha;
        }

        // Step 3. What the table knows.
        const u64 key = table_key(state);
        Move table_move = 0;
        bool has_table_move = false;
        if (options_.table)
            if (const auto entry = table_.find(key)) {
                table_move = entry->move;
                has_table_move = entry->has_move;
                if (deep_enough(*entry, depth)) {
                    const int value = from_table(entry->value, ply);
                    if (entry->depth != kResolved) horizon_seen_ = true;
                    if (entry->bound == Bound::exact) return value;
                    if (entry->bound == Bound::lower) alpha = std::max(alpha, value);
                    if (entry->bound == Bound::upper) beta = std::min(beta, value);
                    if (alpha >= beta) return value;
                }
            }

        // Step 4. The moves, the promising ones first.
        std::vector<Ply>& plies = plies_at(ply);
        sides_.list(state, order_, ply, has_table_move ? std::optional(table_move) : std::nullopt, plies);
        const bool is_reply = sides_.is_reply(state);

        // Step 5. Draws by repetition depend on the way to here: values that rest on one are not for the table. A
        // subtree in which every line ended before the search did is resolved: deeper searches can say nothing new
        // about it.
        const bool outer_repetition = std::exchange(repetition_seen_, false);
        const bool outer_horizon = std::exchange(horizon_seen_, false);
        const int old_alpha = alpha;
        int best = -kWin;
        Move best_move = 0;
        bool searched = false;

        // Step 6. Does the table refute the position by one of the children already?
        if (options_.table && options_.cutoffs && depth >= 3) best = table_cutoff(state, plies, depth, beta, ply);
        if (best < beta) {
            best = -kWin;
            for (std::size_t i = 0; i < plies.size(); ++i) {
                order_.pick_best(plies, i);
                typename Base::Copy next = copy_for(state, ply + 1);
                const typename Base::Unwind unwind(path_);
                sides_.play(next, plies[i], order_, path_);
                const int floor = std::max(alpha, best);
                const bool scout = options_.windows && searched && floor > -kWin;
                int value = search_child(state, next, depth - 1, floor, scout ? floor + 1 : beta, ply + 1);
                if (scout && value > floor && value < beta)
                    value = search_child(state, next, depth - 1, floor, beta, ply + 1);
                searched = true;
                if (value <= best) continue;
                best = value;
                best_move = plies[i].move;
                if (value > alpha && !is_reply) Base::set_line(ply, best_move);
                if (best >= beta) {
                    order_.reward(best_move, game_.to_move(state), depth, ply);
                    break;
                }
            }
        }

        // Step 7. Remember.
        if (options_.table && searched && !repetition_seen_) {
            const Bound bound = best >= beta ? Bound::lower : best > old_alpha ? Bound::exact : Bound::upper;
            const int stored_depth = horizon_seen_ || options_.exact_depth ? depth : kResolved;
            table_.store(key, {to_table(best, ply), best_move, static_cast<std::uint8_t>(stored_depth), bound,
                               bound != Bound::upper});
        }
        repetition_seen_ = repetition_seen_ || outer_repetition;
        horizon_seen_ = horizon_seen_ || outer_horizon;
        return best;
    }

    int evaluate(const State& state) const {
        return std::clamp(sides_.evaluate(evaluation_, state), -kWinBound + 1, kWinBound - 1);
    }

    // Quiescence: the side to move may stand still, or go on with noisy moves only; a check must be answered.
    int play_out_noise(const State& state, int alpha, int beta, int ply) {
        if (ply >= kMaxPly) return evaluate(state);
        const bool may_stand = !game_.must_answer(state);
        int best = may_stand ? evaluate(state) : -(kWin - ply);
        if (best >= beta) return best;
        std::vector<Ply>& plies = plies_at(ply);
        plies.clear();
        for (const Move move : order_.legal(state)) plies.push_back({move, 0, game_.noise(state, move)});
        for (std::size_t i = 0; i < plies.size(); ++i) {
            order_.pick_best(plies, i);
            if (may_stand && plies[i].rank == 0) break;  // only quiet moves are left
            typename Base::Copy next = copy_for(state, ply + 1);
            const typename Base::Unwind unwind(path_);
            advance(game_, next, plies[i].move, path_);
            best = std::max(best, search_child(state, next, 0, std::max(alpha, best), beta, ply + 1));
            if (best >= beta) break;
        }
        return best;
    }

    // ---- the ends of the game ----
    int value_of_end(const State& state, int ply) {
        if constexpr (Repeats<G>)
            if (game_.repeats(state) >= 2) repetition_seen_ = true;
        const double reward = sides_.reward(state);
        if (reward == 0.0) return 0;
        // Where some wins are worth more than others, an end is one among many values.
        if (std::abs(reward) < 1.0)
            return std::clamp(score_of_value(evaluation_, reward), -kWinBound + 1, kWinBound - 1);
        return reward > 0 ? kWin - ply : -(kWin - ply);
    }

    // ---- the table ----
    // Positions that are equal but for their history have different futures; the clock matters when it may run out.
    u64 table_key(const State& state) const {
        u64 key = sides_.key(state);
        if constexpr (Repeats<G>) {
            const int clock = game_.reversible_plies(state);
            const bool late = clock + kClockMargin >= game_.clock_limit();
            key ^= mix(static_cast<u64>(game_.repeats(state)) + (late ? static_cast<u64>(clock) << 8 : 0));
        }
        return key;
    }

    bool deep_enough(const TableEntry& entry, int depth) const {
        return options_.exact_depth ? entry.depth == depth : entry.depth >= depth;
    }

    // In the table wins are counted from the position itself, in the search from the root.
    static std::int16_t to_table(int value, int ply) {
        return static_cast<std::int16_t>(value >= kWinBound ? value + ply : value <= -kWinBound ? value - ply : value);
    }
    static int from_table(int value, int ply) {
        return value >= kWinBound ? value - ply : value <= -kWinBound ? value + ply : value;
    }

    // A lower bound that the table gives by way of a child, if it reaches beta; else -kWin. All children are fetched
    // into the cache before the first is looked at.
    int table_cutoff(const State& state, const std::vector<Ply>& plies, int depth, int beta, int ply) {
        std::size_t unfinished = 0;
        children_.resize(std::max(children_.size(), plies.size()));
        for (const Ply& each : plies) {
            typename Base::Copy next = copy_for(state, ply + 1);
            const typename Base::Unwind unwind(path_);
            sides_.play(next, each, order_, path_);
            if (game_.over(next)) continue;
            Child& child = children_[unfinished++];
            child = {table_key(next), sides_.side(next) == sides_.side(state)};
            table_.prefetch(child.key);
        }
        for (std::size_t i = 0; i < unfinished; ++i) {
            const Child& child = children_[i];
            const auto entry = table_.find(child.key);
            if (!entry || !deep_enough(*entry, depth - 1)) continue;
            const Bound useful = child.same_side ? Bound::lower : Bound::upper;
            if (entry->bound != useful && entry->bound != Bound::exact) continue;
            const int value = from_table(entry->value, ply + 1) * (child.same_side ? 1 : -1);
            if (value < beta) continue;
            if (entry->depth != kResolved) horizon_seen_ = true;
            return value;
        }
        return -kWin;
    }

    struct Child {
        u64 key;
        bool same_side;
    };

    static constexpr int kResolved = 255;  // in place of a depth: all lines below ended by themselves
    static_assert(kMaxPly < kResolved);
    static constexpr int kClockMargin = 32;

    const Evaluation& evaluation_;
    Sides sides_;
    bool repetition_seen_ = false;
    std::vector<Child> children_;
};

}  // namespace spielbaum
