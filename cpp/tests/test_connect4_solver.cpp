// The solver against plain minimax on small boards, and its behaviour when it is stopped.
#include "check.hpp"
#include "search/solver/connect4_solver.hpp"

using namespace spielbaum;

namespace {

template <class Rules>
int minimax(const Rules& game, const typename Rules::State& state) {
    const int cells = game.num_cells();
    if (state.won) return -((cells + 2 - state.count) / 2);
    if (game.over(state)) return 0;
    std::array<Move, 16> moves;
    const int count = game.legal_moves(state, moves.data());
    int best = -cells;
    for (int i = 0; i < count; ++i) {
        auto next = state;
        game.play(next, moves[static_cast<std::size_t>(i)]);
        best = std::max(best, -minimax(game, next));
    }
    return best;
}

constexpr int sign(int value) { return (value > 0) - (value < 0); }

// Random positions with at most `open` empty cells.
template <class Board>
void check_board(int rows, int columns, int inarow, int open, int positions, u64 seed) {
    using Rules = Connect4<Board, AnySize>;
    const Rules game(AnySize(rows, columns, inarow));
    Connect4Solver<Board, AnySize> solver(game, 1 << 20);
    SearchControl control({}, nullptr, {});
    Rng rng(seed);
    for (int i = 0; i < positions; ++i) {
        auto state = game.initial();
        const int stones = std::max(0, game.num_cells() - open) + rng.below(3);
        while (!game.over(state) && state.count < stones) game.play(state, game.random_move(state, rng));
        if (game.num_cells() - state.count > open) continue;  // ended early
        const int score = minimax(game, state);
        CHECK(solver.score(state, control) == score);
        CHECK(solver.outcome(state, control) == sign(score));
        int best = -1000;
        for (const auto& [move, value] : solver.moves(state, true, control)) {
            auto next = state;
            game.play(next, move);
            CHECK(value == -minimax(game, next));
            best = std::max(best, value);
        }
        if (!game.over(state)) CHECK(best == score);
        // The line of best play keeps the score to the end.
        auto end = state;
        int expected = score;
        for (const Move move : solver.best_line(state, score, control)) {
            game.play(end, move);
            expected = -expected;
            CHECK(minimax(game, end) == expected);
        }
        CHECK(game.over(end));
    }
}

void check_stopping() {
    const ClassicConnect4 game;
    Connect4Solver<u64, ClassicSize> solver(game, 1 << 22);
    auto state = game.initial();
    for (const char column : {'3', '2', '1', '6', '4', '6', '2', '5'})
        game.play(state, static_cast<Move>(column - '1'));
    for (const u64 limit : {u64{1}, u64{100}, u64{5000}}) {
        SearchControl limited({limit}, nullptr, {});
        CHECK_THROWS(solver.score(state, limited), SearchStopped);
        CHECK(limited.nodes() == limit);
    }
    std::atomic<bool> stop = true;
    SearchControl stopped({}, &stop, {});
    CHECK_THROWS(solver.score(game.initial(), stopped), SearchStopped);
    SearchControl free({}, nullptr, {});
    CHECK(solver.score(state, free) == 11);  // from Pons' test set "beginning, easy"
}

}  // namespace

int main() {
    check_board<u64>(4, 4, 4, 9, 60, 1);
    check_board<u64>(4, 4, 3, 9, 60, 2);
    check_board<u64>(5, 3, 3, 9, 60, 3);
    check_board<u64>(3, 5, 2, 9, 60, 4);
    check_board<u64>(4, 5, 4, 9, 60, 5);
    check_board<u64>(2, 8, 5, 10, 60, 6);
    check_board<u64>(6, 7, 4, 9, 100, 7);
    check_board<u64>(15, 4, 6, 8, 40, 8);
    check_board<u128>(6, 7, 4, 9, 100, 9);
    check_board<u128>(7, 9, 5, 8, 40, 10);
    check_board<u64>(3, 3, 20, 9, 10, 11);  // nobody can win
    check_stopping();
    return testing::finish();
}
