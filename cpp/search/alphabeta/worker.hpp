// The search of one thread: negamax with principal variation search, iterative deepening, a transposition table,
// enhanced transposition cutoffs, killer and history ordering, and aspiration windows. Every part can be switched off,
// and none of them changes the value that a search to a fixed depth gives. Without pruning it is plain minimax.
//
// Players need not alternate: signs come from to_move().
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "eval/choice.hpp"
#include "search/alphabeta/result.hpp"
#include "search/control.hpp"
#include "search/table.hpp"

namespace spielbaum {

// `Evaluation`: int operator()(const G&, const G::State&), the value of an unfinished position for the side to move.
template <Game G, class Evaluation>
class AlphaBetaWorker {
public:
    // What is shared with other workers must outlive this one.
    AlphaBetaWorker(const G& game, const Evaluation& evaluation, const AlphaBetaOptions& options,
                    TranspositionTable& table)
        : game_(game),
          evaluation_(evaluation),
          options_(options),
          table_(table),
          width_(static_cast<std::size_t>(game.max_moves())),
          moves_(width_ * (kMaxPly + 1)),
          ranks_(width_ * (kMaxPly + 1)),
          children_(width_) {
        for (auto& line : lines_) line.reserve(kMaxPly);
    }

    void forget() { history_ = {}; }

    // Searches until the control's limits and returns the result of the last depth that was finished; `finished` is
    // called with that of every depth. `rank`: the first worker has 0; others begin with other moves, and a ply deeper
    // if it is odd, so that workers that share a table do not all do the same.
    template <class Finished>
    AlphaBetaResult search(const typename G::State& root, const Path& path, bool all_values, int rank,
                           SearchControl& control, Finished&& finished) {
        control_ = &control;
        path_ = path;
        killers_ = {};
        AlphaBetaResult result;
        result.moves = root_moves(root);
        std::rotate(result.moves.begin(), result.moves.begin() + rank % static_cast<int>(result.moves.size()),
                    result.moves.end());
        const int last = std::min(control.limits().depth, kMaxPly - 1);
        const int first = options_.iterative ? std::min(1 + rank % 2, last) : last;
        try {
            for (int depth = first; depth <= last; ++depth) {
                std::vector<RootMove> moves = result.moves;
                horizon_seen_ = false;
                const int value = search_root(root, moves, depth, result, all_values);
                extend_line(root, moves.front().line, depth);
                result = {depth, value, moves.front().line, std::move(moves), control.nodes()};
                finished(std::as_const(result));
                // Deeper searches would find the same win, or the same loss; but other moves may still change.
                const bool decided = std::abs(value) >= kWinBound && kWin - std::abs(value) <= depth;
                if ((decided && !all_values) || !horizon_seen_) break;
            }
        } catch (const SearchStopped&) {
            // The unfinished depth is forgotten.
        }
        result.nodes = control.nodes();
        return result;
    }

private:
    std::vector<RootMove> root_moves(const typename G::State& root) {
        std::vector<RootMove> moves;
        std::vector<Move> legal(width_);
        legal.resize(static_cast<std::size_t>(game_.legal_moves(root, legal.data())));
        for (const Move move : legal) moves.push_back({move, -kWin, {move}});
        return moves;
    }

    // A value from the table comes without its line: the table's best moves go on where it ends.
    void extend_line(typename G::State state, std::vector<Move>& line, int depth) {
        Path path = path_;
        for (const Move move : line) advance(game_, state, move, path);
        std::vector<Move> legal(width_);
        while (options_.table && static_cast<int>(line.size()) < depth && !game_.over(state)) {
            const auto entry = table_.find(table_key(state));
            const auto end = legal.begin() + game_.legal_moves(state, legal.data());
            if (!entry || !entry->has_move || std::find(legal.begin(), end, entry->move) == end) break;
            line.push_back(entry->move);
            advance(game_, state, entry->move, path);
        }
    }

    int search_root(const typename G::State& root, std::vector<RootMove>& moves, int depth, const AlphaBetaResult& last,
                    bool all_values) {
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

    int search_root_window(const typename G::State& root, std::vector<RootMove>& moves, int depth, int alpha, int beta,
                           bool all_values) {
        int best = -kWin;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            typename G::State next = root;
            advance(game_, next, moves[i].move, path_);
            const Unwind unwind{*this};
            const int floor = all_values ? -kWin : std::max(alpha, best);
            const bool scout = options_.windows && !all_values && i > 0;
            int value = search_child(root, next, depth - 1, floor, scout ? floor + 1 : beta, 1);
            if (scout && value > floor && value < beta) value = search_child(root, next, depth - 1, floor, beta, 1);
            moves[i].value = value;
            if (all_values || value > best) {
                moves[i].line.assign(1, moves[i].move);
                moves[i].line.insert(moves[i].line.end(), lines_[1].begin(), lines_[1].end());
            }
            best = std::max(best, value);
            if (best >= beta) break;
        }
        sort_by_value(moves);
        return best;
    }

    // The value of a child, seen by the player who moves at its parent.
    int search_child(const typename G::State& parent, const typename G::State& child, int depth, int alpha, int beta,
                     int ply) {
        if (game_.to_move(parent) == game_.to_move(child)) return search_node(child, depth, alpha, beta, ply);
        return -search_node(child, depth, -beta, -alpha, ply);
    }

    int search_node(const typename G::State& state, int depth, int alpha, int beta, int ply) {
        control_->count_node();
        if (!options_.pruning) {
            alpha = -kWin;
            beta = kWin;
        }
        auto& line = lines_[static_cast<std::size_t>(ply)];
        line.clear();

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
        Move* const moves = moves_.data() + width_ * static_cast<std::size_t>(ply);
        int* const ranks = ranks_.data() + width_ * static_cast<std::size_t>(ply);
        const int count = game_.legal_moves(state, moves);
        const auto player = static_cast<std::size_t>(game_.to_move(state));
        rank_moves(state, moves, ranks, count, ply, has_table_move ? std::optional(table_move) : std::nullopt);

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
        if (options_.table && options_.cutoffs && depth >= 3)
            best = table_cutoff(state, moves, count, depth, beta, ply);
        if (best < beta) {
            best = -kWin;
            for (int i = 0; i < count; ++i) {
                pick_best(moves, ranks, i, count);
                typename G::State next = state;
                advance(game_, next, moves[i], path_);
                const Unwind unwind{*this};
                const int floor = std::max(alpha, best);
                const bool scout = options_.windows && searched && floor > -kWin;
                int value = search_child(state, next, depth - 1, floor, scout ? floor + 1 : beta, ply + 1);
                if (scout && value > floor && value < beta)
                    value = search_child(state, next, depth - 1, floor, beta, ply + 1);
                searched = true;
                if (value <= best) continue;
                best = value;
                best_move = moves[i];
                if (value > alpha) {
                    line.assign(1, moves[i]);
                    const auto& rest = lines_[static_cast<std::size_t>(ply + 1)];
                    line.insert(line.end(), rest.begin(), rest.end());
                }
                if (best >= beta) {
                    reward(moves[i], player, depth, ply);
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

    int evaluate(const typename G::State& state) const {
        return std::clamp(evaluation_(game_, state), -kWinBound + 1, kWinBound - 1);
    }

    // Quiescence: the side to move may stand still, or go on with noisy moves only; a check must be answered.
    int play_out_noise(const typename G::State& state, int alpha, int beta, int ply) {
        if (ply >= kMaxPly) return evaluate(state);
        const bool may_stand = !game_.must_answer(state);
        int best = may_stand ? evaluate(state) : -(kWin - ply);
        if (best >= beta) return best;
        Move* const moves = moves_.data() + width_ * static_cast<std::size_t>(ply);
        int* const ranks = ranks_.data() + width_ * static_cast<std::size_t>(ply);
        const int count = game_.legal_moves(state, moves);
        for (int i = 0; i < count; ++i) ranks[i] = game_.noise(state, moves[i]);
        for (int i = 0; i < count; ++i) {
            pick_best(moves, ranks, i, count);
            if (may_stand && ranks[i] == 0) break;  // only quiet moves are left
            typename G::State next = state;
            advance(game_, next, moves[i], path_);
            const Unwind unwind{*this};
            best = std::max(best, search_child(state, next, 0, std::max(alpha, best), beta, ply + 1));
            if (best >= beta) break;
        }
        return best;
    }

    // ---- the ends of the game ----
    int value_of_end(const typename G::State& state, int ply) {
        if constexpr (Repeats<G>)
            if (game_.repeats(state) >= 2) repetition_seen_ = true;
        const double reward = game_.outcome(state).rewards[static_cast<std::size_t>(game_.to_move(state))];
        if (reward == 0.0) return 0;
        // Where some wins are worth more than others, an end is one among many values.
        if (std::abs(reward) < 1.0)
            return std::clamp(score_of_value(evaluation_, reward), -kWinBound + 1, kWinBound - 1);
        return reward > 0 ? kWin - ply : -(kWin - ply);
    }

    // ---- the table ----
    // Positions that are equal but for their history have different futures; the clock matters when it may run out.
    u64 table_key(const typename G::State& state) const {
        u64 key = game_.key(state);
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
    int table_cutoff(const typename G::State& state, const Move* moves, int count, int depth, int beta, int ply) {
        std::size_t unfinished = 0;
        for (int i = 0; i < count; ++i) {
            typename G::State next = state;
            advance(game_, next, moves[i], path_);
            const Unwind unwind{*this};
            if (game_.over(next)) continue;
            Child& child = children_[unfinished++];
            child = {table_key(next), game_.to_move(next) == game_.to_move(state)};
            table_.prefetch(child.key);
        }
        for (std::size_t i = 0; i < unfinished; ++i) {
            const Child& child = children_[i];
            const auto entry = table_.find(child.key);
            if (!entry || !deep_enough(*entry, depth - 1)) continue;
            const Bound useful = child.same_player ? Bound::lower : Bound::upper;
            if (entry->bound != useful && entry->bound != Bound::exact) continue;
            const int value = from_table(entry->value, ply + 1) * (child.same_player ? 1 : -1);
            if (value < beta) continue;
            if (entry->depth != kResolved) horizon_seen_ = true;
            return value;
        }
        return -kWin;
    }

    // ---- ordering ----
    static constexpr int kWinRank = 1 << 30, kTableRank = 1 << 29, kNoiseRank = 1 << 28, kBlockRank = 1 << 28,
                         kKillerRank = 1 << 27, kNetworkRank = 3 << 25, kLossRank = -1;
    void rank_moves(const typename G::State& state, const Move* moves, int* ranks, int count, int ply,
                    std::optional<Move> table_move) const {
        const auto& history = history_[static_cast<std::size_t>(game_.to_move(state))];
        const auto& killers = killers_[static_cast<std::size_t>(ply)];
        Tactics tactics;
        if constexpr (HasTactics<G>)
            if (options_.ordering) tactics = game_.tactics(state);
        for (int i = 0; i < count; ++i) {
            const Move move = moves[i];
            ranks[i] = table_move == move ? kTableRank : 0;
            if (!options_.ordering) continue;
            if constexpr (HasTactics<G>) {
                ranks[i] = std::max(ranks[i], rank_by(tactics, move));
                if (contains(tactics.loses, move)) ranks[i] = kLossRank;
            }
            if (ranks[i] != 0) continue;
            if constexpr (HasNoisyMoves<G>)
                if (const int noise = game_.noise(state, move); noise > 0) ranks[i] = kNoiseRank + noise;
            if (ranks[i] == 0 && move == killers[0]) ranks[i] = kKillerRank + 1;
            if (ranks[i] == 0 && move == killers[1]) ranks[i] = kKillerRank;
            if constexpr (HasTupleCells<G>)
                if (ranks[i] == 0 && options_.order && ply <= options_.order_plies)
                    ranks[i] = rank_by_network(state, move);
            if (ranks[i] == 0) ranks[i] = history[move & kHistoryMask];
        }
    }
    static int rank_by(const Tactics& tactics, Move move) {
        return contains(tactics.wins, move) ? kWinRank : contains(tactics.blocks, move) ? kBlockRank : 0;
    }
    // Behind killer moves, and before all that only history knows.
    int rank_by_network(typename G::State state, Move move) const
        requires HasTupleCells<G>
    {
        const int player = game_.to_move(state);
        game_.play(state, move);
        return game_.over(state) ? 0 : kNetworkRank + ntuple_score(game_, *options_.order, state, player);
    }
    static void pick_best(Move* moves, int* ranks, int from, int count) {
        int best = from;
        for (int i = from + 1; i < count; ++i)
            if (ranks[i] > ranks[best]) best = i;
        // Rotating instead of swapping keeps equal moves in their order.
        std::rotate(moves + from, moves + best, moves + best + 1);
        std::rotate(ranks + from, ranks + best, ranks + best + 1);
    }
    void reward(Move move, std::size_t player, int depth, int ply) {
        if (!options_.ordering) return;
        auto& killers = killers_[static_cast<std::size_t>(ply)];
        if (killers[0] != move) killers = {move, killers[0]};
        int& score = history_[player][move & kHistoryMask];
        score += depth * depth;
        if (score > kKillerRank / 2)
            for (auto& row : history_)
                for (int& entry : row) entry /= 2;
    }

    struct Child {
        u64 key;
        bool same_player;
    };

    // Takes the last position off the path when a move is taken back, also when the search is stopped.
    struct Unwind {
        AlphaBetaWorker& search;
        ~Unwind() {
            if constexpr (Repeats<G>) search.path_.pop();
        }
    };

    static constexpr int kResolved = 255;  // in place of a depth: all lines below ended by themselves
    static_assert(kMaxPly < kResolved);
    static constexpr int kHistoryMask = 0xFFF;
    static constexpr int kClockMargin = 32;

    const G& game_;
    const Evaluation& evaluation_;
    const AlphaBetaOptions& options_;
    TranspositionTable& table_;
    SearchControl* control_ = nullptr;
    Path path_;
    bool repetition_seen_ = false;
    bool horizon_seen_ = false;
    std::size_t width_;
    std::vector<Move> moves_;  // max_moves() for each ply
    std::vector<int> ranks_;
    std::vector<Child> children_;
    std::array<std::array<Move, 2>, kMaxPly + 1> killers_{};
    std::array<std::array<int, kHistoryMask + 1>, 2> history_{};
    std::array<std::vector<Move>, kMaxPly + 2> lines_;  // the best line from each ply on
};

}  // namespace spielbaum
