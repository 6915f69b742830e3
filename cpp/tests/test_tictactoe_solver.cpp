// The tic-tac-toe solver against plain minimax, in every position of the game.
#include <algorithm>
#include <set>
#include <vector>

#include "check.hpp"
#include "search/solver/tictactoe_solver.hpp"

using namespace spielbaum;

namespace {

using State = TicTacToe::State;

State after(State state, Move move) {
    TicTacToe::play(state, move);
    return state;
}

std::vector<Move> legal_moves(const State& state) {
    std::vector<Move> moves(9);
    moves.resize(static_cast<std::size_t>(TicTacToe::legal_moves(state, moves.data())));
    return moves;
}

// The winner scores one for each stone that he keeps, and one for the winning stone.
int minimax(const State& state) {
    if (state.won) return -((9 - state.count) / 2 + 1);
    if (state.count == 9) return 0;
    int best = -9;
    for (const Move move : legal_moves(state)) best = std::max(best, -minimax(after(state, move)));
    return best;
}

void check(TicTacToeSolver& solver, const State& state) {
    SearchControl control({}, nullptr, {});
    const int score = minimax(state);
    CHECK(solver.score(state, control) == score);
    CHECK(solver.outcome(state, control) == (score > 0) - (score < 0));
    const auto scored = solver.moves(state, true, control), signs = solver.moves(state, false, control);
    const auto moves = legal_moves(state);
    CHECK(scored.size() == moves.size() && signs.size() == moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const int value = -minimax(after(state, moves[i]));
        CHECK(scored[i].move == moves[i] && scored[i].score == value);
        CHECK(signs[i].move == moves[i] && signs[i].score == (value > 0) - (value < 0));
    }
    State end = state;
    for (const Move move : solver.best_line(state, score, control)) end = after(end, move);
    CHECK(TicTacToe::over(end));
    CHECK(minimax(end) == (TicTacToe::to_move(end) == TicTacToe::to_move(state) ? score : -score));
}

void check_all(TicTacToeSolver& solver, const State& state, std::set<u64>& seen) {
    if (!seen.insert(TicTacToe::key(state)).second) return;
    check(solver, state);
    for (const Move move : legal_moves(state)) check_all(solver, after(state, move), seen);
}

}  // namespace

int main() {
    TicTacToeSolver solver;
    std::set<u64> seen;
    check_all(solver, TicTacToe::initial(), seen);
    CHECK(seen.size() == 5478);

    TicTacToeSolver fresh;
    SearchControl few({.nodes = 10}, nullptr, {});
    bool stopped = false;
    try {
        fresh.score(TicTacToe::initial(), few);
    } catch (const SearchStopped&) {
        stopped = true;
    }
    CHECK(stopped);
    return testing::finish();
}
