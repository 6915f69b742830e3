// What is asked of alpha-beta, and what it answers.
//
// A value is seen by the side to move. A win in n plies is worth kWin - n, a loss the negative; all else is what the
// evaluation says, kept below kWinBound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/bits.hpp"
#include "core/move.hpp"
#include "eval/ntuple/evaluation.hpp"

namespace spielbaum {

inline constexpr int kWin = 32000;
inline constexpr int kMaxPly = 250;
inline constexpr int kWinBound = kWin - 1000;  // beyond it a value is a proven win or loss

struct AlphaBetaOptions {
    bool pruning = true;       // leave out what cannot change the value; off: plain minimax, and no cutoffs and windows
    bool iterative = true;     // deepen ply by ply; off: search the full depth at once
    bool table = true;         // transposition table
    bool cutoffs = true;       // look up all children in the table before searching one
    bool ordering = true;      // killer moves and history
    bool windows = true;       // null windows for all moves but the first, aspiration windows at the root
    bool quiescence = true;    // play out noisy moves before judging, in games that have them
    bool exact_depth = false;  // use only table values of exactly the needed depth: then the value is plain minimax's
    int threads = 1;
    std::size_t memory = std::size_t{64} << 20;
    NetworkPtr order;     // orders moves near the root by their values, if there is one
    int order_plies = 0;  // at so many plies from the root
};

struct RootMove {
    Move move;
    int value = -kWin;
    std::vector<Move> line;
};

// Best first. A move that only equals a bound of the best one must not overtake it.
inline void sort_by_value(std::vector<RootMove>& moves) {
    std::stable_sort(moves.begin(), moves.end(), [](const RootMove& a, const RootMove& b) { return a.value > b.value; });
}

struct AlphaBetaResult {
    int depth = 0;  // of the last search that was finished; 0: none was
    int value = 0;
    std::vector<Move> line;
    std::vector<RootMove> moves;  // best first; values of moves but the best are bounds, unless all were asked for
    u64 nodes = 0;                // of all threads; while they run, as of their last look at the clock
};

}  // namespace spielbaum
