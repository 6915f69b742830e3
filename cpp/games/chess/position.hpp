// A chess position as a value, the encoding of moves, and what can be asked of a position without generating moves.
#pragma once

#include <array>

#include "core/move.hpp"
#include "core/zobrist.hpp"
#include "games/chess/attacks.hpp"

namespace spielbaum::chess {

enum Color : std::uint8_t { kWhite, kBlack };
constexpr Color operator!(Color color) { return color == kWhite ? kBlack : kWhite; }

enum Piece : std::uint8_t { kPawn, kKnight, kBishop, kRook, kQueen, kKing };
inline constexpr int kNoPiece = 6;

// A move is from (6 bits), to (6 bits) and a kind (4 bits). Plain moves carry the moving piece as their kind, which
// saves a look at the board when the move is played. Castling is written as king takes own rook, which is unique on
// any board; texts and actions use the king's target where king and rook stand on their classic squares.
enum Kind : std::uint8_t {
    kPlainPawn = kPawn,  // 0 to 5: the piece that moves
    kDoublePush = 6,
    kEnPassant = 7,
    kPromotion = 8,  // 8 to 11: to a knight, bishop, rook, queen
    kCastling = 12,
};

constexpr Move make_move(Square from, Square to, int kind) { return static_cast<Move>(from | to << 6 | kind << 12); }
constexpr Square from_of(Move move) { return move & 63; }
constexpr Square to_of(Move move) { return move >> 6 & 63; }
constexpr int kind_of(Move move) { return move >> 12; }
constexpr bool is_promotion(Move move) { return kind_of(move) >= kPromotion && kind_of(move) < kCastling; }
constexpr Piece promoted_piece(Move move) { return static_cast<Piece>(kind_of(move) - kPromotion + kKnight); }

enum class Status : std::uint8_t { ongoing, checkmate, stalemate, insufficient_material, fifty_moves };

// Plies without a capture or a pawn's move after which a game is drawn.
inline constexpr int kClockLimit = 100;

// The highest number that FEN texts are read and written with; the count then stands still.
inline constexpr int kLastMoveNumber = 9999;

struct Position {
    std::array<u64, 6> pieces{};  // by kind, both colours
    std::array<u64, 2> colors{};
    u64 castling = 0;  // rooks that may still castle; a set, because Chess960 lets them start anywhere
    u64 key = 0;       // Zobrist key of all that the position is, without clock and repeats
    u64 checkers = 0;  // enemy pieces that attack the king of the side to move
    u64 pinned = 0;    // own pieces that may only move along the line to their king
    std::uint16_t halfmove_clock = 0;
    std::uint16_t fullmove = 1;
    Color turn = kWhite;
    std::uint8_t en_passant = 64;  // target square, only if an en passant capture is legal; else 64
    std::uint8_t repeats = 0;      // earlier occurrences of this position, set by the driver (core/game.hpp, advance)
    Status status = Status::ongoing;

    // The same position, clock and repeats; the move number is only a label.
    bool operator==(const Position& other) const {
        return pieces == other.pieces && colors == other.colors && castling == other.castling && turn == other.turn &&
               en_passant == other.en_passant && halfmove_clock == other.halfmove_clock && repeats == other.repeats;
    }

    u64 occupied() const { return colors[0] | colors[1]; }
    u64 of(Color color, Piece piece) const { return colors[color] & pieces[piece]; }
    Square king(Color color) const { return lowest(of(color, kKing)); }

    int piece_at(Square square) const {
        for (int piece = kPawn; piece <= kKing; ++piece)
            if (contains(pieces[static_cast<std::size_t>(piece)], square)) return piece;
        return kNoPiece;
    }
};

inline constexpr auto kPieceKeys = zobrist_table<12 * 64>(0x63686573);
inline constexpr auto kCastlingKeys = zobrist_table<64>(0x63617374);
inline constexpr auto kEnPassantKeys = zobrist_table<65>(0x656E7061);
inline constexpr u64 kBlackToMoveKey = combine(0, u64{0x626C61636B});

constexpr u64 piece_key(Color color, int piece, Square square) {
    return kPieceKeys[static_cast<std::size_t>((color * 6 + piece) * 64 + square)];
}
constexpr u64 castling_key(u64 rooks) {
    u64 key = 0;
    while (rooks != 0) key ^= kCastlingKeys[static_cast<std::size_t>(pop_lowest(rooks))];
    return key;
}
constexpr u64 en_passant_key(int square) { return square == 64 ? 0 : kEnPassantKeys[static_cast<std::size_t>(square)]; }

// The key from scratch; play() keeps Position::key equal to it move by move.
inline u64 compute_key(const Position& position) {
    u64 key = castling_key(position.castling) ^ en_passant_key(position.en_passant) ^
              (position.turn == kBlack ? kBlackToMoveKey : 0);
    for (const Color color : {kWhite, kBlack})
        for (int piece = kPawn; piece <= kKing; ++piece)
            for (u64 rest = position.of(color, static_cast<Piece>(piece)); rest != 0;)
                key ^= piece_key(color, piece, pop_lowest(rest));
    return key;
}

// Squares attacked by all pawns of a colour.
constexpr u64 pawn_attacks(Color color, u64 pawns) {
    const u64 forward = color == kWhite ? pawns << 8 : pawns >> 8;
    return ((forward & ~kFileA) >> 1) | ((forward & ~kFileH) << 1);
}

// Pieces of `by` that attack a square, given what is occupied (which may differ from the board in "what if" tests).
inline u64 attackers(const Position& position, Square square, Color by, u64 occupied) {
    const u64 queens = position.pieces[kQueen];
    return position.colors[by] & ((pawn_attacks(!by, bit_of(square)) & position.pieces[kPawn]) |
                                  (kKnightAttacks[static_cast<std::size_t>(square)] & position.pieces[kKnight]) |
                                  (kKingAttacks[static_cast<std::size_t>(square)] & position.pieces[kKing]) |
                                  (bishop_attacks(square, occupied) & (position.pieces[kBishop] | queens)) |
                                  (rook_attacks(square, occupied) & (position.pieces[kRook] | queens)));
}

// Everything that `by` attacks, for the question where the other king may go.
inline u64 attacked_squares(const Position& position, Color by, u64 occupied) {
    const u64 own = position.colors[by], queens = position.pieces[kQueen];
    u64 attacked = pawn_attacks(by, own & position.pieces[kPawn]);
    for (u64 rest = own & position.pieces[kKnight]; rest != 0;)
        attacked |= kKnightAttacks[static_cast<std::size_t>(pop_lowest(rest))];
    for (u64 rest = own & (position.pieces[kBishop] | queens); rest != 0;)
        attacked |= bishop_attacks(pop_lowest(rest), occupied);
    for (u64 rest = own & (position.pieces[kRook] | queens); rest != 0;)
        attacked |= rook_attacks(pop_lowest(rest), occupied);
    return attacked | kKingAttacks[static_cast<std::size_t>(position.king(by))];
}

// Neither side can mate by any sequence of legal moves: bare kings, a single knight, or bishops all on one colour.
inline bool insufficient_material(const Position& position) {
    if ((position.pieces[kPawn] | position.pieces[kRook] | position.pieces[kQueen]) != 0) return false;
    const u64 knights = position.pieces[kKnight], bishops = position.pieces[kBishop];
    if (knights != 0) return bishops == 0 && !more_than_one(knights);
    return (bishops & kDarkSquares) == 0 || (bishops & ~kDarkSquares) == 0;
}

}  // namespace spielbaum::chess
