// Where tuples come from: random walks over neighbouring cells, in two versions, or random points.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/rng.hpp"
#include "eval/ntuple/network.hpp"
#include "games/square_board.hpp"

namespace spielbaum {

// walk: goes on to any neighbour of the cell where it stands; cells count when they are first visited.
// slide: takes a step in any of the eight directions and slides along the border where the step would leave the board.
// A walk that comes to a cell for the second time, or cannot move, is discarded as a whole, and another one begins. S1
// does not tell what its walks did; its figure 4.21 fits `slide`, its figure 4.18 fits `walk`. points: goes on to any
// cell.
enum class TupleKind : std::uint8_t { walk, points, slide };
inline constexpr std::array<std::string_view, 3> kTupleKindNames{"walk", "points", "slide"};

// What tuples can look at in a game: the numbers of contents that it can tell apart, the neighbours of every cell, and
// where a step in each direction leads that slides along the border (nowhere, if the board is not one of squares).
struct TupleCells {
    std::vector<int> contents;
    std::vector<std::vector<int>> neighbours;
    std::vector<std::vector<int>> slides;
};
template <Game G>
TupleCells tuple_cells_of(const G& game) {
    TupleCells cells;
    if constexpr (HasTupleCells<G>) {
        cells.contents.assign(game.contents().begin(), game.contents().end());
        if (cells.contents.empty()) return cells;
        for (int cell = 0; cell < game.num_cells(); ++cell) {
            int found[kMaxNeighbours];
            const int count = game.cell_neighbours(cell, found);
            cells.neighbours.emplace_back(found, found + count);
        }
        if constexpr (HasSquareCells<G>) {
            const auto [rows, columns] = game.grid();
            for (int cell = 0; cell < game.num_cells(); ++cell)
                cells.slides.push_back(grid_slides(cell, rows, columns));
        }
    }
    return cells;
}

// A tuple, or nothing if the walk was discarded.
inline std::optional<Tuple> try_random_tuple(const TupleCells& cells, TupleKind kind, int length, Rng& rng) {
    const auto num_cells = static_cast<int>(cells.neighbours.size());
    Tuple tuple;
    int cell = rng.below(num_cells);
    while (true) {
        const auto place = static_cast<std::uint16_t>(cell);
        if (std::find(tuple.begin(), tuple.end(), place) == tuple.end())
            tuple.push_back(place);
        else if (kind == TupleKind::slide)
            return std::nullopt;
        if (static_cast<int>(tuple.size()) == length) return tuple;
        const auto& around =
            (kind == TupleKind::slide ? cells.slides : cells.neighbours)[static_cast<std::size_t>(cell)];
        cell = kind == TupleKind::points ? rng.below(num_cells)
                                         : around[static_cast<std::size_t>(rng.below(static_cast<int>(around.size())))];
    }
}

// Tuples of these lengths, no two of which have the same cells, nor those of `others`.
inline std::vector<Tuple> random_tuples(const TupleCells& cells, TupleKind kind, const std::vector<int>& lengths,
                                        const std::vector<Tuple>& others, Rng& rng) {
    constexpr int kMostTries = 10'000;         // that find a tuple, but one that is there already
    constexpr int kMostDiscarded = 1'000'000;  // walks, for one tuple
    const auto num_cells = static_cast<int>(cells.neighbours.size());
    for (const int length : lengths)
        if (length < 1 || length > num_cells)
            throw OptionError("tuples of length " + std::to_string(length) + ": expected a length from 1 to " +
                              std::to_string(num_cells));
    if (kind == TupleKind::slide && cells.slides.empty())
        throw OptionError(
            "tuples of kind slide: expected a game on a board of squares, on which walks can slide along the border");
    std::set<Tuple> known;
    const auto is_new = [&](Tuple tuple) {
        std::sort(tuple.begin(), tuple.end());
        return known.insert(std::move(tuple)).second;
    };
    for (const Tuple& other : others) is_new(other);
    std::vector<Tuple> tuples;
    for (const int length : lengths) {
        int tries = 0, discarded = 0;
        auto tuple = try_random_tuple(cells, kind, length, rng);
        while (!tuple || !is_new(*tuple)) {
            if (tuple && ++tries == kMostTries)
                throw OptionError("there are not so many different tuples of length " + std::to_string(length));
            if (!tuple && ++discarded == kMostDiscarded)
                throw OptionError("tuples of kind slide and length " + std::to_string(length) + ": of " +
                                  std::to_string(kMostDiscarded) +
                                  " walks all met themselves or led to tuples that were there already; expected fewer "
                                  "or shorter tuples");
            tuple = try_random_tuple(cells, kind, length, rng);
        }
        tuples.push_back(std::move(*tuple));
    }
    return tuples;
}

// How many states of a tuple's cells can occur on a board of columns that are filled from below (S1, A.2), at most:
// lines that would have ended the game are not taken out. Cells are numbered row by row from the bottom; `contents` is
// 3 or 4.
inline double realisable_states(const Tuple& tuple, int rows, int columns, int contents) {
    std::vector<bool> looked_at(
        static_cast<std::size_t>((rows + 1) * columns));  // a row more, where no tuple has a cell
    for (const std::uint16_t cell : tuple) looked_at[cell] = true;
    const auto at = [&](int column, int row) { return looked_at[static_cast<std::size_t>(row * columns + column)]; };
    double product = 1.0;
    for (int column = 0; column < columns; ++column) {
        double states = 1.0;
        for (int row = rows - 1; row >= 0; --row) {
            if (!at(column, row)) continue;
            // A stone here leaves the states above, but for the one in which the next cell is empty and out of reach;
            // without one all above is empty, and the cell itself reachable or not (in the lowest row it always is).
            const double below_stone = states - (contents == 4 && at(column, row + 1) ? 1.0 : 0.0);
            states = 2.0 * below_stone + (contents == 4 && row > 0 ? 2.0 : 1.0);
        }
        product *= states;
    }
    return product;
}

}  // namespace spielbaum
