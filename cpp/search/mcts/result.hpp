// What a Monte-Carlo tree search has found, and which move it takes.
#pragma once

#include <algorithm>
#include <vector>

#include "search/mcts/settings.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

struct MctsMove {
    Move move;
    std::uint32_t visits = 0;
    double mean = 0.0;  // for the player who moves
    Proof proof = Proof::unknown;
    double prior = 0.0;   // where priors are used
    double policy = 0.0;  // what a network should learn: the share of visits, or the improved policy of a Gumbel root
    std::vector<Move> line{};  // begins with the move
    Tree::Index edge = 0;
    double score = 0.0;  // by the selection rule without exploration, where that decides

    double value() const { return proof == Proof::unknown ? mean : proven_value(proof); }
};

struct MctsResult {
    u64 iterations = 0;
    double value = 0.0;
    Proof proof = Proof::unknown;
    std::vector<MctsMove> moves;  // the chosen one first
    std::size_t nodes = 0, bytes = 0;
    bool full = false;  // the memory was used up, and the tree grew no more
    u64 kept = 0;       // visits of the root from earlier searches
};

// A part of a tree: moves in rows, each after the one that leads to it.
struct MctsTreeRow {
    int parent = -1;  // row of the move before; -1: the root
    int action = 0;
    std::uint32_t visits = 0;
    double value = 0.0;  // for the player who moves
    Proof proof = Proof::unknown;
    double prior = 0.0;
};

// The best final choice first: a proven win, what is searched by the final rule, a proven loss. A proven draw, which is
// not visited any more, comes before what is searched if the best of that is worth less. Of moves that were never tried
// the likeliest comes first: after one visit of the root its priors are all that is known.
inline void rank_moves(std::vector<MctsMove>& moves, FinalRule rule) {
    // A move that was never tried comes last.
    const auto worth = [](const MctsMove& move) {
        return move.proof == Proof::unknown && move.visits == 0 ? -2.0 : move.value();
    };
    std::stable_sort(moves.begin(), moves.end(), [&](const MctsMove& a, const MctsMove& b) {
        if (rule == FinalRule::select && a.visits > 0 && b.visits > 0 && a.score != b.score) return a.score > b.score;
        if (rule == FinalRule::value && worth(a) != worth(b)) return worth(a) > worth(b);
        if (a.visits != b.visits) return a.visits > b.visits;
        if (worth(a) != worth(b)) return worth(a) > worth(b);
        return a.prior > b.prior;
    });
    const auto searched =
        std::find_if(moves.begin(), moves.end(), [](const MctsMove& move) { return move.proof == Proof::unknown; });
    const bool draws_first = searched != moves.end() && worth(*searched) < 0.0;
    const auto group = [&](const MctsMove& move) {
        switch (move.proof) {
            case Proof::win:
                return 0;
            case Proof::draw:
                return draws_first ? 1 : 3;
            case Proof::unknown:
                return 2;
            default:
                return 4;
        }
    };
    std::stable_sort(moves.begin(), moves.end(),
                     [&](const MctsMove& a, const MctsMove& b) { return group(a) < group(b); });
}

}  // namespace spielbaum
