// Alpha-beta gives plain minimax's value, whatever is switched on; and it finds wins, stops, and repeats itself.
#include "check.hpp"
#include "core/playout.hpp"
#include "games/catalog.hpp"
#include "search/alphabeta/alphabeta.hpp"

using namespace spielbaum;

namespace {

// A hash of the position: the hardest evaluation to guess, and the same whatever way leads to it.
struct HashEvaluation {
    template <Game G>
    int operator()(const G& game, const typename G::State& state) const {
        return static_cast<int>(mix(game.key(state)) % 401) - 200;
    }
};

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
    options.quiescence = false;
    options.exact_depth = true;
    options.memory = 1 << 16;  // so small that entries are replaced
    return options;
}

template <Game G>
void check_against_minimax(const G& game, int positions, int depth, u64 seed) {
    Rng rng(seed);
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    for (int i = 0; i < positions; ++i) {
        auto state = game.initial();
        Path path;
        const int plies = rng.below(40);
        for (int ply = 0; ply < plies && !game.over(state); ++ply)
            advance(game, state, random_move(game, state, rng, buffer.data()), path);
        if (game.over(state)) continue;
        const int expected = minimax(game, state, path, depth, 0);
        for (unsigned bits = 0; bits < 32; ++bits) {
            AlphaBeta<G, HashEvaluation> search(game, {}, options_of(bits));
            Limits limits;
            limits.depth = depth;
            SearchControl control(limits, nullptr, {});
            const AlphaBetaResult result = search.search(state, path, false, control);
            CHECK(result.value == expected);
            CHECK(!result.line.empty() && result.line.front() == result.moves.front().move);
        }
        // With all values asked for, every move has the value of its child.
        AlphaBeta<G, HashEvaluation> search(game, {}, options_of(31));
        Limits limits;
        limits.depth = depth;
        SearchControl control(limits, nullptr, {});
        for (const RootMove& move : search.search(state, path, true, control).moves) {
            auto next = state;
            advance(game, next, move.move, path);
            const int value = minimax(game, next, path, depth - 1, 1);
            CHECK(move.value == (game.to_move(next) == game.to_move(state) ? value : -value));
            if constexpr (Repeats<G>) path.pop();
        }
    }
}

void check_tictactoe_is_drawn() {
    AlphaBeta<TicTacToe, HashEvaluation> search(TicTacToe{}, {}, {});
    SearchControl control({}, nullptr, {});
    const AlphaBetaResult result = search.search(TicTacToe::initial(), {}, false, control);
    CHECK(result.value == 0 && result.line.size() == 9);
    CHECK(result.depth == 9);  // then all is known
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
                value += worth * (popcount(position.of(position.turn, piece)) - popcount(position.of(!position.turn, piece)));
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
    check_against_minimax(TicTacToe{}, 60, 4, 1);
    check_against_minimax(ClassicConnect4{}, 40, 4, 2);
    check_against_minimax(Connect4<u128, AnySize>(AnySize(7, 9, 4)), 10, 3, 3);
    check_against_minimax(Reversi<8>{}, 20, 3, 4);
    check_against_minimax(Reversi<4>{}, 30, 5, 5);  // many passes
    check_against_minimax(Yavalath(2, false), 4, 2, 6);
    check_against_minimax(Yavalath(2, true), 4, 2, 7);
    check_against_minimax(Chess{}, 15, 3, 8);
    check_tictactoe_is_drawn();
    check_mates();
    check_quiescence();
    check_limits_and_repeatability();
    return testing::finish();
}
