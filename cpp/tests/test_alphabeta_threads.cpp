// Alpha-beta with several threads: proven values are those of one thread, and reports and exceptions end it cleanly.
// Small enough for the thread sanitizer (the preset tsan).
#include "check.hpp"
#include "games/catalog.hpp"
#include "searching.hpp"

using namespace spielbaum;
using namespace spielbaum::testing;

namespace {

// Threads share a table, and what they prove does not depend on who wrote what into it: a win or loss has the value
// that one thread finds, distance included.
template <Game G>
int check_threads(const G& game, int positions, int depth, u64 seed) {
    AlphaBetaOptions options;
    options.memory = 1;
    AlphaBeta<G, HashEvaluation> alone(game, {}, options);
    options.threads = 3;
    AlphaBeta<G, HashEvaluation> together(game, {}, options);
    int proven = 0;
    for_random_positions(game, positions, seed, [&](const auto& state, Path& path) {
        alone.clear();
        together.clear();
        const AlphaBetaResult one = search_to(alone, state, path, depth),
                              several = search_to(together, state, path, depth);
        if (std::abs(one.value) >= kWinBound && kWin - std::abs(one.value) <= depth) {
            ++proven;
            CHECK(several.value == one.value);
        }
        CHECK(several.depth >= one.depth || std::abs(several.value) >= kWinBound);
        CHECK(several.nodes > 0);
    });
    return proven;
}

// A report after every depth, and an exception of its ends all threads.
void check_reports() {
    struct Enough {};
    AlphaBetaOptions options;
    options.threads = 2;
    AlphaBeta<ClassicConnect4, HashEvaluation> search(ClassicConnect4{}, {}, options);
    Limits limits;
    limits.depth = 6;
    SearchControl control(limits, nullptr, {});
    int depth = 0;
    search.search(ClassicConnect4::initial(), {}, false, control, [&](const AlphaBetaResult& found) {
        CHECK(found.depth == ++depth);
        CHECK(found.moves.size() == 7 && !found.line.empty());
    });
    CHECK(depth == 6);
    bool thrown = false;
    SearchControl again({}, nullptr, {});
    try {
        search.search(ClassicConnect4::initial(), {}, false, again, [&](const AlphaBetaResult& found) {
            if (found.depth == 8) throw Enough{};
        });
    } catch (const Enough&) {
        thrown = true;
    }
    CHECK(thrown);
}

}  // namespace

int main() {
    CHECK(check_threads(TicTacToe{}, 60, 9, 21) > 10);
    CHECK(check_threads(ClassicConnect4{}, 40, 8, 22) > 5);
    CHECK(check_threads(Reversi<4>{}, 30, 12, 23) > 5);
    CHECK(check_threads(Yavalath(2, false), 30, 4, 24) > 5);
    check_threads(Chess{}, 10, 3, 25);
    check_reports();
    return testing::finish();
}
