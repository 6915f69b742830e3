// Alpha-beta gives plain minimax's value, whatever is switched on; and it finds wins, stops, and repeats itself.
#include <memory>

#include "check.hpp"
#include "games/catalog.hpp"
#include "searching.hpp"

using namespace spielbaum;
using namespace spielbaum::testing;

namespace {

template <Game G>
int minimax(const G& game, const typename G::State& state, Path& path, int depth, int ply) {
    if (game.over(state)) {
        const double reward = game.outcome(state).rewards[static_cast<std::size_t>(game.to_move(state))];
        return reward > 0 ? kWin - ply : reward < 0 ? -(kWin - ply) : 0;
    }
    if (depth == 0) return HashEvaluation{}(game, state);
    std::vector<Move> moves(static_cast<std::size_t>(game.max_moves()));
    moves.resize(static_cast<std::size_t>(game.legal_moves(state, moves.data())));
    int best = -kWin;
    for (const Move move : moves) {
        auto next = state;
        advance(game, next, move, path);
        const int value = minimax(game, next, path, depth - 1, ply + 1);
        best = std::max(best, game.to_move(next) == game.to_move(state) ? value : -value);
        if constexpr (Repeats<G>) path.pop();
    }
    return best;
}

AlphaBetaOptions options_of(unsigned bits) {
    AlphaBetaOptions options;
    options.iterative = (bits & 1) != 0;
    options.table = (bits & 2) != 0;
    options.cutoffs = (bits & 4) != 0;
    options.ordering = (bits & 8) != 0;
    options.windows = (bits & 16) != 0;
    options.pruning = (bits & 32) == 0;
    options.quiescence = false;
    options.exact_depth = true;
    options.memory.bytes = 1 << 12;  // so small that entries are replaced
    return options;
}

// Every combination of switches gives minimax's value. `depth(state)` keeps the work of wide positions small.
template <Game G, class Depth>
void check_against_minimax(const G& game, int positions, Depth&& depth, u64 seed) {
    std::vector<std::unique_ptr<AlphaBeta<G, HashEvaluation>>> searches;
    // Without pruning, cutoffs and windows do nothing, and are left out.
    for (unsigned bits = 0; bits < 64; ++bits)
        if ((bits & 32) == 0 || (bits & 20) == 0)
            searches.push_back(
                std::make_unique<AlphaBeta<G, HashEvaluation>>(game, HashEvaluation{}, options_of(bits)));
    for_random_positions(game, positions, seed, [&](const auto& state, Path& path) {
        const int plies = depth(state);
        const int expected = minimax(game, state, path, plies, 0);
        for (auto& search : searches) {
            search->clear();
            const AlphaBetaResult result = search_to(*search, state, path, plies);
            CHECK(result.value == expected);
            CHECK(!result.line.empty() && result.line.front() == result.moves.front().move);
        }
        // With all values asked for, every move has the value of its child.
        auto& all_on = *searches[31];
        all_on.clear();
        for (const RootMove& move : search_to(all_on, state, path, plies, true).moves) {
            auto next = state;
            advance(game, next, move.move, path);
            const int value = minimax(game, next, path, plies - 1, 1);
            CHECK(move.value == (game.to_move(next) == game.to_move(state) ? value : -value));
            if constexpr (Repeats<G>) path.pop();
        }
    });
}

void check_tictactoe_is_drawn() {
    AlphaBeta<TicTacToe, HashEvaluation> search(TicTacToe{}, {}, {});
    SearchControl control({}, nullptr, {});
    const AlphaBetaResult result = search.search(TicTacToe::initial(), {}, false, control);
    CHECK(result.value == 0 && result.line.size() == 9);
    CHECK(result.depth == 9);  // then all is known
}

// Without pruning and table every node is visited, once for each depth.
void check_plain_minimax_visits_all() {
    AlphaBetaOptions options;
    options.pruning = options.table = options.iterative = false;
    constexpr u64 kPositions[] = {9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872};  // after 1 to 9 plies
    u64 expected = 0;
    for (int depth = 1; depth <= 9; ++depth) {
        expected += kPositions[depth - 1];
        AlphaBeta<TicTacToe, HashEvaluation> search(TicTacToe{}, {}, options);
        const AlphaBetaResult result = search_to(search, TicTacToe::initial(), {}, depth);
        CHECK(result.nodes == expected);
    }
    options.iterative = true;
    AlphaBeta<TicTacToe, HashEvaluation> search(TicTacToe{}, {}, options);
    CHECK(search_to(search, TicTacToe::initial(), {}, 3).nodes == 9 + (9 + 72) + (9 + 72 + 504));
}

// clear() leaves nothing behind: the next search takes the nodes of a new object's.
void check_clear() {
    const ClassicConnect4 game;
    AlphaBeta<ClassicConnect4, HashEvaluation> search(game, {}, {});
    const u64 nodes = search_to(search, game.initial(), {}, 9).nodes;
    CHECK(search_to(search, game.initial(), {}, 9).nodes < nodes);
    search.clear();
    CHECK(search_to(search, game.initial(), {}, 9).nodes == nodes);
}

void check_mates() {
    AlphaBeta<Chess, HashEvaluation> search(Chess{}, {}, {});
    const auto mate_in = [&](const char* fen, int plies) {
        Limits limits;
        limits.depth = plies;
        SearchControl control(limits, nullptr, {});
        const AlphaBetaResult result = search.search(Chess::parse_state(fen), {}, false, control);
        CHECK(result.value == kWin - plies);
        CHECK(static_cast<int>(result.line.size()) == plies);
    };
    mate_in("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1);
    mate_in("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3);
}

// Without quiescence the queen takes a defended pawn at depth 1; with it she sees the answer.
void check_quiescence() {
    struct Material {
        int operator()(const Chess&, const chess::Position& position) const {
            int value = 0;
            for (const auto& [piece, worth] : {std::pair{chess::kPawn, 100}, {chess::kQueen, 900}})
                value += worth *
                         (popcount(position.of(position.turn, piece)) - popcount(position.of(!position.turn, piece)));
            return value;
        }
    };
    const auto state = Chess::parse_state("4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1");
    for (const bool on : {false, true}) {
        AlphaBetaOptions options;
        options.quiescence = on;
        AlphaBeta<Chess, Material> search(Chess{}, {}, options);
        Limits limits;
        limits.depth = 1;
        SearchControl control(limits, nullptr, {});
        const AlphaBetaResult result = search.search(state, {}, false, control);
        CHECK((Chess::move_text(state, result.line.front()) == "d2d6") == !on);
        CHECK(result.value == (on ? 700 : 800));
    }
}

void check_limits_and_repeatability() {
    const ClassicConnect4 game;
    const auto run = [&](u64 nodes) {
        AlphaBeta<ClassicConnect4, HashEvaluation> search(game, {}, {});
        SearchControl control({nodes}, nullptr, {});
        const AlphaBetaResult result = search.search(game.initial(), {}, false, control);
        CHECK(control.nodes() == nodes);
        return std::tuple(result.depth, result.value, result.line);
    };
    CHECK(run(100000) == run(100000));
    CHECK(std::get<0>(run(1000)) < std::get<0>(run(100000)));
}

}  // namespace

int main() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr int kShare = 40;  // a sanitizer makes everything some ten times slower
#else
    constexpr int kShare = 1;
#endif
    const auto share = [](int positions) { return std::max(1, positions / kShare); };
    const auto plies = [](int count) { return [count](const auto&) { return count; }; };
    check_against_minimax(TicTacToe{}, share(2000), plies(3), 1);
    check_against_minimax(TicTacToe{}, share(30), plies(5), 11);
    check_against_minimax(ClassicConnect4{}, share(2000), plies(3), 2);
    check_against_minimax(ClassicConnect4{}, share(20), plies(5), 12);
    check_against_minimax(Connect4<u128, AnySize>(AnySize(7, 9, 4)), share(100), plies(3), 3);
    check_against_minimax(Reversi<8>{}, share(2000), plies(2), 4);
    check_against_minimax(Reversi<8>{}, share(20), plies(4), 14);
    check_against_minimax(Reversi<4>{}, share(200), plies(5), 5);  // many passes
    check_against_minimax(
        Yavalath(2, false), share(2000), [](const Yavalath::State& state) { return state.stones[0] == 0 ? 1 : 2; }, 6);
    check_against_minimax(Yavalath(2, true), share(100), plies(2), 7);
    check_against_minimax(Chess{}, share(2000), plies(2), 8);
    check_against_minimax(Chess{}, share(10), plies(3), 18);
    check_tictactoe_is_drawn();
    check_plain_minimax_visits_all();
    check_clear();
    check_mates();
    check_quiescence();
    check_limits_and_repeatability();
    return testing::finish();
}
