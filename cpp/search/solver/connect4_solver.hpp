// The exact value of Connect Four positions on boards of any size.
//
// Scores follow the usual convention: a win with the side to move's k-th last stone scores k, so that with n stones on
// a board of N cells an immediate win scores (N + 1 - n) / 2 (rounded down); later wins score less, a draw 0, losses
// are negative. Alpha-beta with null windows (the score is found by halving its range), and what is known to help:
//   - only moves after which the opponent cannot win at once are searched, and a move that leaves the opponent no such
//     move wins: both are read off the bitboards without a search (Pons 2015);
//   - moves are tried by the number of cells on which they then threaten to win, then by the number of lines through
//   their
//     cell;
//   - a table of bounds, with mirror images merged while boards can still be symmetric, looked up for all moves before
//   any
//     is searched (enhanced transposition cutoffs: Schaeffer and Plaat 1996), and fetched into the cache ahead of time.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/zobrist.hpp"
#include "eval/ntuple/evaluation.hpp"
#include "games/connect4.hpp"
#include "search/control.hpp"
#include "search/solver/connect4_table.hpp"
#include "search/solver/options.hpp"

namespace spielbaum {

template <class Board, class Size>
class Connect4Solver {
public:
    using State = typename Connect4<Board, Size>::State;

    struct ScoredMove {
        Move move;
        int score;
    };

    // `memory` in bytes, to which the table grows at most. A network orders moves while there are few stones, if it is
    // given.
    Connect4Solver(const Connect4<Board, Size>& rules, std::size_t memory, MoveOrder order = {})
        : rules_(rules), board_(rules.board()), order_(std::move(order)), table_(memory) {
        for (int column = 0; column < board_.columns(); ++column)
            for (int row = 0; row < board_.rows(); ++row) line_counts_.push_back(lines_through(column, row));
    }

    // The exact score of a position for the side to move.
    int score(const State& state, SearchControl& control) {
        return solve(state, -((cells() - state.count) / 2), (cells() + 1 - state.count) / 2, control);
    }

    // Only win (1), draw (0) or loss (-1), which takes far less.
    int outcome(const State& state, SearchControl& control) { return sign(solve(state, -1, 1, control)); }

    // The value of every legal move for the side to move: exact scores, or only their signs.
    std::vector<ScoredMove> moves(const State& state, bool exact, SearchControl& control) {
        std::vector<ScoredMove> result;
        if (state.won) return result;
        for (int column = 0; column < board_.columns(); ++column) {
            if (board_.full(state.all, column)) continue;
            const State next = play(state, column);
            const int value = exact ? -score(next, control) : -outcome(next, control);
            result.push_back({static_cast<Move>(column), value});
        }
        return result;
    }

    // A line of best play from a position with that exact score to the end of the game.
    std::vector<Move> best_line(State state, int score, SearchControl& control) {
        std::vector<Move> line;
        while (const auto move = best_move(state, score, control)) {
            line.push_back(*move);
            state = play(state, *move);
            score = -score;
        }
        return line;
    }

private:
    struct Child {
        Board own, all, moves, key;
        int rank;
    };

    static constexpr int sign(int value) { return (value > 0) - (value < 0); }

    int cells() const { return board_.num_cells(); }
    State play(State state, int column) const {
        rules_.play(state, static_cast<Move>(column));
        return state;
    }
    // A move that keeps the score: its child must be worth no more to the opponent. Nothing at the end of the game.
    std::optional<Move> best_move(const State& state, int score, SearchControl& control) {
        if (state.won || state.count == cells()) return std::nullopt;
        for (const int column : center_first()) {
            if (board_.full(state.all, column)) continue;
            if (solve(play(state, column), -score, -score + 1, control) <= -score) return static_cast<Move>(column);
        }
        return std::nullopt;
    }
    std::vector<int> center_first() const {
        std::vector<int> columns;
        for (int i = 0; i < board_.columns(); ++i)
            columns.push_back(board_.columns() / 2 + (i % 2 == 0 ? i / 2 : -(i + 1) / 2));
        return columns;
    }

    // Moves after which the opponent cannot win at once; none if he threatens on two cells.
    Board safe_moves(Board opponent_wins, Board all) const {
        Board moves = board_.playable(all);
        const Board forced = moves & opponent_wins;
        if (forced != 0) {
            if (more_than_one(forced)) return 0;
            moves = forced;
        }
        return moves & ~(opponent_wins >> 1);  // not below a cell where the opponent wins
    }

    // The score within [low, high], by null windows; a value outside is a bound.
    int solve(const State& state, int low, int high, SearchControl& control) {
        const int count = state.count;
        if (state.won) return -((cells() + 2 - count) / 2);
        if (count == cells()) return 0;
        const Board opponent = state.own ^ state.all;
        if ((board_.completing(state.own) & board_.playable(state.all)) != 0) return (cells() + 1 - count) / 2;
        const Board moves = safe_moves(board_.completing(opponent) & ~state.all, state.all);
        if (moves == 0) return count + 1 == cells() ? 0 : -((cells() - count) / 2);
        const Board key = key_of(state.own, state.all, count);
        while (low < high) {
            // A window far from 0 is searched much faster than one near it, so the wider side is cut off first, at two
            // thirds of the way to its end.
            int middle = high > -low ? high * 2 / 3 : low * 2 / 3;
            if (low >= 0 || high <= 0 || middle < low || middle >= high) middle = low + (high - low) / 2;
            const int value = search(state.own, state.all, count, middle, middle + 1, moves, key, control);
            if (value <= middle)
                high = value;
            else
                low = value;
        }
        return low;
    }

    // Precondition: the side to move cannot win at once, and `moves` are its safe moves (at least one).
    int search(Board own, Board all, int count, int alpha, int beta, Board moves, Board key, SearchControl& control) {
        control.count_node();
        if (count >= cells() - 2) return 0;
        // The opponent wins with his second next stone at the earliest, and so does the side to move.
        const int floor = -((cells() - 2 - count) / 2), ceiling = (cells() - 1 - count) / 2;
        if (alpha < floor) alpha = floor;
        if (beta > ceiling) beta = ceiling;
        if (alpha >= beta) return beta;
        const u64 hash = hash_of(key);
        if (const auto known = table_.find(hash)) {
            if (known->is_lower && known->value > alpha) alpha = known->value;
            if (!known->is_lower && known->value < beta) beta = known->value;
            if (alpha >= beta) return known->value;
        }

        std::array<Child, 16> children;
        int num_children = 0;
        const Board opponent = own ^ all;
        while (moves != 0) {
            const Board stone = moves & (~moves + 1);
            moves ^= stone;
            const Board after = all | stone;
            const Board threats = board_.completing(own | stone) & ~after;
            const Board replies = safe_moves(threats, after);
            if (replies == 0) return ceiling;
            const Board child_key = key_of(opponent, after, count + 1);
            table_.prefetch(hash_of(child_key));
            int rank = 64 * popcount(threats) + lines_at(stone);
            if (count < order_.stones) rank = kRankScale * rank + rank_by_network(opponent, after, count + 1);
            int place = num_children++;
            for (; place > 0 && children[static_cast<std::size_t>(place - 1)].rank < rank; --place)
                children[static_cast<std::size_t>(place)] = children[static_cast<std::size_t>(place - 1)];
            children[static_cast<std::size_t>(place)] = {opponent, after, replies, child_key, rank};
        }

        // A look at the table for every child pays where subtrees are large.
        if (num_children > 1 && count < cells() - kCutoffPlies)
            for (int i = 0; i < num_children; ++i) {
                const auto known = table_.find(hash_of(children[static_cast<std::size_t>(i)].key));
                if (!known || known->is_lower) continue;
                if (-known->value >= beta) return -known->value;
                if (-known->value > alpha) alpha = -known->value;
            }

        for (int i = 0; i < num_children; ++i) {
            const Child& child = children[static_cast<std::size_t>(i)];
            const int value = -search(child.own, child.all, count + 1, -beta, -alpha, child.moves, child.key, control);
            if (value >= beta) {
                table_.store(hash, {value, true});
                return value;
            }
            if (value > alpha) alpha = value;
        }
        table_.store(hash, {alpha, false});
        return alpha;
    }

    // ---- keys and the table ----
    // `own + all + bottom` identifies a position and is never 0. While few stones are on the board, a position and its
    // mirror image may both come up; later the stones of the start keep them apart, and the comparison is not worth it.
    Board key_of(Board own, Board all, int count) const {
        const Board key = own + all + board_.bottom();
        if (count > kMirrorPlies) return key;
        return std::min(key, Board{board_.mirror(own) + board_.mirror(all) + board_.bottom()});
    }

    // Multiplying by an odd number is a bijection of 64-bit words, so that keys of one word are stored without loss.
    static u64 hash_of(Board key) {
        if constexpr (sizeof(Board) == 8)
            return key * 0x9E3779B97F4A7C15ULL;
        else
            return combine(0, key);
    }

    // ---- ordering ----
    // Lines through a cell that fit on the board.
    int lines_through(int column, int row) const {
        int lines = 0;
        const int length = board_.inarow();
        constexpr int kSteps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (const auto& [right, up] : kSteps)
            for (int back = 0; back < length; ++back) {
                const int first_column = column - back * right, first_row = row - back * up;
                const int last_column = first_column + (length - 1) * right, last_row = first_row + (length - 1) * up;
                const auto on_board = [&](int c, int r) {
                    return c >= 0 && c < board_.columns() && r >= 0 && r < board_.rows();
                };
                if (on_board(first_column, first_row) && on_board(last_column, last_row)) ++lines;
            }
        return lines;
    }
    int lines_at(Board stone) const {
        const int index = lowest(stone);
        return line_counts_[static_cast<std::size_t>(index - index / board_.stride())];
    }

    // By what the network says of a child, seen by the player who moves to there.
    int rank_by_network(Board own, Board all, int count) const {
        const State child{own, all, static_cast<std::uint8_t>(count), false};
        return ntuple_score(rules_, *order_.network, child, 1 - rules_.to_move(child));
    }

    static constexpr int kRankScale = 10;  // a network's values, up to 1,000, count as much as one or two threats
    static constexpr int kMirrorPlies = 14;
    static constexpr int kCutoffPlies = 12;

    Connect4<Board, Size> rules_;
    Connect4Board<Board, Size> board_;
    MoveOrder order_;
    Connect4Table table_;
    std::vector<int> line_counts_;  // by column and row
};

// The solver in the kit of the game (bindings/kit.hpp).
struct Connect4Solving {
    static constexpr SolverFacts kFacts{.takes_order = true};
    template <class Board, class Size>
    static Connect4Solver<Board, Size> make(const Connect4<Board, Size>& rules, const SolverOptions& options) {
        return Connect4Solver<Board, Size>(rules, options.memory, options.order);
    }
};

}  // namespace spielbaum
