// The last few empty cells of a Reversi game, where nearly all nodes of an endgame search are.
//
// There are no lists of moves here and no ordering but by parity: to make the last move in each region of empty cells
// is an advantage, so that regions with an odd number of cells, for which the quadrants of the board stand, are played
// first. The last cell of all is not played; a table per line tells how many stones would turn (both ideas: Andersson's
// Zebra).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "search/control.hpp"
#include "search/solver/reversi_stability.hpp"

namespace spielbaum {

template <int Size>
class ReversiLastCells {
    using Shape = ReversiBoard<Size>;
    using Line = ReversiLine<Size>;
    using Kernel = ReversiKernel<Size>;
    static constexpr int kCells = Shape::kCells;
    static constexpr std::size_t kNumCells = kCells;

public:
    using Board = typename Shape::Board;
    static constexpr int kMost = 6;  // beyond so many empty cells, ordering moves pays

    ReversiLastCells(const ReversiStability<Size>& stability, SearchControl& control)
        : stability_(stability), control_(control) {}

    // A position with at most kMost empty cells, for the mover: a value above alpha is a lower bound, another one an
    // upper bound. `odd`: the quadrants with an odd number of empty cells.
    int solve(Board mover, Board other, int empties, Board odd, int alpha) {
        const Board empty = Shape::kAll & ~(mover | other);
        switch (empties) {
            case 6:
                return solve<6>(mover, other, empty, odd, alpha);
            case 5:
                return solve<5>(mover, other, empty, odd, alpha);
            case 4:
                return solve<4>(mover, other, empty, odd, alpha);
            case 3:
                return solve<3>(mover, other, empty, odd, alpha);
            case 2:
                return solve<2>(mover, other, empty, odd, alpha);
            default:
                break;
        }
        control_.count_node();
        return empties == 1 ? last_score(mover, other, lowest(empty)) : final_score(mover, other);
    }

    // Difference of stones at the end of a game; cells left empty go to the winner.
    static int final_score(Board mover, Board other) {
        const int own = popcount(mover), others = popcount(other);
        if (own == others) return 0;
        return own > others ? kCells - 2 * others : 2 * own - kCells;
    }

    // All cells of the quadrant in which a cell lies.
    static constexpr Board quadrant(int cell) { return kQuadrants[static_cast<std::size_t>(cell)]; }

private:
    static constexpr int kNothing = -kCells - 1;  // below every score

    static constexpr std::array<Board, kNumCells> kQuadrants = [] {
        std::array<Board, kNumCells> quadrants{};
        const auto number = [](int cell) { return cell / Size / (Size / 2) * 2 + cell % Size / (Size / 2); };
        for (int a = 0; a < kCells; ++a)
            for (int b = 0; b < kCells; ++b)
                if (number(a) == number(b)) quadrants[static_cast<std::size_t>(a)] |= bit<Board>(b);
        return quadrants;
    }();

    static constexpr std::array<Board, kNumCells> kNeighbours = [] {
        std::array<Board, kNumCells> neighbours{};
        for (int a = 0; a < kCells; ++a)
            for (int b = 0; b < kCells; ++b) {
                const int rows = a / Size - b / Size, columns = a % Size - b % Size;
                if (a != b && rows * rows <= 1 && columns * columns <= 1)
                    neighbours[static_cast<std::size_t>(a)] |= bit<Board>(b);
            }
        return neighbours;
    }();

    template <int N>
    int solve(Board mover, Board other, Board empty, Board odd, int alpha) {
        control_.count_node();
        if constexpr (N >= 5) {  // with fewer cells left, playing on is as fast
            const int bound = stability_.upper_bound(mover, other, N, alpha);
            if (bound <= alpha) return bound;
        }
        const int value = best_of_cells<N>(mover, other, empty, odd, alpha);
        if (value != kNothing) return value;
        const int after_pass = best_of_cells<N>(other, mover, empty, odd, -alpha - 1);
        return after_pass != kNothing ? -after_pass : final_score(mover, other);
    }

    // The best value of the cells, or the first above alpha; nothing if none is legal.
    template <int N>
    int best_of_cells(Board mover, Board other, Board empty, Board odd, int alpha) {
        int best = kNothing;
        Board later = empty & ~odd;
        for (Board cells = empty & odd; (cells | later) != 0;) {
            if (cells == 0) std::swap(cells, later);
            const int cell = pop_lowest(cells);
            if ((kNeighbours[static_cast<std::size_t>(cell)] & other) == 0) continue;
            const Board turned = Kernel::flips(mover, other, cell);
            if (turned == 0) continue;
            const Board stone = bit<Board>(cell), rest = empty ^ stone;
            const Board next_mover = other ^ turned, next_other = mover | turned | stone;
            int value;
            if constexpr (N == 2)
                value = -last_score(next_mover, next_other, lowest(rest));
            else
                value = -solve<N - 1>(next_mover, next_other, rest, odd ^ quadrant(cell), -alpha - 1);
            if (value <= best) continue;
            best = value;
            if (best > alpha) break;
        }
        return best;
    }

    // ---- one empty cell ----
    struct Diagonals {
        Board falling = 0, rising = 0;
    };
    static constexpr std::array<Diagonals, kNumCells> kDiagonals = [] {
        std::array<Diagonals, kNumCells> diagonals{};
        for (std::size_t cell = 0; cell < kNumCells; ++cell) {
            const auto& rays = Shape::kRays[cell];
            diagonals[cell] = {rays.up[3] | rays.down[3], rays.up[2] | rays.down[2]};
        }
        return diagonals;
    }();

    // By a cell of a line that is full otherwise and the mover's stones in it: how many of the others turn. A diagonal
    // is shorter than the line; what is missing counts as the other's stones, which do not turn for want of an end.
    static constexpr auto kLineFlips = [] {
        std::array<std::array<std::uint8_t, Line::kPatterns>, static_cast<std::size_t>(Size)> counts{};
        for (int index = 0; index < Size; ++index)
            for (unsigned mover = 0; mover < Line::kPatterns; ++mover) {
                const unsigned other = (Line::kPatterns - 1) & ~mover & ~(1U << index);
                counts[static_cast<std::size_t>(index)][mover] =
                    static_cast<std::uint8_t>(popcount(u64{Line::flips(mover, other, index)}));
            }
        return counts;
    }();

    static int count_flips(Board mover, int cell) {
        const int row = cell / Size, column = cell % Size;
        const auto& in_row = kLineFlips[static_cast<std::size_t>(column)];
        const auto& in_column = kLineFlips[static_cast<std::size_t>(row)];
        const auto& diagonals = kDiagonals[static_cast<std::size_t>(cell)];
        return in_row[Line::row(mover, row)] + in_column[Line::column(mover, column)] +
               in_row[Line::flattened(mover & diagonals.falling)] + in_row[Line::flattened(mover & diagonals.rising)];
    }

    // Exact and without a further position, hence no node of its own.
    static int last_score(Board mover, Board other, int cell) {
        const int own = popcount(mover);
        const int gained = count_flips(mover, cell);
        if (gained != 0) return 2 * (own + gained + 1) - kCells;
        const int lost = count_flips(other, cell);
        if (lost != 0) return 2 * (own - lost) - kCells;
        const bool ahead = 2 * own >= kCells;  // never equal: the number of stones is odd
        return 2 * own - kCells + (ahead ? 2 : 0);
    }

    const ReversiStability<Size>& stability_;
    SearchControl& control_;
};

}  // namespace spielbaum
