// Playing a move: the one function that changes a position, and the facts that it keeps up to date.
#pragma once

#include "games/chess/movegen.hpp"

namespace spielbaum::chess {

inline void put(Position& position, Color color, int piece, Square square) {
    position.pieces[static_cast<std::size_t>(piece)] ^= bit_of(square);
    position.colors[color] ^= bit_of(square);
    position.key ^= piece_key(color, piece, square);
}
// Putting a piece is its own inverse; the second name says what is meant.
inline void take(Position& position, Color color, int piece, Square square) { put(position, color, piece, square); }

// Sets en passant if a capture on `target` is legal. A position in which it is not is the same as one without the
// double push, which matters for repetitions.
inline void set_en_passant(Position& position, Square target) {
    if (en_passant_captors(position, target) == 0) return;
    position.en_passant = static_cast<std::uint8_t>(target);
    position.key ^= en_passant_key(target);
}

// Every enemy slider on a line with the king gives check, or pins the one own piece between, or does nothing. Looking
// along those few lines is cheaper than looking up what the king's square attacks.
inline void find_checks_and_pins(Position& position) {
    const Color us = position.turn, them = !us;
    const Square king = position.king(us);
    const auto at = static_cast<std::size_t>(king);
    const u64 enemies = position.colors[them], occupied = position.occupied(), queens = position.pieces[kQueen];
    position.checkers = enemies & ((kKnightAttacks[at] & position.pieces[kKnight]) |
                                   (pawn_attacks(us, bit_of(king)) & position.pieces[kPawn]));
    position.pinned = 0;
    u64 sliders = enemies & ((kBishopLines[at] & (position.pieces[kBishop] | queens)) |
                             (kRookLines[at] & (position.pieces[kRook] | queens)));
    while (sliders != 0) {
        const Square slider = pop_lowest(sliders);
        const u64 blockers = between(king, slider) & occupied;
        if (blockers == 0)
            position.checkers |= bit_of(slider);
        else if (!more_than_one(blockers))
            position.pinned |= blockers & position.colors[us];
    }
}

// Mate goes before any draw.
inline void find_status(Position& position) {
    if (!has_legal_move(position))
        position.status = position.checkers != 0 ? Status::checkmate : Status::stalemate;
    else if (insufficient_material(position))
        position.status = Status::insufficient_material;
    else if (position.halfmove_clock >= kClockLimit)
        position.status = Status::fifty_moves;
}

inline void play_move(Position& position, Move move) {
    const Color us = position.turn, them = !us;
    const Square from = from_of(move), to = to_of(move);
    const int kind = kind_of(move);
    const bool by_pawn = kind == kPlainPawn || (kind >= kDoublePush && kind < kCastling);

    position.key ^= en_passant_key(position.en_passant) ^ kBlackToMoveKey;
    position.en_passant = 64;
    bool irreversible = by_pawn;

    if (kind == kCastling) {
        const auto [king_to, rook_to] = castling_squares(from, to);
        // Both leave before either arrives: in Chess960 they may exchange squares.
        take(position, us, kKing, from);
        take(position, us, kRook, to);
        put(position, us, kKing, king_to);
        put(position, us, kRook, rook_to);
    } else {
        const Square victim_square = kind != kEnPassant ? to : us == kWhite ? to - 8 : to + 8;
        if (contains(position.colors[them], victim_square)) {
            take(position, them, position.piece_at(victim_square), victim_square);
            irreversible = true;
        }
        take(position, us, by_pawn ? kPawn : kind, from);
        put(position, us, is_promotion(move) ? promoted_piece(move) : by_pawn ? kPawn : kind, to);
    }

    u64 lost_rights = position.castling & (bit_of(from) | bit_of(to));
    if (kind == kKing || kind == kCastling) lost_rights |= position.castling & position.colors[us];
    if (lost_rights != 0) {
        position.castling ^= lost_rights;
        position.key ^= castling_key(lost_rights);
    }

    position.halfmove_clock = irreversible ? 0 : static_cast<std::uint16_t>(position.halfmove_clock + 1);
    if (us == kBlack && position.fullmove < kLastMoveNumber) ++position.fullmove;
    position.turn = them;
    position.repeats = 0;
    find_checks_and_pins(position);
    if (kind == kDoublePush) set_en_passant(position, (from + to) / 2);
    find_status(position);
}

}  // namespace spielbaum::chess
