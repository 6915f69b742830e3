// The exact value of Reversi endgames: the final difference of stones for the side to move, cells left empty counted
// for the winner, as in OBF files.
//
// Alpha-beta with null windows only, steered by MTD(f) (Plaat, Schaeffer, Pijls and de Bruin 1996), and what is known
// to help (the endgame solvers of Buro's Logistello, Andersson's Zebra and Delorme's Edax have it all):
//   - fastest first: moves that leave the opponent few replies come first, corners among these counting double, then
//     those that leave him few empty cells next to our stones, that make our edges stable, that keep parity;
//   - a table of bounds, looked up for all moves before any is searched (enhanced transposition cutoffs: Schaeffer and
//     Plaat 1996);
//   - cut-offs by stable stones (reversi_stability.hpp);
//   - special code for the last cells (reversi_last_cells.hpp).
// All scores are even, since the number of cells is even and the winner gets those that stay empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/zobrist.hpp"
#include "games/reversi.hpp"
#include "search/control.hpp"
#include "search/solver/options.hpp"
#include "search/solver/reversi_last_cells.hpp"
#include "search/solver/reversi_stability.hpp"
#include "search/solver/reversi_table.hpp"

namespace spielbaum {

// What the table holds is true of any search, so that a solver may be asked about one position after the other, and
// after a search that was stopped. A stop reaches the caller as SearchStopped.
template <int Size>
class ReversiSolver {
    using Game = Reversi<Size>;
    using Board = typename Game::Board;
    using Kernel = ReversiKernel<Size>;
    using Shape = ReversiBoard<Size>;
    using LastCells = ReversiLastCells<Size>;
    static constexpr int kCells = Game::kCells;

public:
    using State = typename Game::State;

    struct ScoredMove {
        Move move;
        int score;
    };

    // `memory`: bytes of the table.
    explicit ReversiSolver(std::size_t memory) : table_(memory) {}

    // Forgets all positions, so that the next search takes the same nodes as that of a new solver.
    void clear() { table_.clear(); }

    // The exact score for the side to move.
    int score(const State& state, SearchControl& control) { return solve(state, -kCells, kCells, control); }

    // With a window, alpha < beta: a value between them is exact, one up to alpha is an upper bound of the score, and
    // one from beta on a lower bound.
    int solve(const State& state, int alpha, int beta, SearchControl& control) {
        table_.new_search();
        return Search(*this, state, control).value(state, alpha, beta, 0);
    }

    // Only win (1), draw (0) or loss (-1), which takes less.
    int outcome(const State& state, SearchControl& control) { return sign(solve(state, -1, 1, control)); }

    // The value of every legal move for the side to move, in the order of legal_moves(): exact scores, or only their
    // signs. A forced pass is a move.
    std::vector<ScoredMove> moves(const State& state, bool exact, SearchControl& control) {
        table_.new_search();
        Search search(*this, state, control);
        const int limit = exact ? kCells : 1;
        std::vector<ScoredMove> result;
        int best = 0;  // a better first guess than the move before
        for (const Move move : legal_moves(state)) {
            const int score = -search.value(after(state, move), -limit, limit, -best);
            best = result.empty() ? score : std::max(best, score);
            result.push_back({move, exact ? score : sign(score)});
        }
        return result;
    }

    // A line of best play from a position with that exact score to the end of the game.
    std::vector<Move> best_line(State state, int score, SearchControl& control) {
        table_.new_search();
        Search search(*this, state, control);
        std::vector<Move> line;
        while (!state.over) {
            const Move move = search.best_move(state, score);
            line.push_back(move);
            state = after(state, move);
            score = -score;
        }
        return line;
    }

private:
    // From so many empty cells on, a position is kept in the table; and its moves are all looked up there first.
    static constexpr int kTableEmpties = 8;
    static constexpr int kCutoffEmpties = 10;
    static_assert(kTableEmpties > LastCells::kMost && kCutoffEmpties > kTableEmpties);

    static constexpr int sign(int value) { return (value > 0) - (value < 0); }
    static State after(State state, Move move) {
        Game::play(state, move);
        return state;
    }
    static std::vector<Move> legal_moves(const State& state) {
        std::vector<Move> moves(static_cast<std::size_t>(Game::max_moves()));
        moves.resize(static_cast<std::size_t>(Game::legal_moves(state, moves.data())));
        return moves;
    }

    struct Node {
        Board mover, other, moves;
        u64 key;  // only where the table is used
    };
    struct Child : Node {
        int cell, rank;
    };

    static u64 key_of(Board mover, Board other) { return combine(combine(0, mover), other); }

    class Search {
    public:
        // A search of `root` and of what follows from it.
        Search(ReversiSolver& solver, const State& root, SearchControl& control)
            : table_(solver.table_),
              stability_(solver.stability_),
              control_(control),
              last_cells_(stability_, control) {
            // One list of children after the other, each no longer than the number of empty cells.
            const std::size_t empties = static_cast<std::size_t>(popcount(empty_cells(root)));
            children_.resize(empties * (empties + 1) / 2);
            unused_ = children_.data();
        }

        // MTD(f): each test of "at least guess" yields a bound, which is the next guess.
        int value(const State& state, int alpha, int beta, int guess) {
            int low = std::clamp(alpha, -kCells - 1, kCells), high = std::clamp(beta, -kCells, kCells + 1);
            guess = std::max(low + 1, std::min(high, guess));
            const Node root{state.mover, state.other, state.moves, key_of(state.mover, state.other)};
            const Board empty = empty_cells(state);
            while (true) {
                const int found = value(root, popcount(empty), odd_quadrants(empty), guess - 1);
                if (found < guess)
                    high = found;
                else
                    low = found;
                if (low >= high) return found;
                guess = found == low ? found + 1 : found;
            }
        }

        // A move that keeps the score, which must be exact.
        Move best_move(const State& state, int score) {
            std::vector<Move> moves = legal_moves(state);
            if (const auto* known = table_.find(key_of(state.mover, state.other), popcount(empty_cells(state)))) {
                const auto place = std::find(moves.begin(), moves.end(), Move{known->move});
                if (place != moves.end()) std::swap(*moves.begin(), *place);
            }
            // If no other move keeps it, the last one does.
            while (moves.size() > 1 && -value(after(state, moves.front()), -score, -score + 1, -score) < score)
                moves.erase(moves.begin());
            return moves.front();
        }

    private:
        static Board empty_cells(const State& state) { return Shape::kAll & ~(state.mover | state.other); }
        static Board odd_quadrants(Board empty) {
            Board odd = 0;
            while (empty != 0) odd ^= LastCells::quadrant(pop_lowest(empty));
            return odd;
        }

        int value(const Node& node, int empties, Board odd, int alpha) {
            if (empties <= LastCells::kMost) return last_cells_.solve(node.mover, node.other, empties, odd, alpha);
            return search(node, empties, odd, alpha);
        }

        // A value above alpha is a lower bound, another one an upper bound.
        int search(const Node& node, int empties, Board odd, int alpha) {
            // Step 1: no move.
            control_.count_node();
            if (node.moves == 0) {
                const Board replies = Kernel::legal_cells(node.other, node.mover);
                if (replies == 0) return LastCells::final_score(node.mover, node.other);
                return -search({node.other, node.mover, replies, key_of(node.other, node.mover)}, empties, odd,
                               -alpha - 1);
            }
            // Step 2: bounds that need no search.
            const int bound = stability_.upper_bound(node.mover, node.other, empties, alpha);
            if (bound <= alpha) return bound;
            const bool in_table = empties >= kTableEmpties;
            int known_move = -1;
            if (in_table)
                if (const auto* known = table_.find(node.key, empties)) {
                    if (known->lower > alpha) return known->lower;
                    if (known->upper <= alpha) return known->upper;
                    known_move = known->move;
                }
            // Step 3: all moves, and what the table knows of them.
            Child* const first = unused_;
            Child* const end = list_children(node, empties, odd, known_move);
            if (end == first) return kCells;
            if (empties >= kCutoffEmpties)
                for (const Child* child = first; child != end; ++child) {
                    const auto* known = table_.find(child->key, empties - 1);
                    if (known != nullptr && -known->upper > alpha) return -known->upper;
                }
            // Step 4: search them, the most promising first.
            unused_ = end;
            int best = -kCells - 1, best_cell = 0;
            for (Child* next = first; next != end && best <= alpha; ++next) {
                std::swap(*next, *std::max_element(next, end, lower_rank));
                const int found = -value(*next, empties - 1, odd ^ LastCells::quadrant(next->cell), -alpha - 1);
                if (found <= best) continue;
                best = found;
                best_cell = next->cell;
            }
            unused_ = first;
            // Step 5: remember.
            if (in_table && best > alpha) table_.store(node.key, empties, best, kCells, best_cell);
            if (in_table && best <= alpha) table_.store(node.key, empties, -kCells, best, best_cell);
            return best;
        }

        // Writes the children from `unused_` on and returns their end; none if a move takes the last of the other's
        // stones and so wins every cell.
        Child* list_children(const Node& node, int empties, Board odd, int known_move) {
            Child* end = unused_;
            for (Board cells = node.moves; cells != 0; ++end) {
                const int cell = pop_lowest(cells);
                const Board turned = Kernel::flips(node.mover, node.other, cell);
                if (turned == node.other) return unused_;
                end->cell = cell;
                end->mover = node.other ^ turned;
                end->other = node.mover | turned | bit<Board>(cell);
                end->moves = Kernel::legal_cells(end->mover, end->other);
                if (empties > kTableEmpties) {
                    end->key = key_of(end->mover, end->other);
                    table_.prefetch(end->key);
                }
                end->rank = cell == known_move ? kFirst : rank(*end, empties, odd);
            }
            return end;
        }

        static bool lower_rank(const Child& a, const Child& b) { return a.rank < b.rank; }
        static constexpr int kFirst = 1 << 20;  // above every rank
        static constexpr Board kCorners =
            bit<Board>(0) | bit<Board>(Size - 1) | bit<Board>(kCells - Size) | bit<Board>(kCells - 1);

        // The weights were tuned on the nodes for FFO 1-36 and for positions of random play; changing one by half
        // changes the nodes by a few per cent.
        int rank(const Child& child, int empties, Board odd) const {
            int rank = -16 * (popcount(child.moves) + popcount(Board{child.moves & kCorners}));
            if (contains(odd, child.cell)) rank += 3;
            if (empties < kTableEmpties)
                return rank;  // where little is left to search, the rest costs more than it saves
            return rank - 4 * popcount(open_cells(child.mover, child.other)) +
                   5 * popcount(stability_.stable_on_edges(child.other, child.mover));
        }

        // Empty cells next to the other's stones: where the mover may find moves later.
        static Board open_cells(Board mover, Board other) {
            const Board inner = other & Shape::kInner;
            Board near = (other << Size) | (other >> Size);
            for (const int step : {1, Size - 1, Size + 1}) near |= (inner << step) | (inner >> step);
            return near & Shape::kAll & ~(mover | other);
        }

        ReversiTable& table_;
        const ReversiStability<Size>& stability_;
        SearchControl& control_;
        LastCells last_cells_;
        std::vector<Child> children_;  // of all nodes on the path
        Child* unused_ = nullptr;
    };

    ReversiTable table_;
    ReversiStability<Size> stability_;
};

// The solver in the kit of the game (bindings/kit.hpp).
struct ReversiSolving {
    static constexpr SolverFacts kFacts{.easy_nodes = 4e5, .easy_cells = 20, .growth = 2.5};
    template <int Size>
    static ReversiSolver<Size> make(const Reversi<Size>&, const SolverOptions& options) {
        return ReversiSolver<Size>(options.memory);
    }
};

}  // namespace spielbaum
