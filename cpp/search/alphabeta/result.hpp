// What is asked of alpha-beta, and what it answers.
//
// A value is seen by the side to move. A win in n plies is worth kWin - n, a loss the negative; all else is what the
// evaluation says, kept below kWinBound. Of more than two players only a win against all others is proven.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/bits.hpp"
#include "core/move.hpp"
#include "core/setting.hpp"
#include "eval/choice.hpp"

namespace spielbaum {

inline constexpr int kWin = 32000;
inline constexpr int kMaxPly = 250;
inline constexpr int kWinBound = kWin - 1000;  // beyond it a value is a proven win or loss

// What is thought of the others where there are more than two players; see sides.hpp and maxn.hpp.
enum class Multi : std::uint8_t { paranoid, maxn, brs, brs_plus };
inline constexpr std::array<std::string_view, 4> kMultiNames{"paranoid", "maxn", "brs", "brs+"};

struct AlphaBetaSettings {
    bool iterative = true, table = true, cutoffs = true, ordering = true, windows = true, pruning = true,
         quiescence = true;
    Multi multi = Multi::paranoid;
    std::string eval = "auto";
    int order_plies = 6, threads = 1;
    Megabytes memory = 64;
    static constexpr auto options() {
        using S = AlphaBetaSettings;
        return std::tuple(
            setting("iterative", &S::iterative, "deepen ply by ply; off: search to the full depth at once"),
            setting("tt", &S::table, "transposition table"),
            setting("cutoffs", &S::cutoffs, "look up all children in the table before searching one of them"),
            setting("ordering", &S::ordering, "killer moves and history order the moves"),
            setting("windows", &S::windows, "null windows after the first move, aspiration windows at the root"),
            setting("pruning", &S::pruning,
                    "leave out moves that cannot change the value; off: plain minimax, in which cutoffs and windows do "
                    "nothing, and which visits every node if tt is off, too"),
            setting("quiescence", &S::quiescence, "play out captures before judging a position (chess)"),
            choice("multi", &S::multi, kMultiNames,
                   "more than two players: all others against me (paranoid), everybody for himself (maxn), or one "
                   "reply of all others together, who else pass (brs) or play their likeliest moves (brs+)"),
            setting("eval", &S::eval,
                    "evaluation of unfinished positions by its name; none: only wins count; ntuple:FILE: a trained "
                    "network"),
            setting("order_plies", &S::order_plies, {0, 200}, "how far from the root a network orders moves")
                .only_with("order"),
            setting("threads", &S::threads, {1, 256}, "threads that search together and share the table"),
            setting("memory", &S::memory, {1, 65536}, "megabytes of the transposition table"));
    }
};

struct AlphaBetaOptions : SettingsOf<AlphaBetaSettings> {
    bool exact_depth = false;  // use only table values of exactly the needed depth: then the value is plain minimax's
    NetworkPtr network;        // evaluates in place of the game's own evaluation, where there is one
    NetworkPtr order;          // orders moves near the root by their values, where there is one

    EvaluationSpec evaluation() const { return {eval, network}; }
};

struct RootMove {
    Move move;
    int value = -kWin;
    std::vector<Move> line;
};

// Best first. A move that only equals a bound of the best one must not overtake it.
inline void sort_by_value(std::vector<RootMove>& moves) {
    std::stable_sort(moves.begin(), moves.end(),
                     [](const RootMove& a, const RootMove& b) { return a.value > b.value; });
}

struct AlphaBetaResult {
    int depth = 0;  // of the last search that was finished; 0: none was
    int value = 0;
    std::vector<Move> line;
    std::vector<RootMove> moves;  // best first; values of moves but the best are bounds, unless all were asked for
    u64 nodes = 0;                // of all threads; while they run, as of their last look at the clock
};

}  // namespace spielbaum
