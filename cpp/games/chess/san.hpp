// Moves as people write them: standard algebraic notation ("Nf3", "exd6", "O-O", "e8=Q#"), written as FIDE's and the
// PGN standard's rules have it and read a little more freely: "0-0", "Ng1-f3", "e8Q", without or with wrong marks.
#pragma once

#include "core/errors.hpp"
#include "games/chess/fen.hpp"

namespace spielbaum::chess {

constexpr char upper(char letter) { return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter; }

// The piece that a move starts with.
constexpr int moved_piece(Move move) {
    const int kind = kind_of(move);
    return kind == kCastling ? kKing : kind <= kKing ? kind : kPawn;
}

// Calls `use` with every legal move, also in a position that is drawn by rule.
template <class Use>
void each_legal(const Position& position, Use&& use) {
    std::array<Move, kMaxMoves> moves;
    MoveWriter writer(moves.data());
    generate_legal(position, writer);
    for (int i = 0; i < writer.count(); ++i) use(moves[static_cast<std::size_t>(i)]);
}

// What tells a piece from others of its kind that may go to the same square: its file, or else its rank, or both.
inline std::string origin_text(const Position& position, Move move) {
    const Square from = from_of(move);
    u64 others = 0;
    each_legal(position, [&](Move other) {
        if (kind_of(other) == kind_of(move) && to_of(other) == to_of(move) && from_of(other) != from)
            others |= bit_of(from_of(other));
    });
    if (others == 0) return "";
    const bool same_file = (others & (kFileA << file_of(from))) != 0;
    const bool same_rank = (others & (kRank1 << 8 * rank_of(from))) != 0;
    const std::string name = square_name(from);
    return (same_rank || !same_file ? name.substr(0, 1) : "") + (same_file ? name.substr(1) : "");
}

inline std::string to_san(const Position& position, Move move) {
    const Square from = from_of(move), to = to_of(move);
    const int piece = moved_piece(move);
    std::string text;
    if (kind_of(move) == kCastling) {
        text = to > from ? "O-O" : "O-O-O";
    } else {
        const bool captures = kind_of(move) == kEnPassant || contains(position.colors[!position.turn], to);
        if (piece != kPawn)
            text = upper(kPieceLetters[static_cast<std::size_t>(piece)]) + origin_text(position, move);
        else if (captures)
            text = square_name(from).substr(0, 1);
        text += (captures ? "x" : "") + square_name(to);
        if (is_promotion(move)) text += {'=', upper(kPieceLetters[static_cast<std::size_t>(promoted_piece(move))])};
    }
    Position next = position;
    play_move(next, move);
    if (next.checkers != 0) text += next.status == Status::checkmate ? '#' : '+';
    return text;
}

// What a text in algebraic notation says of a move; -1: nothing.
struct San {
    int piece = kPawn, file = -1, rank = -1, to = -1, promotion = -1, castling = 0;  // castling: 1 short, 2 long

    bool fits(Move move) const {
        const bool castles = kind_of(move) == kCastling;
        if (castling != 0) return castles && (castling == 1) == (to_of(move) > from_of(move));
        if (castles || moved_piece(move) != piece || to_of(move) != to) return false;
        if ((is_promotion(move) ? promoted_piece(move) : -1) != promotion) return false;
        const Square from = from_of(move);
        if (piece == kPawn && file < 0 && file_of(from) != file_of(to)) return false;  // a capture names its file
        return (file < 0 || file == file_of(from)) && (rank < 0 || rank == rank_of(from));
    }
};

// Nothing if the text is not of this form at all.
inline std::optional<San> read_san(std::string_view text) {
    while (!text.empty() && std::string_view("+#!?").find(text.back()) != text.npos) text.remove_suffix(1);
    San san;
    if (text == "O-O" || text == "0-0" || text == "O-O-O" || text == "0-0-0") {
        san.castling = text.size() == 3 ? 1 : 2;
        return san;
    }
    const auto piece_of = [](char letter, std::string_view letters) {
        const auto at = letters.find(letter);
        return at == letters.npos ? -1 : static_cast<int>(at);
    };
    if (text.empty()) return std::nullopt;
    if (const int piece = piece_of(text.front(), "PNBRQK"); piece >= 0) {
        san.piece = piece;
        text.remove_prefix(1);
    }
    // A lower-case b behind a square can only be a promotion, for the square is complete.
    if (text.size() > 2 && (text.back() < '1' || text.back() > '8')) {
        san.promotion = piece_of(upper(text.back()), "PNBRQ");
        if (san.promotion < kKnight) return std::nullopt;
        text.remove_suffix(1);
        if (text.back() == '=') text.remove_suffix(1);
    }
    if (text.size() < 2) return std::nullopt;
    const auto target = parse_square(text.substr(text.size() - 2));
    if (!target) return std::nullopt;
    san.to = *target;
    text.remove_suffix(2);
    if (!text.empty() && (text.back() == 'x' || text.back() == '-')) text.remove_suffix(1);
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'h') {
        san.file = text.front() - 'a';
        text.remove_prefix(1);
    }
    if (!text.empty() && text.front() >= '1' && text.front() <= '8') {
        san.rank = text.front() - '1';
        text.remove_prefix(1);
    }
    return text.empty() ? std::optional(san) : std::nullopt;
}

// The legal move that a text names in algebraic notation; IllegalMove if it fits several.
inline std::optional<Move> parse_san(const Position& position, std::string_view text) {
    const auto san = read_san(text);
    if (!san) return std::nullopt;
    std::vector<Move> fitting;
    each_legal(position, [&](Move move) {
        if (san->fits(move)) fitting.push_back(move);
    });
    if (fitting.size() <= 1) return fitting.empty() ? std::nullopt : std::optional(fitting[0]);
    std::string list;
    for (const Move move : fitting) list += (list.empty() ? "" : " or ") + to_san(position, move);
    throw IllegalMove("move " + quoted(text) + " is not clear: " + list);
}

}  // namespace spielbaum::chess
