// Positions as text: FEN, with Chess960's castling rights in the X-FEN or Shredder form, and EPD's four fields.
#pragma once

#include <string>
#include <string_view>

#include "games/board_text.hpp"
#include "games/chess/play.hpp"

namespace spielbaum::chess {

inline constexpr std::string_view kPieceLetters = "pnbrqk";

inline std::string square_name(Square square) {
    return {static_cast<char>('a' + file_of(square)), static_cast<char>('1' + rank_of(square))};
}

inline std::optional<Square> parse_square(std::string_view text) {
    if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') return std::nullopt;
    return (text[1] - '1') * 8 + text[0] - 'a';
}

// A right is K, Q, k or q if the rook is the outermost on its side of the king, else the letter of its file.
inline std::string castling_text(const Position& position) {
    std::string text;
    for (const Color color : {kWhite, kBlack}) {
        const Square king = position.king(color);
        const u64 own_rooks = position.of(color, kRook) & (kRank1 << (color == kWhite ? 0 : 56));
        u64 rights = position.castling & position.colors[color];
        while (rights != 0) {
            const Square rook = 63 - std::countl_zero(rights);
            rights ^= bit_of(rook);
            const bool kingside = rook > king;
            const u64 further = kingside ? own_rooks & ~((bit_of(rook) << 1) - 1) : own_rooks & (bit_of(rook) - 1);
            char letter = further != 0 ? static_cast<char>('a' + file_of(rook)) : kingside ? 'k' : 'q';
            if (color == kWhite) letter = static_cast<char>(letter - 'a' + 'A');
            text += letter;
        }
    }
    return text.empty() ? "-" : text;
}

inline std::string to_fen(const Position& position) {
    std::string text;
    for (int rank = 7; rank >= 0; --rank) {
        int empty = 0;
        for (int file = 0; file < 8; ++file) {
            const Square square = rank * 8 + file;
            const int piece = position.piece_at(square);
            if (piece == kNoPiece) {
                ++empty;
                continue;
            }
            if (empty > 0) text += static_cast<char>('0' + empty);
            empty = 0;
            const char letter = kPieceLetters[static_cast<std::size_t>(piece)];
            text += contains(position.colors[kWhite], square) ? static_cast<char>(letter - 'a' + 'A') : letter;
        }
        if (empty > 0) text += static_cast<char>('0' + empty);
        if (rank > 0) text += '/';
    }
    text += position.turn == kWhite ? " w " : " b ";
    text += castling_text(position) + ' ';
    text += position.en_passant == 64 ? "-" : square_name(position.en_passant);
    return text + ' ' + std::to_string(position.halfmove_clock) + ' ' + std::to_string(position.fullmove);
}

class FenParser {
public:
    explicit FenParser(std::string_view text) : text_(text) {}

    Position parse() {
        std::vector<std::string_view> fields;
        for (const std::string_view field : split_fields(trimmed(text_), ' '))
            if (!field.empty()) fields.push_back(field);
        if (fields.size() != 6 && fields.size() != 4)
            fail("has " + std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                 "; expected six (or the first four of them)");
        place_pieces(fields[0]);
        if (fields[1] != "w" && fields[1] != "b")
            fail("names the side to move " + quoted(fields[1]) + "; expected w or b");
        position_.turn = fields[1] == "w" ? kWhite : kBlack;
        check_pieces();
        if (fields[2] != "-")
            for (const char right : fields[2]) add_castling_right(right);
        position_.key = compute_key(position_);
        find_checks_and_pins(position_);
        if (fields[3] != "-") add_en_passant(fields[3]);
        if (fields.size() == 6) {
            position_.halfmove_clock = counter(fields[4], "halfmove clock", 0);
            position_.fullmove = counter(fields[5], "move number", 1);
        }
        find_status(position_);
        return position_;
    }

private:
    [[noreturn]] void fail(const std::string& problem) const {
        throw NotationError("FEN " + quoted(text_) + " " + problem);
    }

    void place_pieces(std::string_view board) {
        const auto ranks = split_fields(board, '/');
        if (ranks.size() != 8) fail("has " + std::to_string(ranks.size()) + " ranks; expected 8");
        for (int rank = 7; rank >= 0; --rank) {
            const std::string_view row = ranks[static_cast<std::size_t>(7 - rank)];
            int file = 0;
            bool after_digit = false;
            for (const char c : row) {
                const bool digit = c >= '1' && c <= '8';
                if (digit && after_digit) fail("has two numbers in a row in rank " + std::to_string(rank + 1));
                after_digit = digit;
                if (digit) {
                    file += c - '0';
                    continue;
                }
                const bool white = c >= 'A' && c <= 'Z';
                const auto piece = kPieceLetters.find(white ? static_cast<char>(c - 'A' + 'a') : c);
                if (piece == std::string_view::npos)
                    fail("has " + quoted({&c, 1}) + " in rank " + std::to_string(rank + 1) +
                         "; expected a piece of KQRBNPkqrbnp or a number from 1 to 8");
                if (file < 8) put(position_, white ? kWhite : kBlack, static_cast<int>(piece), rank * 8 + file);
                ++file;
            }
            if (file != 8)
                fail("has " + std::to_string(file) + " squares in rank " + std::to_string(rank + 1) + "; expected 8");
        }
    }

    void check_pieces() const {
        for (const Color color : {kWhite, kBlack}) {
            const int kings = popcount(position_.of(color, kKing));
            const std::string name = color == kWhite ? "white" : "black";
            if (kings != 1) fail("has " + std::to_string(kings) + " " + name + " kings; expected one");
            if (popcount(position_.colors[color]) > 16)
                fail("has " + std::to_string(popcount(position_.colors[color])) + " " + name +
                     " pieces; expected at most 16");
        }
        if ((position_.pieces[kPawn] & (kRank1 | kRank1 << 56)) != 0) fail("has a pawn on the first or last rank");
        const Color waiting = !position_.turn;
        if (attackers(position_, position_.king(waiting), position_.turn, position_.occupied()) != 0)
            fail("leaves the king in check whose side has just moved");
    }

    void add_castling_right(char right) {
        const Color color = right >= 'A' && right <= 'Z' ? kWhite : kBlack;
        const char lower = color == kWhite ? static_cast<char>(right - 'A' + 'a') : right;
        const int first = color == kWhite ? 0 : 56;
        const Square king = position_.king(color);
        const u64 rooks = position_.of(color, kRook) & (kRank1 << first);
        u64 rook = 0;
        if (king >= first && king < first + 8) {
            const u64 right_of_king = rooks & ~((bit_of(king) << 1) - 1), left_of_king = rooks & (bit_of(king) - 1);
            if (lower == 'k' && right_of_king != 0)
                rook = bit_of(63 - std::countl_zero(right_of_king));
            else if (lower == 'q' && left_of_king != 0)
                rook = bit_of(lowest(left_of_king));
            else if (lower >= 'a' && lower <= 'h')
                rook = rooks & bit_of(first + lower - 'a');
        }
        if (rook == 0) fail("gives a castling right " + quoted({&right, 1}) + " without king and rook in place for it");
        if ((position_.castling & rook) != 0) fail("gives the castling right " + quoted({&right, 1}) + " twice");
        const u64 same_side = rook > bit_of(king) ? ~((bit_of(king) << 1) - 1) : bit_of(king) - 1;
        if ((position_.castling & position_.colors[color] & same_side) != 0)
            fail("gives two castling rights on one side of the king, the second being " + quoted({&right, 1}));
        position_.castling |= rook;
    }

    void add_en_passant(std::string_view field) {
        const auto target = parse_square(field);
        const int rank = position_.turn == kWhite ? 5 : 2;
        const int behind = position_.turn == kWhite ? -8 : 8;  // from the target to the pawn that passed it
        if (!target || rank_of(*target) != rank) fail("has the en passant square " + quoted(field) + ", which is none");
        if (!contains(position_.of(!position_.turn, kPawn), *target + behind) ||
            contains(position_.occupied(), *target) || contains(position_.occupied(), *target - behind))
            fail("has the en passant square " + quoted(field) + " without a pawn that has just passed it");
        set_en_passant(position_, *target);
    }

    std::uint16_t counter(std::string_view field, const char* name, int least) const {
        int value = 0;
        for (const char c : field) {
            if (c < '0' || c > '9' || value > kLastMoveNumber) {
                value = -1;
                break;
            }
            value = value * 10 + (c - '0');
        }
        if (field.empty() || value < least || value > kLastMoveNumber)
            fail("has the " + std::string(name) + " " + quoted(field) + "; expected a number from " +
                 std::to_string(least) + " to " + std::to_string(kLastMoveNumber));
        return static_cast<std::uint16_t>(value);
    }

    std::string_view text_;
    Position position_;
};

}  // namespace spielbaum::chess
