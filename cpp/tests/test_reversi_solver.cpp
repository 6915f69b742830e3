// The Reversi endgame solver against plain minimax, published endgames and its own promises.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "check.hpp"
#include "core/rng.hpp"
#include "search/solver/reversi_solver.hpp"

using namespace spielbaum;

namespace {

constexpr std::size_t kMemory = std::size_t{1} << 20;

SearchControl unlimited() { return SearchControl({}, nullptr, {}); }
SearchControl limited(u64 nodes) { return SearchControl({.nodes = nodes}, nullptr, {}); }

template <int Size>
int count_empties(const typename Reversi<Size>::State& state) {
    return Size * Size - popcount(state.mover) - popcount(state.other);
}

// Stones and the empty cells for the winner, by the rules alone.
template <int Size>
int score_of_finished(const typename Reversi<Size>::State& state) {
    const int lead = popcount(state.mover) - popcount(state.other), empties = count_empties<Size>(state);
    return lead > 0 ? lead + empties : lead < 0 ? lead - empties : 0;
}

template <int Size>
int minimax(const typename Reversi<Size>::State& state) {
    using Game = Reversi<Size>;
    if (Game::over(state)) return score_of_finished<Size>(state);
    std::array<Move, static_cast<std::size_t>(Game::max_moves())> moves;
    const int count = Game::legal_moves(state, moves.data());
    int best = -Size * Size;
    for (int i = 0; i < count; ++i) {
        auto next = state;
        Game::play(next, moves[static_cast<std::size_t>(i)]);
        best = std::max(best, -minimax<Size>(next));
    }
    return best;
}

// A position of random play with so many empty cells; it may be over. Nothing if the game ended before.
template <int Size>
std::optional<typename Reversi<Size>::State> random_position(int empties, Rng& rng) {
    using Game = Reversi<Size>;
    auto state = Game::initial();
    while (count_empties<Size>(state) > empties) {
        if (Game::over(state)) return std::nullopt;
        Game::play(state, Game::random_move(state, rng));
    }
    return state;
}

// Stones anywhere, as no game would leave them but a user may set them up.
template <int Size>
typename Reversi<Size>::State random_setup(int empties, Rng& rng) {
    std::string cells(static_cast<std::size_t>(Size * Size), '-');
    for (int stones = 0; stones < Size * Size - empties;) {
        char& cell = cells[static_cast<std::size_t>(rng.below(Size * Size))];
        if (cell != '-') continue;
        cell = "XO"[rng.below(2)];
        ++stones;
    }
    return Reversi<Size>::parse_state(cells + " X");
}

// Positions of both kinds in turn.
template <int Size, class Use>
void for_random_positions(int least_empties, int most_empties, int number, u64 seed, Use&& use) {
    Rng rng(seed);
    for (int empties = least_empties; empties <= most_empties; ++empties)
        for (int found = 0; found < number; ++found) {
            std::optional<typename Reversi<Size>::State> state;
            while (!state)
                state = found % 2 == 0 ? random_position<Size>(empties, rng) : random_setup<Size>(empties, rng);
            use(*state);
        }
}

template <int Size>
void check_against_minimax(int most_empties, int number) {
    ReversiSolver<Size> solver(kMemory);
    ReversiSolver<Size> without_memory(0);
    for_random_positions<Size>(0, most_empties, number, Size, [&](const auto& state) {
        SearchControl control = unlimited();
        const int score = minimax<Size>(state);
        CHECK(solver.score(state, control) == score);
        CHECK(without_memory.score(state, control) == score);
        CHECK(solver.outcome(state, control) == (score > 0) - (score < 0));
    });
}

// Whatever the window, a value inside is exact, and one outside a true bound on the right side.
template <int Size>
void check_windows() {
    for_random_positions<Size>(4, 11, 4, 100 + Size, [](const auto& state) {
        SearchControl control = unlimited();
        ReversiSolver<Size> solver(kMemory);
        const int score = solver.score(state, control);
        solver.clear();
        Rng rng(static_cast<u64>(score + 200));
        for (int i = 0; i < 30; ++i) {
            const int alpha = rng.below(2 * Size * Size + 8) - Size * Size - 5;
            const int beta = alpha + 1 + (i % 2 == 0 ? 0 : rng.below(20));
            const int value = solver.solve(state, alpha, beta, control);
            CHECK(value <= alpha ? score <= value : value >= beta ? score >= value : score == value);
            CHECK(-Size * Size <= value && value <= Size * Size && value % 2 == 0);  // a score that can be
        }
        CHECK(solver.solve(state, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), control) == score);
    });
}

// moves() against separate searches, and the best line against the score.
template <int Size>
void check_moves() {
    using Game = Reversi<Size>;
    for_random_positions<Size>(0, 12, 4, 200 + Size, [](const auto& state) {
        SearchControl control = unlimited();
        ReversiSolver<Size> solver(kMemory);
        const auto scored = solver.moves(state, true, control);
        std::array<Move, static_cast<std::size_t>(Game::max_moves())> moves;
        const int count = Game::legal_moves(state, moves.data());
        CHECK(static_cast<int>(scored.size()) == count);
        const auto signs = ReversiSolver<Size>(kMemory).moves(state, false, control);
        CHECK(signs.size() == scored.size());
        int best = -Size * Size;
        for (std::size_t i = 0; i < scored.size(); ++i) {
            auto next = state;
            Game::play(next, scored[i].move);
            ReversiSolver<Size> another(kMemory);
            CHECK(scored[i].move == moves[i]);
            CHECK(scored[i].score == -another.score(next, control));
            CHECK(signs[i].move == moves[i]);
            CHECK(signs[i].score == (scored[i].score > 0) - (scored[i].score < 0));
            best = std::max(best, scored[i].score);
        }
        const int score = solver.score(state, control);
        CHECK(count == 0 || score == best);

        auto end = state;
        ReversiSolver<Size> fresh(kMemory);
        for (const Move move : fresh.best_line(state, score, control)) {
            CHECK(Game::move(end, move).has_value());
            Game::play(end, move);
        }
        CHECK(Game::over(end));
        CHECK(score_of_finished<Size>(end) == (end.to_move == state.to_move ? score : -score));
    });
}

// FFO endgame suite, positions 1, 4, 8, 12, 20, 21 and 22 (fforum-1-19.obf, fforum-20-39.obf): every legal move with
// its score for the side to move.
constexpr std::array<std::string_view, 7> kPublished{
    "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X;"
    " G8:+18; H1:+12; H7:+6; A2:+6; A3:+4; B1:-4; A4:-22; G2:-24;",
    "-XXXXXX-X-XXXOO-XOXXXOOXXXOXOOOX-OXOOXXX--OOOXXX--OOXX----XOXXO- X;"
    " H8:+0; A5:+0; B6:-4; B7:-4; A6:-8; B2:-12; H2:-26;",
    "---X-X--X-XXXX--XXXXOXXXXXXOOOOOXXOXXXO-XOXXXXO-XOOXXX--XOOXXO-- O;"
    " E1:+8; H2:+4; G2:+4; B2:+4; G7:+4; B1:+2; G1:-6; C1:-8;",
    "--O--O--X-OOOOX-XXOOOXOOXXOXOXOOXXOXXOOOXXXXOOOO--OXXX---XXXXX-- O;"
    " B7:-8; A7:-10; G7:-14; G8:-14; H2:-16; G1:-16; H1:-20;",
    "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X; H5:+6; G6:-2; F6:-4; H6:-10;",
    "OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O; G5:+0; G2:-2; G4:-4; G6:-6;",
    "--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O;"
    " G8:+2; A6:+0; F8:-4; A7:-4; H2:-4; B2:-6; D8:-8; B7:-14; G7:-26;",
};

void check_published(ReversiSolver<8>& solver) {
    for (const std::string_view line : kPublished) {
        SearchControl control = unlimited();
        const auto state = Reversi<8>::parse_state(line);
        const auto scored = solver.moves(state, true, control);
        std::size_t listed = 0;
        for (std::string_view rest = line.substr(line.find(';') + 1); rest.find(':') != rest.npos; ++listed) {
            const auto colon = rest.find(':');
            const auto move = Reversi<8>::parse_move(state, rest.substr(1, colon - 1));
            const int score = std::atoi(rest.data() + colon + 1);
            CHECK(std::any_of(scored.begin(), scored.end(),
                              [&](const auto& entry) { return move == entry.move && entry.score == score; }));
            rest.remove_prefix(rest.find(';') + 1);
        }
        CHECK(listed == scored.size());
    }
}

// A limit is kept to the node and leaves a solver that answers correctly; equal searches take equal nodes.
void check_stops() {
    const auto state = Reversi<8>::parse_state(kPublished[2]);
    ReversiSolver<8> solver(kMemory);
    SearchControl whole = unlimited();
    CHECK(solver.score(state, whole) == 8);
    solver.clear();
    u64 stops = 0;
    for (u64 nodes = 1; nodes < whole.nodes(); nodes = nodes * 3 / 2 + 1) {
        SearchControl control = limited(nodes);
        try {
            CHECK(solver.score(state, control) == 8);  // what earlier attempts left in the table may be enough
        } catch (const SearchStopped&) {
            ++stops;
            CHECK(control.nodes() == nodes);
        }
    }
    CHECK(stops > 10);
    SearchControl again = unlimited();
    CHECK(solver.score(state, again) == 8);
    check_published(solver);

    solver.clear();
    SearchControl repeated = unlimited();
    CHECK(solver.score(state, repeated) == 8);
    CHECK(repeated.nodes() == whole.nodes());
}

// A stone that is called stable is there at the end, however the game goes on.
template <int Size>
void check_stability() {
    using Game = Reversi<Size>;
    const ReversiStability<Size> stability;
    Rng rng(300 + Size);
    int most = 0;
    for_random_positions<Size>(1, Size * Size / 2, 30, 400 + Size, [&](const auto& start) {
        std::array<typename Game::Board, 2> stable{};
        auto state = start;
        while (true) {
            const std::size_t mover = state.to_move, other = 1 - mover;
            CHECK((stable[mover] & ~state.mover) == 0 && (stable[other] & ~state.other) == 0);
            stable[mover] |= stability.stable(state.mover, state.other);
            stable[other] |= stability.stable(state.other, state.mover);
            CHECK((stable[mover] & ~state.mover) == 0 && (stable[other] & ~state.other) == 0);
            if (Game::over(state)) break;
            Game::play(state, Game::random_move(state, rng));
        }
        most = std::max(most, popcount(stable[0]) + popcount(stable[1]));
    });
    CHECK(most == Size * Size);  // on a full board every stone is stable
}

// The game of 4 x 4 from its start, which is small enough for minimax.
void check_whole_game() {
    ReversiSolver<4> solver(kMemory);
    SearchControl control = unlimited();
    CHECK(solver.score(Reversi<4>::initial(), control) == minimax<4>(Reversi<4>::initial()));
}

}  // namespace

int main() {
    check_against_minimax<4>(9, 60);
    check_against_minimax<6>(9, 60);
    check_against_minimax<8>(9, 60);
    check_against_minimax<10>(8, 4);
    check_whole_game();
    check_windows<4>();
    check_windows<6>();
    check_windows<8>();
    check_moves<4>();
    check_moves<6>();
    check_moves<8>();
    check_stability<4>();
    check_stability<6>();
    check_stability<8>();
    check_stability<10>();
    ReversiSolver<8> solver(16 * kMemory);
    check_published(solver);
    check_stops();
    return testing::finish();
}
