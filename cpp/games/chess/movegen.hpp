// Legal moves, generated directly: pins and checks are known beforehand, so nothing has to be tried and taken back.
#pragma once

#include "core/rng.hpp"
#include "games/chess/position.hpp"

namespace spielbaum::chess {

// 218 is the most that a reachable position has. One set up by hand can have more, but no more than sixteen pieces
// with the 27 targets of a queen each (a pawn has at most twelve moves).
inline constexpr int kMaxMoves = 16 * 27;

// Where generated moves go: into a list, or only counted. The generator calls
//   piece(from, targets, kind)     one piece to each of a set of squares
//   pawns(targets, back, kind)     to each target, a pawn from `back` squares behind it
//   promotions(targets, back)      the same, four moves each
//   single(move)
class MoveWriter {
public:
    explicit MoveWriter(Move* out) : begin_(out), out_(out) {}
    int count() const { return static_cast<int>(out_ - begin_); }

    void piece(Square from, u64 targets, int kind) {
        while (targets != 0) *out_++ = make_move(from, pop_lowest(targets), kind);
    }
    void pawns(u64 targets, int back, int kind) {
        while (targets != 0) {
            const Square to = pop_lowest(targets);
            *out_++ = make_move(to - back, to, kind);
        }
    }
    void promotions(u64 targets, int back) {
        while (targets != 0) {
            const Square to = pop_lowest(targets);
            for (int kind = kPromotion + 3; kind >= kPromotion; --kind) *out_++ = make_move(to - back, to, kind);
        }
    }
    void single(Move move) { *out_++ = move; }

private:
    Move* begin_;
    Move* out_;
};

class MoveCounter {
public:
    int count() const { return count_; }
    void piece(Square, u64 targets, int) { count_ += popcount(targets); }
    void pawns(u64 targets, int, int) { count_ += popcount(targets); }
    void promotions(u64 targets, int) { count_ += 4 * popcount(targets); }
    void single(Move) { ++count_; }

private:
    int count_ = 0;
};

// Keeps whole sets of targets, to draw one move of all: without a loop over the targets of each piece, whose lengths no
// processor predicts, a playout's move costs half as much as by listing all moves.
class MoveDrawer {
public:
    int count() const { return total_; }
    void piece(Square from, u64 targets, int kind) { add(targets, from, kind, false); }
    void pawns(u64 targets, int back, int kind) { add(targets, back, kind, true); }
    void promotions(u64 targets, int back) { add(targets, back, kPromotion, true); }
    void single(Move move) { add(bit_of(to_of(move)), from_of(move), kind_of(move), false); }

    // The move with number `rank` of those that were generated.
    Move move(int rank) const {
        const Entry* entry = entries_.data();
        while (rank >= entry->end) ++entry;
        rank -= entry->begin;
        const bool promotion = entry->kind == kPromotion;  // each target counts four times, once for each piece
        const Square to = select(entry->targets, promotion ? rank / 4 : rank);
        const Square from = entry->pawns ? to - entry->origin : entry->origin;
        return make_move(from, to, promotion ? kPromotion + rank % 4 : entry->kind);
    }

private:
    struct Entry {
        u64 targets;
        std::int16_t begin, end;  // the numbers of its moves
        std::int8_t origin;       // square of the piece, or how far behind its target a pawn comes from
        std::int8_t kind;
        bool pawns;
    };

    void add(u64 targets, int origin, int kind, bool pawns) {
        if (targets == 0) return;
        const int begin = total_;
        total_ += popcount(targets) * (kind == kPromotion ? 4 : 1);
        entries_[static_cast<std::size_t>(size_++)] = {targets,
                                                       static_cast<std::int16_t>(begin),
                                                       static_cast<std::int16_t>(total_),
                                                       static_cast<std::int8_t>(origin),
                                                       static_cast<std::int8_t>(kind),
                                                       pawns};
    }

    // Sixteen pieces with at most seven sets for each pinned pawn, and the castlings.
    std::array<Entry, 16 * 7 + 2> entries_;
    int size_ = 0;
    int total_ = 0;
};

// Would capturing en passant from `from` leave the own king safe? Two pawns leave the board's lines at once, which
// pins do not cover, so the board after the capture is looked at.
inline bool en_passant_is_safe(const Position& position, Square from, Square target) {
    const Color us = position.turn, them = !us;
    const Square victim = us == kWhite ? target - 8 : target + 8;
    const Square king = position.king(us);
    const u64 occupied = (position.occupied() ^ bit_of(from) ^ bit_of(victim)) | bit_of(target);
    const u64 queens = position.pieces[kQueen], enemies = position.colors[them];
    if ((bishop_attacks(king, occupied) & enemies & (position.pieces[kBishop] | queens)) != 0) return false;
    if ((rook_attacks(king, occupied) & enemies & (position.pieces[kRook] | queens)) != 0) return false;
    // A knight's or another pawn's check is not met by this capture.
    return (position.checkers & ~bit_of(victim) & (position.pieces[kKnight] | position.pieces[kPawn])) == 0;
}

// Pawns of the side to move that may legally capture en passant on `target`.
inline u64 en_passant_captors(const Position& position, Square target) {
    u64 captors = 0;
    for (u64 rest = pawn_attacks(!position.turn, bit_of(target)) & position.of(position.turn, kPawn); rest != 0;) {
        const Square from = pop_lowest(rest);
        if (en_passant_is_safe(position, from, target)) captors |= bit_of(from);
    }
    return captors;
}

struct CastlingSquares {
    Square king_to, rook_to;
};
constexpr CastlingSquares castling_squares(Square king, Square rook) {
    const int rank = king & 56;
    return rook > king ? CastlingSquares{rank + 6, rank + 5} : CastlingSquares{rank + 2, rank + 3};
}

// By the rules of Chess960, of which the classic ones are a case: the squares that king and rook pass and reach must
// be free of other pieces, and no square of the king's way may be attacked.
inline bool may_castle(const Position& position, Square king, Square rook, u64 attacked) {
    const auto [king_to, rook_to] = castling_squares(king, rook);
    const u64 king_way = between(king, king_to) | bit_of(king_to);
    const u64 rook_way = between(rook, rook_to) | bit_of(rook_to);
    const u64 others = position.occupied() ^ bit_of(king) ^ bit_of(rook);
    if (((king_way | rook_way) & others) != 0 || ((king_way | bit_of(king)) & attacked) != 0) return false;
    // The rook may have been the shield of the king's target square.
    const u64 after = others | bit_of(king_to) | bit_of(rook_to);
    const u64 rooks_and_queens = position.pieces[kRook] | position.pieces[kQueen];
    return (rook_attacks(king_to, after) & position.colors[!position.turn] & rooks_and_queens) == 0;
}

template <Color Us, class Sink>
void generate_pawn_moves(const Position& position, u64 targets, Sink& sink) {
    constexpr int kUp = Us == kWhite ? 8 : -8;
    constexpr u64 kThird = kRank1 << (Us == kWhite ? 16 : 40), kLast = kRank1 << (Us == kWhite ? 56 : 0);
    const auto up = [](u64 set) { return Us == kWhite ? set << 8 : set >> 8; };
    const auto emit = [&](u64 to, int back) {
        sink.pawns(to & ~kLast, back, kPlainPawn);
        sink.promotions(to & kLast, back);
    };
    const auto generate = [&](u64 pawns, u64 allowed) {
        const u64 empty = ~position.occupied(), enemies = position.colors[!Us];
        const u64 one = up(pawns) & empty;
        emit(one & allowed, kUp);
        sink.pawns(up(one & kThird) & empty & allowed, 2 * kUp, kDoublePush);
        emit(up(pawns & ~kFileA) >> 1 & enemies & allowed, kUp - 1);
        emit(up(pawns & ~kFileH) << 1 & enemies & allowed, kUp + 1);
    };
    const u64 pawns = position.of(Us, kPawn);
    generate(pawns & ~position.pinned, targets);
    for (u64 rest = pawns & position.pinned; rest != 0;) {
        const Square from = pop_lowest(rest);
        generate(bit_of(from), targets & line_through(position.king(Us), from));
    }
    if (position.en_passant != 64)
        for (u64 rest = en_passant_captors(position, position.en_passant); rest != 0;)
            sink.single(make_move(pop_lowest(rest), position.en_passant, kEnPassant));
}

// All legal moves of all pieces but the king.
template <Color Us, class Sink>
void generate_piece_moves(const Position& position, Sink& sink) {
    if (more_than_one(position.checkers)) return;
    const Square king = position.king(Us);
    const u64 occupied = position.occupied();
    // Under a single check other pieces must capture the checker or step between.
    u64 targets = ~position.colors[Us];
    if (position.checkers != 0) targets &= between(king, lowest(position.checkers)) | position.checkers;
    const auto along_pin = [&](Square from) {
        return contains(position.pinned, from) ? line_through(king, from) : ~u64{0};
    };
    generate_pawn_moves<Us>(position, targets, sink);
    for (u64 rest = position.of(Us, kKnight) & ~position.pinned; rest != 0;) {
        const Square from = pop_lowest(rest);
        sink.piece(from, kKnightAttacks[static_cast<std::size_t>(from)] & targets, kKnight);
    }
    for (u64 rest = position.of(Us, kBishop); rest != 0;) {
        const Square from = pop_lowest(rest);
        sink.piece(from, bishop_attacks(from, occupied) & targets & along_pin(from), kBishop);
    }
    for (u64 rest = position.of(Us, kRook); rest != 0;) {
        const Square from = pop_lowest(rest);
        sink.piece(from, rook_attacks(from, occupied) & targets & along_pin(from), kRook);
    }
    for (u64 rest = position.of(Us, kQueen); rest != 0;) {
        const Square from = pop_lowest(rest);
        sink.piece(from, queen_attacks(from, occupied) & targets & along_pin(from), kQueen);
    }
}

// The king's steps to squares without own pieces and castlings with a right: what remains to be tested is whether the
// enemy attacks the squares.
inline u64 king_steps(const Position& position) {
    return kKingAttacks[static_cast<std::size_t>(position.king(position.turn))] & ~position.colors[position.turn];
}
inline u64 castling_rooks(const Position& position) {
    return position.checkers == 0 ? position.castling & position.colors[position.turn] : 0;
}

// The king himself does not shield squares behind him from the piece that attacks him.
inline u64 squares_closed_to_king(const Position& position) {
    const u64 king = position.of(position.turn, kKing);
    return attacked_squares(position, !position.turn, position.occupied() ^ king);
}

template <class Sink>
void generate_king_moves(const Position& position, Sink& sink) {
    const u64 steps = king_steps(position), rooks = castling_rooks(position);
    if ((steps | rooks) == 0) return;
    const Square king = position.king(position.turn);
    const u64 closed = squares_closed_to_king(position);
    sink.piece(king, steps & ~closed, kKing);
    for (u64 rest = rooks; rest != 0;) {
        const Square rook = pop_lowest(rest);
        if (may_castle(position, king, rook, closed)) sink.single(make_move(king, rook, kCastling));
    }
}

template <class Sink>
void generate_piece_moves(const Position& position, Sink& sink) {
    if (position.turn == kWhite)
        generate_piece_moves<kWhite>(position, sink);
    else
        generate_piece_moves<kBlack>(position, sink);
}

template <class Sink>
void generate_legal(const Position& position, Sink& sink) {
    generate_piece_moves(position, sink);
    generate_king_moves(position, sink);
}

// A uniformly random legal move; there must be one. Moves of the king are drawn untested together with the legal moves
// of all others, and a draw that turns out illegal is repeated: most draws never need the enemy's attacks.
inline Move random_legal_move(const Position& position, Rng& rng) {
    MoveDrawer drawer;
    generate_piece_moves(position, drawer);
    const Square king = position.king(position.turn);
    drawer.piece(king, king_steps(position), kKing);
    for (u64 rest = castling_rooks(position); rest != 0;) drawer.single(make_move(king, pop_lowest(rest), kCastling));
    while (true) {
        const Move move = drawer.move(rng.below(drawer.count()));
        const Square to = to_of(move);
        if (kind_of(move) == kKing) {
            const u64 without_king = position.occupied() ^ bit_of(king);
            if (attackers(position, to, !position.turn, without_king) == 0) return move;
        } else if (kind_of(move) == kCastling) {
            if (may_castle(position, king, to, squares_closed_to_king(position))) return move;
        } else {
            return move;
        }
    }
}

// Is there any legal move? Almost always an unpinned piece with a free square beside it answers without generating.
inline bool has_legal_move(const Position& position) {
    if (position.checkers == 0) {
        const u64 own = position.colors[position.turn], free = own & ~position.pinned;
        const u64 pawns = free & position.pieces[kPawn];
        const u64 forward = position.turn == kWhite ? pawns << 8 : pawns >> 8;
        if ((forward & ~position.occupied()) != 0) return true;
        for (u64 rest = free & position.pieces[kKnight]; rest != 0;)
            if ((kKnightAttacks[static_cast<std::size_t>(pop_lowest(rest))] & ~own) != 0) return true;
        for (u64 rest = free & (position.pieces[kBishop] | position.pieces[kQueen]); rest != 0;) {
            const auto from = static_cast<std::size_t>(pop_lowest(rest));
            if ((kKingAttacks[from] & kBishopLines[from] & ~own) != 0) return true;
        }
        for (u64 rest = free & (position.pieces[kRook] | position.pieces[kQueen]); rest != 0;) {
            const auto from = static_cast<std::size_t>(pop_lowest(rest));
            if ((kKingAttacks[from] & kRookLines[from] & ~own) != 0) return true;
        }
    }
    MoveCounter counter;
    generate_legal(position, counter);
    return counter.count() != 0;
}

}  // namespace spielbaum::chess
