// What games on a square grid share: the eight symmetries of the square, and names of cells such as "d3".
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spielbaum {

inline constexpr int kSquareSymmetries = 8;

// Image of a cell under symmetry `index` of an n x n board: bit 0 mirrors columns, bit 1 mirrors rows, bit 2 then
// swaps rows and columns. 0 is the identity.
constexpr int transform_square_cell(int cell, int n, int index) {
    int row = cell / n, column = cell % n;
    if (index & 1) column = n - 1 - column;
    if (index & 2) row = n - 1 - row;
    return index & 4 ? column * n + row : row * n + column;
}

// The up to eight cells around a cell of a board whose cells are numbered row by row.
constexpr int grid_neighbours(int cell, int rows, int columns, int* out) {
    int count = 0;
    for (int row = cell / columns - 1; row <= cell / columns + 1; ++row)
        for (int column = cell % columns - 1; column <= cell % columns + 1; ++column) {
            const int other = row * columns + column;
            if (row >= 0 && row < rows && column >= 0 && column < columns && other != cell) out[count++] = other;
        }
    return count;
}

// Where a step in each of the eight directions leads, if it slides along the border instead of leaving the board: a
// step out of the board sideways goes on up or down alone, and one straight out of it stays.
inline std::vector<int> grid_slides(int cell, int rows, int columns) {
    std::vector<int> found;
    for (int up = -1; up <= 1; ++up)
        for (int right = -1; right <= 1; ++right) {
            if (up == 0 && right == 0) continue;
            const int row = std::clamp(cell / columns + up, 0, rows - 1),
                      column = std::clamp(cell % columns + right, 0, columns - 1);
            found.push_back(row * columns + column);
        }
    return found;
}

// Rows and columns of a board of squares; see HasSquareCells.
struct GridSize {
    int rows, columns;
};

// "d3" for column 3 and row 2: a letter for the column, rows numbered from 1.
inline std::string cell_name(int column, int row) { return static_cast<char>('a' + column) + std::to_string(row + 1); }

struct ColumnRow {
    int column, row;
};

// Reads "d3" or "D3"; nothing if it is not the name of a cell of a board of that size.
inline std::optional<ColumnRow> parse_cell_name(std::string_view text, int columns, int rows) {
    if (text.size() < 2 || text.size() > 3) return std::nullopt;
    const char letter = static_cast<char>(text[0] | 0x20);
    const int column = letter - 'a';
    int row = 0;
    for (const char digit : text.substr(1)) {
        if (digit < '0' || digit > '9') return std::nullopt;
        row = row * 10 + (digit - '0');
    }
    if (text[1] == '0' || column < 0 || column >= columns || row < 1 || row > rows) return std::nullopt;
    return ColumnRow{column, row - 1};
}

}  // namespace spielbaum
