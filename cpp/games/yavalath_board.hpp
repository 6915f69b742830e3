// The hexagonal board of side five: its cells, their bits, and its twelve symmetries.
//
// Rows a to i from the top, cells numbered from 1 at the left; actions 0 to 60 in that order, centre e5 = 30:
//
//              a1 a2 a3 a4 a5
//            b1 b2 b3 b4 b5 b6
//          c1 c2 c3 c4 c5 c6 c7
//        d1 d2 d3 d4 d5 d6 d7 d8
//      e1 e2 e3 e4 e5 e6 e7 e8 e9
//        f1 f2 f3 f4 f5 f6 f7 f8
//          g1 g2 g3 g4 g5 g6 g7
//            h1 h2 h3 h4 h5 h6
//              i1 i2 i3 i4 i5
//
// The bitboard is a 9 x 9 parallelogram of 81 bits, bit = 9 * row + column, into which the hexagon fits so that its
// three axes are steps of 1, 9 and 10 and no line can wrap (dots are bits that never hold a stone):
//
//       0  1  2  3  4  .  .  .  .       row a
//       9 10 11 12 13 14  .  .  .
//      18 19 20 21 22 23 24  .  .
//      27 28 29 30 31 32 33 34  .
//      36 37 38 39 40 41 42 43 44       row e
//       . 46 47 48 49 50 51 52 53
//       .  . 56 57 58 59 60 61 62
//       .  .  . 66 67 68 69 70 71
//       .  .  .  . 76 77 78 79 80       row i
#pragma once

#include <algorithm>
#include <array>

#include "core/bits.hpp"

namespace spielbaum::hex {

inline constexpr int kCells = 61;
inline constexpr std::array<int, 3> kAxes{1, 9, 10};

constexpr int first_column(int row) { return row > 4 ? row - 4 : 0; }
constexpr int row_length(int row) { return 9 - (row > 4 ? row - 4 : 4 - row); }

inline constexpr std::array<std::uint8_t, kCells> kBitOfCell = [] {
    std::array<std::uint8_t, kCells> bits{};
    std::size_t cell = 0;
    for (int row = 0; row < 9; ++row)
        for (int column = 0; column < row_length(row); ++column)
            bits[cell++] = static_cast<std::uint8_t>(9 * row + first_column(row) + column);
    return bits;
}();
inline constexpr std::array<std::uint8_t, 81> kCellOfBit = [] {
    std::array<std::uint8_t, 81> cells{};
    for (std::size_t cell = 0; cell < kCells; ++cell) cells[kBitOfCell[cell]] = static_cast<std::uint8_t>(cell);
    return cells;
}();
inline constexpr u128 kBoard = [] {
    u128 board = 0;
    for (const int index : kBitOfCell) board |= bit<u128>(index);
    return board;
}();
// The up to six cells around a cell.
constexpr int neighbours(int cell, int* out) {
    int count = 0;
    const int index = kBitOfCell[static_cast<std::size_t>(cell)];
    for (const int step : {-10, -9, -1, 1, 9, 10}) {
        const int other = index + step;
        // A step within a row must not wrap into the next one, whose end may lie on the board.
        const int columns = other % 9 - index % 9;
        if (other < 0 || other > 80 || columns < -1 || columns > 1 || !contains(kBoard, other)) continue;
        out[count++] = kCellOfBit[static_cast<std::size_t>(other)];
    }
    return count;
}
// The cells from the centre outwards, ring by ring. More lines go through the centre, so this is a good order in which
// to try moves of which nothing else is known.
inline constexpr std::array<std::uint8_t, kCells> kCentreFirst = [] {
    std::array<std::uint8_t, kCells> cells{};
    std::size_t count = 0;
    for (int ring = 0; ring <= 4; ++ring)
        for (std::uint8_t cell = 0; cell < kCells; ++cell) {
            const int row = kBitOfCell[cell] / 9 - 4, column = kBitOfCell[cell] % 9 - 4;
            const auto size = [](int number) { return number < 0 ? -number : number; };
            if (std::max({size(row), size(column), size(row - column)}) == ring) cells[count++] = cell;
        }
    return cells;
}();
// With cube coordinates (x, y, z), x + y + z = 0, a rotation by 60 degrees is (x, y, z) -> (-z, -x, -y) and a
// reflection swaps two of them.
inline constexpr std::array<std::array<std::uint8_t, kCells>, 12> kImages = [] {
    std::array<std::array<std::uint8_t, kCells>, 12> images{};
    for (int index = 0; index < 12; ++index)
        for (std::size_t cell = 0; cell < kCells; ++cell) {
            const int row = kBitOfCell[cell] / 9 - 4, column = kBitOfCell[cell] % 9 - 4;
            int x = column, z = -row, y = row - column;
            if (index >= 6) {
                const int kept = x;
                x = z;
                z = kept;
            }
            for (int turn = 0; turn < index % 6; ++turn) {
                const int old_x = x;
                x = -z;
                z = -y;
                y = -old_x;
            }
            images[static_cast<std::size_t>(index)][cell] = kCellOfBit[static_cast<std::size_t>(9 * (4 - z) + x + 4)];
        }
    return images;
}();

}  // namespace spielbaum::hex
