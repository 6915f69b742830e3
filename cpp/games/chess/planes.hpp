// Feature planes of a chess position. Row 0 is rank 8, as the board is drawn.
//
// "own", the default, 21 planes:
//    0..5   pieces of the side to move: pawns, knights, bishops, rooks, queens, king;   6..11  the opponent's
//      12   empty squares                                        13..16  castling: own short, own long, the other's
//      17   the square of a legal en passant capture                 18  halfmove clock / 100
//      19   earlier occurrences of this position / 2                 20  1 if white moves (pawns have a direction)
//
// "s4", the 21 planes of the chess document (S4, 4.1), absolute as printed there:
//    0..11  white pawns, knights, bishops, rooks, queens, king, then black's
//      12   the square of a legal en passant capture             13..16  castling: white short, long, black short, long
//      17   white moves      18   black moves
//      19   the fifty-move draw could be claimed                     20  a threefold repetition could be claimed
#pragma once

#include <algorithm>

#include "core/game.hpp"
#include "games/chess/play.hpp"

namespace spielbaum::chess {

inline constexpr std::array<Encoding, 2> kEncodings{{{"own", {21, 8, 8}, 13}, {"s4", {21, 8, 8}}}};

inline void set_plane(float* out, int plane, u64 squares) {
    while (squares != 0) {
        const Square square = pop_lowest(squares);
        out[plane * 64 + (7 - rank_of(square)) * 8 + file_of(square)] = 1.0f;
    }
}

inline void fill_plane(float* out, int plane, float value) { std::fill_n(out + plane * 64, 64, value); }

// Rights of `first`, short and long, then of the other colour, in four planes.
inline void write_castling_planes(const Position& position, Color first, float* out, int plane) {
    for (const Color color : {first, !first}) {
        const u64 rights = position.castling & position.colors[color];
        const u64 left_of_king = bit_of(position.king(color)) - 1;
        fill_plane(out, plane++, (rights & ~left_of_king) != 0 ? 1.0f : 0.0f);
        fill_plane(out, plane++, (rights & left_of_king) != 0 ? 1.0f : 0.0f);
    }
}

inline void write_piece_planes(const Position& position, Color first, float* out) {
    int plane = 0;
    for (const Color color : {first, !first})
        for (int piece = kPawn; piece <= kKing; ++piece)
            set_plane(out, plane++, position.of(color, static_cast<Piece>(piece)));
}

inline u64 en_passant_set(const Position& position) {
    return position.en_passant == 64 ? 0 : bit_of(position.en_passant);
}

inline void write_own_planes(const Position& position, float* out) {
    std::fill_n(out, 21 * 64, 0.0f);
    write_piece_planes(position, position.turn, out);
    set_plane(out, 12, ~position.occupied());
    write_castling_planes(position, position.turn, out, 13);
    set_plane(out, 17, en_passant_set(position));
    fill_plane(out, 18, static_cast<float>(std::min<int>(position.halfmove_clock, kClockLimit)) / kClockLimit);
    fill_plane(out, 19, static_cast<float>(position.repeats) / 2.0f);
    fill_plane(out, 20, position.turn == kWhite ? 1.0f : 0.0f);
}

inline bool stuck(const Position& position) {
    return position.status == Status::checkmate || position.status == Status::stalemate;
}

// Is there a legal move after which `holds(next)`? The two claims of the rules are of this form.
template <class Predicate>
bool any_next(const Position& position, Predicate&& holds) {
    std::array<Move, kMaxMoves> moves;
    MoveWriter writer(moves.data());
    generate_legal(position, writer);
    return std::any_of(moves.data(), moves.data() + writer.count(), [&](Move move) {
        Position next = position;
        play_move(next, move);
        return holds(next);
    });
}

// python-chess's can_claim_fifty_moves: the clock is at 100, or a move can bring it there, and play could go on.
inline bool can_claim_fifty_moves(const Position& position) {
    if (position.halfmove_clock >= kClockLimit) return !stuck(position);
    if (position.halfmove_clock < kClockLimit - 1) return false;
    return any_next(position, [](const Position& next) { return next.halfmove_clock >= kClockLimit && !stuck(next); });
}

// python-chess's can_claim_threefold_repetition: the position stands for the third time, or a move can bring one
// about that does. `path` holds the keys of the positions before this one.
inline bool can_claim_threefold(const Position& position, const Path& path) {
    if (position.repeats >= 2) return true;
    return any_next(position, [&](const Position& next) {
        // The position itself, one ply back, has the other side to move and cannot be equal.
        return next.halfmove_clock > 0 && path.count(next.key, next.halfmove_clock - 1) >= 2;
    });
}

inline void write_s4_planes(const Position& position, const Path& path, float* out) {
    std::fill_n(out, 21 * 64, 0.0f);
    write_piece_planes(position, kWhite, out);
    set_plane(out, 12, en_passant_set(position));
    write_castling_planes(position, kWhite, out, 13);
    fill_plane(out, position.turn == kWhite ? 17 : 18, 1.0f);
    fill_plane(out, 19, can_claim_fifty_moves(position) ? 1.0f : 0.0f);
    fill_plane(out, 20, can_claim_threefold(position, path) ? 1.0f : 0.0f);
}

}  // namespace spielbaum::chess
