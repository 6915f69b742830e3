// What is special to chess: attack tables, keys, clocks, repetition, ends of the game, and FEN.
#include "check.hpp"
#include "core/playout.hpp"
#include "games/chess/chess.hpp"

using namespace spielbaum;
using namespace spielbaum::chess;

namespace {

Position play_texts(Position position, std::initializer_list<const char*> moves) {
    Path path;
    for (const char* text : moves) {
        const auto move = Chess::parse_move(position, text);
        CHECK(move.has_value());
        if (!move) break;
        advance(Chess{}, position, *move, path);
    }
    return position;
}

void check_sliders() {
    Rng rng(5);
    for (Square square = 0; square < 64; ++square)
        for (int i = 0; i < 500; ++i) {
            const u64 occupied = rng.next() & rng.next();
            CHECK(bishop_attacks(square, occupied) == walk_lines(square, true, occupied));
            CHECK(rook_attacks(square, occupied) == walk_lines(square, false, occupied));
        }
    // Every set of blockers of a rook in a corner, and of a bishop in the middle.
    const auto check_all = [](u64 mask, auto&& check) {
        u64 blockers = 0;
        do {
            check(blockers);
            blockers = (blockers - mask) & mask;
        } while (blockers != 0);
    };
    check_all(kRookLines[0], [](u64 blockers) { CHECK(rook_attacks(0, blockers) == walk_lines(0, false, blockers)); });
    check_all(kBishopLines[27],
              [](u64 blockers) { CHECK(bishop_attacks(27, blockers) == walk_lines(27, true, blockers)); });
}

void check_facts_after_every_move() {
    Rng rng(6);
    for (int game = 0; game < 30; ++game) {
        Position position = Chess::initial();
        Path path;
        while (!Chess::over(position)) {
            advance(Chess{}, position, Chess::random_move(position, rng), path);
            CHECK(position.key == compute_key(position));
            CHECK(position.checkers ==
                  attackers(position, position.king(position.turn), !position.turn, position.occupied()));
            CHECK((position.colors[0] & position.colors[1]) == 0);
            u64 all = 0;
            for (const u64 pieces : position.pieces) {
                CHECK((all & pieces) == 0);
                all |= pieces;
            }
            CHECK(all == position.occupied());
        }
    }
}

void check_ends() {
    const auto reason = [](const Position& position) { return Chess::outcome(position).reason; };
    CHECK(reason(play_texts(Chess::initial(), {"f2f3", "e7e5", "g2g4", "d8h4"})) == "checkmate");
    CHECK(reason(FenParser("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").parse()) == "stalemate");
    CHECK(reason(FenParser("7k/8/6K1/8/8/8/8/5B2 b - - 0 1").parse()) == "insufficient material");
    CHECK(reason(FenParser("7k/8/6K1/8/8/8/8/5NN1 b - - 100 80").parse()) == "fifty moves");
    // Mate goes before the fifty-move rule.
    CHECK(reason(FenParser("7k/6Q1/6K1/8/8/8/8/8 b - - 100 80").parse()) == "checkmate");

    Position shuffled = play_texts(Chess::initial(), {"g1f3", "g8f6", "f3g1", "f6g8"});
    CHECK(shuffled.repeats == 1 && !Chess::over(shuffled));
    shuffled = play_texts(Chess::initial(), {"g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"});
    CHECK(Chess::over(shuffled) && reason(shuffled) == "threefold repetition");

    // The first position had an en passant capture, so its like without one is another position.
    const Position start = FenParser("4k3/8/8/8/4p3/8/3P4/4K1N1 w - - 0 1").parse();
    const Position after = play_texts(start, {"d2d4", "e8e7", "g1f3", "e7e8", "f3g1", "e8e7", "g1f3", "e7e8", "f3g1"});
    CHECK(after.repeats == 1 && !Chess::over(after));
}

// A search takes moves back: after an irreversible move and its pop, the path is as it was.
void check_path_goes_back() {
    Position position = Chess::initial();
    Path path;
    for (const char* text : {"g1f3", "g8f6", "f3g1", "f6g8"})
        advance(Chess{}, position, *Chess::parse_move(position, text), path);
    Position pushed = position;
    advance(Chess{}, pushed, *Chess::parse_move(pushed, "e2e4"), path);
    path.pop();
    advance(Chess{}, position, *Chess::parse_move(position, "g1f3"), path);
    CHECK(position.repeats == 1);
}

void check_en_passant_is_stored_only_if_legal() {
    const auto fen_after = [](const char* fen, const char* move) {
        return Chess::notation(play_texts(FenParser(fen).parse(), {move}));
    };
    CHECK(fen_after("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "d2d4") == "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1");
    CHECK(fen_after("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1", "d2d4") == "4k3/8/8/8/3P4/8/8/4K3 b - - 0 1");
    // Both pawns leave the fourth rank at once, which would open it to the rook.
    CHECK(fen_after("8/8/8/8/k3p2R/8/3P4/4K3 w - - 0 1", "d2d4") == "8/8/8/8/k2Pp2R/8/8/4K3 b - - 0 1");
}

void check_castling() {
    const char* both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    CHECK(Chess::notation(play_texts(FenParser(both).parse(), {"e1g1"})) == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1");
    CHECK(Chess::notation(play_texts(FenParser(both).parse(), {"e1a1"})) == "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1");
    CHECK(Chess::notation(play_texts(FenParser(both).parse(), {"h1h8"})) == "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1");
    // Out of, through and into check.
    for (const char* fen :
         {"4k3/8/8/8/4r3/8/8/4K2R w K - 0 1", "4k3/8/8/8/5r2/8/8/4K2R w K - 0 1", "4k3/8/8/8/6r1/8/8/4K2R w K - 0 1"})
        CHECK(!Chess::parse_move(FenParser(fen).parse(), "e1g1"));
    // The rook may pass an attacked square.
    CHECK(Chess::parse_move(FenParser("4k3/8/8/8/1r6/8/8/R3K3 w Q - 0 1").parse(), "e1c1").has_value());
    // Chess960: king takes rook, and king and rook may exchange squares.
    CHECK(Chess::notation(play_texts(FenParser("4k3/8/8/8/8/8/8/5KR1 w K - 0 1").parse(), {"f1g1"})) ==
          "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
}

void check_fen_errors() {
    for (const char* fen : {"",
                            "8/8/8/8/8/8/8/8 w - - 0 1",
                            "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
                            "4k3/8/8/8/8/8/4K3 w - - 0 1",
                            "4k3/9/8/8/8/8/8/4K3 w - - 0 1",
                            "4k3/44/8/8/8/8/8/4K3 w - - 0 1",
                            "4kk2/8/8/8/8/8/8/4K3 w - - 0 1",
                            "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
                            "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
                            "4k3/8/8/8/8/8/8/4K2R w KK - 0 1",
                            "4k3/8/8/8/8/8/8/4K2R w KH - 0 1",
                            "4k3/8/8/8/8/8/8/R3KR1R w HF - 0 1",
                            "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
                            "4k3/8/8/8/8/8/8/4K3 w - e9 0 1",
                            "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1 1",
                            "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
                            "4k3/8/8/8/8/8/8/4K3 w - - x 1",
                            "4k3/8/8/8/8/8/8/4K3 w - - 0 0",
                            "4k3/8/8/8/8/8/8/4K3 w - - 99999 1",
                            "4k3/8/8/8/8/8/8/4Z3 w - - 0 1"})
        CHECK_THROWS(FenParser(fen).parse(), NotationError);
    CHECK(Chess::notation(FenParser("4k3/8/8/8/8/8/8/4K2R w K -").parse()) == "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    // The inner rook of two has the letter of its file.
    CHECK(Chess::notation(FenParser("4k3/8/8/8/8/8/8/4KR1R w F - 0 1").parse()) == "4k3/8/8/8/8/8/8/4KR1R w F - 0 1");
}

}  // namespace

int main() {
    check_sliders();
    check_facts_after_every_move();
    check_ends();
    check_path_goes_back();
    check_en_passant_is_stored_only_if_legal();
    check_castling();
    check_fen_errors();
    return testing::finish();
}
