// What an unfinished Reversi position is worth: mobility and corners early, stones at the end.
#pragma once

#include <algorithm>

#include "eval/choice.hpp"
#include "games/reversi.hpp"

namespace spielbaum {

// Mobility and the freedom to move later (few own stones next to empty cells) decide the opening and the middle game;
// corners and edges anchored in them can never be turned; next to an empty corner stones are bad; near the end stones
// and the last move count.
struct ReversiEvaluation {
    static constexpr std::string_view kName = "stages";
    template <int Size>
    int operator()(const Reversi<Size>&, const typename Reversi<Size>::State& state) const {
        using Boards = ReversiBoard<Size>;
        using Board = typename Boards::Board;
        using Kernel = ReversiKernel<Size>;
        const Board own = state.mover, other = state.other, empty = Boards::kAll & ~(own | other);
        const int left = popcount(empty);
        const int progress = 100 * (Boards::kCells - left) / Boards::kCells;  // 0 to 100
        const int mobility = popcount(state.moves) - popcount(Board{Kernel::legal_cells(other, own)});
        const int frontier =
            popcount(Board{neighbours<Size>(empty) & other}) - popcount(Board{neighbours<Size>(empty) & own});
        const int stones = popcount(own) - popcount(other);
        const int parity = left % 2 == 1 ? 1 : -1;  // who plays last if nobody passes
        return 12 * mobility + (100 - progress) * frontier / 12 + corners<Size>(own, other, empty) +
               progress * progress * stones / 2500 + progress * parity / 10;
    }

private:
    template <int Size>
    static constexpr auto neighbours(typename ReversiBoard<Size>::Board cells) {
        using Boards = ReversiBoard<Size>;
        typename Boards::Board around = 0;
        for (const auto& axis : Boards::kAxes) {
            // A step sideways must not wrap round the edge of the board.
            const auto from = axis.columns == 0 ? cells : cells & side_columns<Size>(axis.columns > 0 ? Size - 1 : 0);
            const auto back = axis.columns == 0 ? cells : cells & side_columns<Size>(axis.columns > 0 ? 0 : Size - 1);
            around |= (from << axis.step()) | (back >> axis.step());
        }
        return around & Boards::kAll;
    }

    // All cells but those of one column.
    template <int Size>
    static constexpr auto side_columns(int column) {
        using Boards = ReversiBoard<Size>;
        auto cells = Boards::kAll;
        for (int row = 0; row < Size; ++row) cells &= ~bit<typename Boards::Board>(row * Size + column);
        return cells;
    }

    template <int Size>
    static int corners(typename ReversiBoard<Size>::Board own, typename ReversiBoard<Size>::Board other,
                       typename ReversiBoard<Size>::Board empty) {
        int value = 0;
        for (const int row : {0, Size - 1})
            for (const int column : {0, Size - 1}) {
                const int inner_row = row == 0 ? 1 : Size - 2, inner_column = column == 0 ? 1 : Size - 2;
                const auto owner = [&](int r, int c) {
                    return contains(own, r * Size + c) ? 1 : contains(other, r * Size + c) ? -1 : 0;
                };
                if (contains(empty, row * Size + column))
                    value -= 40 * owner(inner_row, inner_column) +
                             15 * (owner(row, inner_column) + owner(inner_row, column));
                else
                    value += 100 * owner(row, column);
            }
        return value;
    }
};

// Every stone counts by its cell alone: the weights of Yoshioka, Ishii and Ito (1999), the usual yardstick of programs
// that learn the game (Lucas 2008). Boards of other sizes have the same corners and edges.
struct ReversiWeights {
    static constexpr std::string_view kName = "weights";
    template <int Size>
    int operator()(const Reversi<Size>&, const typename Reversi<Size>::State& state) const {
        int value = 0;
        for (auto rest = state.mover; rest != 0;) value += weight<Size>(pop_lowest(rest));
        for (auto rest = state.other; rest != 0;) value -= weight<Size>(pop_lowest(rest));
        return value;
    }

private:
    template <int Size>
    static constexpr int weight(int cell) {
        constexpr int kWeights[4][4] = {{100, -25, 10, 5}, {-25, -25, 1, 1}, {10, 1, 5, 2}, {5, 1, 2, 1}};
        const auto from_edge = [](int place) { return std::min({place, Size - 1 - place, 3}); };
        return kWeights[from_edge(cell / Size)][from_edge(cell % Size)];
    }
};

using ReversiEvaluations = EvaluationChoice<ReversiEvaluation, ReversiWeights, NoEvaluation>;

}  // namespace spielbaum
