// The bitboard of Connect Four: columns, lines, and the cells that would complete a line.
//
// Column by column from the left, each column from the bottom, with one spare bit on top of every column, so that lines
// never wrap from one column into the next (Pons' layout; here for 6 rows and 7 columns):
//
//       6 13 20 27 34 41 48    <- spare bits, always 0
//      ---------------------
//       5 12 19 26 33 40 47    row 6
//       4 11 18 25 32 39 46
//       3 10 17 24 31 38 45
//       2  9 16 23 30 37 44
//       1  8 15 22 29 36 43
//       0  7 14 21 28 35 42    row 1
//       a  b  c  d  e  f  g
//
// With `all` the set of stones, `all + bottom row` has exactly one bit above the stones of each column. Boards with
// (rows + 1) * columns <= 64 live in one word, larger ones up to 128 bits in two. The classic board's size is known to
// the compiler (ClassicSize), which makes its playouts about half as long as with sizes in variables.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "core/bits.hpp"
#include "core/errors.hpp"

namespace spielbaum {

struct ClassicSize {
    static constexpr int rows() { return 6; }
    static constexpr int columns() { return 7; }
    static constexpr int inarow() { return 4; }
};

class AnySize {
public:
    AnySize(int rows, int columns, int inarow) : rows_(rows), columns_(columns), inarow_(inarow) {
        const std::string shown = "connect4 with rows=" + std::to_string(rows) + ", columns=" + std::to_string(columns);
        if (rows < 2 || rows > 16 || columns < 2 || columns > 16)
            throw OptionError(shown + ": both must be from 2 to 16");
        if ((rows + 1) * columns > 128)
            throw OptionError(shown + " is too large: (rows+1)*columns is " + std::to_string((rows + 1) * columns) +
                              " and must be at most 128");
        if (inarow < 2) throw OptionError("connect4 with inarow=" + std::to_string(inarow) + ": it must be at least 2");
    }
    int rows() const { return rows_; }
    int columns() const { return columns_; }
    int inarow() const { return inarow_; }

private:
    int rows_, columns_, inarow_;
};

template <class Board, class Size>
class Connect4Board {
public:
    explicit constexpr Connect4Board(Size size = Size{}) : size_(size) {
        for (int column = 0; column < size.columns(); ++column) bottom_ |= bit<Board>(column * stride());
        cells_ = bottom_ * ((Board{1} << size.rows()) - 1);
    }

    constexpr int rows() const { return size_.rows(); }
    constexpr int columns() const { return size_.columns(); }
    constexpr int inarow() const { return size_.inarow(); }
    constexpr int num_cells() const { return rows() * columns(); }
    constexpr int stride() const { return rows() + 1; }

    constexpr Board bottom() const { return bottom_; }  // the lowest cell of every column
    constexpr Board cells() const { return cells_; }    // every cell
    constexpr Board column_mask(int column) const { return ((Board{1} << rows()) - 1) << (column * stride()); }
    constexpr bool full(Board all, int column) const { return contains(all, column * stride() + rows() - 1); }
    constexpr int height(Board all, int column) const { return popcount(Board{all & column_mask(column)}); }
    // The cells where the next stone of each open column comes to rest.
    constexpr Board playable(Board all) const { return (all + bottom()) & cells(); }
    // Where the next stone of one open column comes to rest.
    constexpr Board drop(Board all, int column) const {
        return (all + bit<Board>(column * stride())) & column_mask(column);
    }

    constexpr Board mirror(Board stones) const {
        Board image = 0;
        for (int column = 0; column < columns(); ++column) {
            const Board bits = (stones >> (column * stride())) & column_mask(0);
            image |= bits << ((columns() - 1 - column) * stride());
        }
        return image;
    }

    // Folding a set onto itself doubles the length of line that a surviving bit stands for: 1, 2, 4, ...; a last fold
    // by the remainder makes it exactly `inarow`. No line is longer than 16, so 17 stands for all that never happen.
    constexpr bool has_line(Board stones) const {
        const int length_needed = std::min(inarow(), 17);
        Board any = 0;
        for (const int step : steps()) {
            Board lines = stones;
            int length = 1;
            for (; length * 2 <= length_needed; length *= 2) lines &= down(lines, length * step);
            if (length < length_needed) lines &= down(lines, (length_needed - length) * step);
            any |= lines;
        }
        return any != 0;
    }

    // The cells on which one more stone would complete a line. Cells that are taken are among them.
    constexpr Board completing(Board stones) const {
        // Lengths known to the compiler are several times as fast as a length in a variable.
        switch (inarow()) {
            case 3:
                return completing(stones, Length<3>{});
            case 4:
                return completing(stones, Length<4>{});
            case 5:
                return completing(stones, Length<5>{});
            default:
                return inarow() > 16 ? Board{0} : completing(stones, AnyLength{inarow()});
        }
    }

    // Over all lines that lie within `usable` cells: the number of `stones` in them.
    constexpr int open_line_stones(Board stones, Board usable) const {
        if (inarow() > 16) return 0;
        int total = 0;
        for (const int step : steps()) {
            Board starts = usable;
            for (int k = 1; k < inarow(); ++k) starts &= down(usable, k * step);
            for (int k = 0; k < inarow(); ++k) total += popcount(Board{starts & down(stones, k * step)});
        }
        return total;
    }

private:
    template <int N>
    struct Length {
        static constexpr int value = N;
    };
    struct AnyLength {
        int value;
    };

    // The cells between a run of k stones on one side and of the rest on the other.
    template <class LineLength>
    constexpr Board completing(Board stones, LineLength length) const {
        const int needed = length.value - 1;
        Board found = 0;
        for (const int step : steps()) {
            std::array<Board, 16> above{}, below{};  // by k: there are k stones in a row behind the cell
            above[0] = below[0] = ~Board{0};
            for (int k = 1; k <= needed; ++k) {
                const auto at = static_cast<std::size_t>(k);
                above[at] = above[at - 1] & down(stones, k * step);
                below[at] = below[at - 1] & up(stones, k * step);
            }
            for (int k = 0; k <= needed; ++k)
                found |= above[static_cast<std::size_t>(k)] & below[static_cast<std::size_t>(needed - k)];
        }
        return found & cells();
    }

    // Vertical, horizontal, and the two diagonals.
    constexpr std::array<int, 4> steps() const { return {1, stride(), stride() - 1, stride() + 1}; }
    // Shifts by the width of the board or more leave nothing (in C++ they would be undefined).
    static constexpr Board down(Board stones, int shift) {
        return shift < kBoardBits<Board> ? stones >> shift : Board{0};
    }
    static constexpr Board up(Board stones, int shift) {
        return shift < kBoardBits<Board> ? stones << shift : Board{0};
    }

    [[no_unique_address]] Size size_;
    Board bottom_ = 0, cells_ = 0;
};

}  // namespace spielbaum
