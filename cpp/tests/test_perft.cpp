// Counts of move sequences that are known from elsewhere (tests/data/ names the sources).
#include "check.hpp"
#include "core/perft.hpp"
#include "games/catalog.hpp"

using namespace spielbaum;

namespace {

template <Game G>
void check_counts(const G& game, const typename G::State& state, std::initializer_list<u64> counts) {
    int depth = 0;
    for (const u64 count : counts) CHECK(perft(game, state, ++depth, [] {}) == count);
}

void check_fen(const char* fen, std::initializer_list<u64> counts) {
    check_counts(Chess{}, Chess::parse_state(fen), counts);
}

}  // namespace

int main() {
    check_counts(TicTacToe{}, TicTacToe::initial(),
                 {9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872});
    check_counts(ClassicConnect4{}, ClassicConnect4::initial(), {7, 49, 343, 2401, 16807, 117649, 823536});
    check_counts(Reversi<8>{}, Reversi<8>::initial(), {4, 12, 56, 244, 1396, 8200, 55092});
    check_counts(Yavalath{}, Yavalath::initial(), {61, 3660, 215940});
    check_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", {20, 400, 8902, 197281});
    check_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", {48, 2039, 97862});
    check_fen("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", {14, 191, 2812, 43238});
    check_fen("r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1", {23, 522, 12333});
    check_fen("r2r3k/p7/3p4/8/8/P6P/8/R3K2R b KQq - 0 1", {14, 206, 3672, 64639});

    // The path is given up where poll() throws.
    struct Stop {};
    int polls = 0;
    const auto stop = [&] {
        if (++polls == 3) throw Stop{};
    };
    CHECK_THROWS(perft(ClassicConnect4{}, ClassicConnect4::initial(), 7, stop), Stop);
    return testing::finish();
}
