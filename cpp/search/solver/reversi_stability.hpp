// Stones that can never be turned again: a bound on the final score that needs no search.
//
// A stone is safe along an axis if its line is full, if it ends at the border, or if a neighbour on that axis is a
// stable stone of its own colour; a stone that is safe along all four axes is stable. On the edges of the board, where
// only one axis counts, a table has the exact answer: the stones that survive every order of play in which either
// player may take any empty cell. Both ideas are as old as Othello programs (Rosenbloom's Iago, 1982).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bits.hpp"
#include "games/reversi_kernels.hpp"

namespace spielbaum {

// Lines of the board as numbers of `Size` bits, which index tables.
template <int Size>
struct ReversiLine {
    using Shape = ReversiBoard<Size>;
    using Board = typename Shape::Board;
    static constexpr unsigned kPatterns = 1U << Size;

    static constexpr Board kLeftColumn = [] {
        Board column = 0;
        for (int row = 0; row < Size; ++row) column |= bit<Board>(row * Size);
        return column;
    }();

    static constexpr unsigned row(Board board, int row) {
        return static_cast<unsigned>(board >> (row * Size)) & (kPatterns - 1);
    }

    // Brings a column together in one row: multiplying adds copies, shifted so that they meet without a carry.
    static constexpr unsigned column(Board board, int column) {
        constexpr Board kGather = [] {
            Board factor = 0;
            for (int row = 0; row < Size; ++row) factor |= bit<Board>(row * (Size - 1));
            return factor;
        }();
        const Board gathered = ((board >> column) & kLeftColumn) * kGather;
        return static_cast<unsigned>(gathered >> ((Size - 1) * (Size - 1))) & (kPatterns - 1);
    }

    // Cells with at most one in every column, such as a diagonal, each in its place of the row.
    static constexpr unsigned flattened(Board cells) {
        return static_cast<unsigned>((cells * kLeftColumn) >> (Size * (Size - 1))) & (kPatterns - 1);
    }

    // The left column with the pattern of a row.
    static constexpr std::array<Board, kPatterns> kAsColumn = [] {
        std::array<Board, kPatterns> columns{};
        for (unsigned pattern = 0; pattern < kPatterns; ++pattern)
            for (int i = 0; i < Size; ++i)
                if ((pattern >> i & 1) != 0) columns[pattern] |= bit<Board>(i * Size);
        return columns;
    }();

    // Stones of `other` that turn within the line when the mover plays on cell `index`.
    static constexpr unsigned flips(unsigned mover, unsigned other, int index) {
        unsigned turned = 0;
        for (const int step : {-1, 1}) {
            unsigned run = 0;
            int i = index + step;
            for (; i >= 0 && i < Size && (other >> i & 1) != 0; i += step) run |= 1U << i;
            if (i >= 0 && i < Size && (mover >> i & 1) != 0) turned |= run;
        }
        return turned;
    }
};

template <int Size>
class ReversiStability {
    using Shape = ReversiBoard<Size>;
    using Line = ReversiLine<Size>;

public:
    using Board = typename Shape::Board;

    // Every edge is prepared, also those that no game leads to but that a position set up by hand may have.
    ReversiStability() : edges_(kTernary[Line::kPatterns - 1] * 2 + 1, kUnknown) {
        for (unsigned own = 0; own < Line::kPatterns; ++own)
            for (unsigned other = 0; other < Line::kPatterns; ++other)
                if ((own & other) == 0) find_edge(own, other);
    }

    // Stable stones of `own`. They stay, so that the other player ends with no more than all other cells.
    Board stable(Board own, Board other) const {
        const Board empty = Shape::kAll & ~(own | other);
        const std::array<Board, 4> full{~lines_of<0>(empty), ~lines_of<1>(empty), ~lines_of<2>(empty),
                                        ~lines_of<3>(empty)};
        const Board inner = own & kInside;
        Board found = stable_on_edges(own, other) | (inner & full[0] & full[1] & full[2] & full[3]);
        while (true) {
            Board more = inner & ~found;
            for (std::size_t axis = 0; axis < 4; ++axis) {
                const int step = Shape::kAxes[axis].step();
                more &= full[axis] | (found << step) | (found >> step);
            }
            if (more == 0) return found;
            found |= more;
        }
    }

    // Stable stones on the four edges, corners included.
    Board stable_on_edges(Board own, Board other) const {
        constexpr int last = Size - 1;
        const Board top = edge(Line::row(own, 0), Line::row(other, 0));
        const Board bottom = edge(Line::row(own, last), Line::row(other, last));
        const Board left = Line::kAsColumn[edge(Line::column(own, 0), Line::column(other, 0))];
        const Board right = Line::kAsColumn[edge(Line::column(own, last), Line::column(other, last))];
        return top | bottom << (Size * last) | left | right << last;
    }

    // The most that the mover can still reach. Where so few stones can be stable that it would hardly lie at or below
    // alpha, it is not computed and all cells are the answer.
    int upper_bound(Board mover, Board other, int empties, int alpha) const {
        if (alpha < 2 * empties) return Shape::kCells;
        return Shape::kCells - 2 * popcount(stable(other, mover));
    }

private:
    static constexpr std::uint16_t kUnknown = 0xFFFF;
    static constexpr Board kInside = [] {
        const Board row = bit<Board>(Size) - 1;
        return Shape::kInner & ~row & ~(row << (Size * (Size - 1)));
    }();

    // A row of empty, own and other cells as a number: kTernary[own] + 2 * kTernary[other].
    static constexpr std::array<std::uint32_t, Line::kPatterns> kTernary = [] {
        std::array<std::uint32_t, Line::kPatterns> numbers{};
        for (unsigned pattern = 0; pattern < Line::kPatterns; ++pattern)
            for (std::uint32_t i = 0, power = 1; i < Size; ++i, power *= 3)
                if ((pattern >> i & 1) != 0) numbers[pattern] += power;
        return numbers;
    }();

    std::uint16_t& edge(unsigned own, unsigned other) { return edges_[kTernary[own] + 2 * kTernary[other]]; }
    unsigned edge(unsigned own, unsigned other) const { return edges_[kTernary[own] + 2 * kTernary[other]]; }

    // Own stones that survive every way to fill the edge.
    unsigned find_edge(unsigned own, unsigned other) {
        if (edge(own, other) != kUnknown) return edge(own, other);
        unsigned survivors = own;
        for (unsigned empty = (Line::kPatterns - 1) & ~(own | other); empty != 0; empty &= empty - 1) {
            const int index = std::countr_zero(empty);
            const unsigned stone = 1U << index;
            const unsigned gained = Line::flips(own, other, index), lost = Line::flips(other, own, index);
            survivors &= find_edge(own | stone | gained, other & ~gained);
            survivors &= find_edge(own & ~lost, other | stone | lost);
        }
        edge(own, other) = static_cast<std::uint16_t>(survivors);
        return survivors;
    }

    // Cells that a step of `columns` columns to the right (negative: to the left) can lead to.
    static constexpr Board reached_by(int columns) {
        Board cells = 0;
        for (int cell = 0; cell < Shape::kCells; ++cell) {
            const int origin = cell % Size - columns;
            if (origin >= 0 && origin < Size) cells |= bit<Board>(cell);
        }
        return cells;
    }

    // All lines of an axis that pass through any of the cells; the reach doubles with each round.
    template <std::size_t Axis>
    static Board lines_of(Board cells) {
        constexpr auto axis = Shape::kAxes[Axis];
        Board up = cells, down = cells;
        const auto widen = [&]<int Distance>() {
            constexpr Board kUp = reached_by(Distance * axis.columns), kDown = reached_by(-Distance * axis.columns);
            up |= (up << (Distance * axis.step())) & kUp;
            down |= (down >> (Distance * axis.step())) & kDown;
        };
        widen.template operator()<1>();
        widen.template operator()<2>();
        if constexpr (Size > 4) widen.template operator()<4>();
        if constexpr (Size > 8) widen.template operator()<8>();
        return up | down;
    }

    std::vector<std::uint16_t> edges_;
};

}  // namespace spielbaum
