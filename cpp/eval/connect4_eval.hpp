// What an unfinished Connect Four position is worth: open lines, and threats in rows that suit their owner.
#pragma once

#include "eval/choice.hpp"
#include "games/connect4.hpp"

namespace spielbaum {

// A line that the opponent has not entered counts by the number of own stones in it. A cell that would complete a line
// is a threat; when the board fills up, the first player gets to fill odd rows and the second even ones (Allis 1988),
// so that threats there decide games.
struct Connect4Evaluation {
    static constexpr std::string_view kName = "lines";
    template <class Board, class Size>
    int operator()(const Connect4<Board, Size>& game, const typename Connect4<Board, Size>::State& state) const {
        const auto& board = game.board();
        const Board own = state.own, other = state.own ^ state.all;
        Board odd_rows = 0;
        for (int row = 0; row < board.rows(); row += 2) odd_rows |= board.bottom() << row;
        const bool first = game.to_move(state) == 0;
        return side(board, own, state.all, first ? odd_rows : Board{~odd_rows}) -
               side(board, other, state.all, first ? Board{~odd_rows} : odd_rows);
    }

private:
    template <class Board, class Size>
    static int side(const Connect4Board<Board, Size>& board, Board stones, Board all, Board suited) {
        const Board usable = stones | (board.cells() & ~all);
        const Board threats = board.completing(stones) & ~all;
        return 40 * popcount(threats) + 60 * popcount(Board{threats & suited}) + board.open_line_stones(stones, usable);
    }
};

using Connect4Evaluations = EvaluationChoice<Connect4Evaluation, NoEvaluation>;

}  // namespace spielbaum
