// Squares attacked by each kind of piece, and the lines between squares.
#pragma once

#include <array>
#include <span>

#include "core/bits.hpp"

namespace spielbaum::chess {

// Squares are numbered a1 = 0, b1 = 1, ..., h8 = 63; a set of squares is a 64-bit word with bit n for square n:
//
//      8 | 56 57 58 59 60 61 62 63
//        |  ...
//      2 |  8  9 10 11 12 13 14 15
//      1 |  0  1  2  3  4  5  6  7
//           a  b  c  d  e  f  g  h
using Square = int;

inline constexpr int file_of(Square square) { return square & 7; }
inline constexpr int rank_of(Square square) { return square >> 3; }
inline constexpr u64 bit_of(Square square) { return u64{1} << square; }

inline constexpr u64 kFileA = 0x0101010101010101ULL;
inline constexpr u64 kFileH = kFileA << 7;
inline constexpr u64 kRank1 = 0xFFULL;
inline constexpr u64 kDarkSquares = 0xAA55AA55AA55AA55ULL;

struct Step {
    int files, ranks;
};
inline constexpr std::array<Step, 8> kQueenSteps{
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
inline constexpr std::array<Step, 8> kKnightSteps{
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};

constexpr bool on_board(int file, int rank) { return file >= 0 && file < 8 && rank >= 0 && rank < 8; }

constexpr std::array<u64, 64> leaper_attacks(std::span<const Step> steps) {
    std::array<u64, 64> table{};
    for (Square from = 0; from < 64; ++from)
        for (const Step step : steps) {
            const int file = file_of(from) + step.files, rank = rank_of(from) + step.ranks;
            if (on_board(file, rank)) table[static_cast<std::size_t>(from)] |= bit_of(rank * 8 + file);
        }
    return table;
}

inline constexpr auto kKnightAttacks = leaper_attacks(kKnightSteps);
inline constexpr auto kKingAttacks = leaper_attacks(kQueenSteps);

// Squares reached by walking from `from` in one direction up to and including the first blocker.
constexpr u64 walk(Square from, Step step, u64 occupied) {
    u64 reached = 0;
    for (int file = file_of(from) + step.files, rank = rank_of(from) + step.ranks; on_board(file, rank);
         file += step.files, rank += step.ranks) {
        reached |= bit_of(rank * 8 + file);
        if ((occupied & bit_of(rank * 8 + file)) != 0) break;
    }
    return reached;
}

// Lines along files and ranks are the even steps of kQueenSteps, diagonals the odd ones.
constexpr u64 walk_lines(Square from, bool diagonal, u64 occupied) {
    u64 reached = 0;
    for (std::size_t i = diagonal ? 1 : 0; i < 8; i += 2) reached |= walk(from, kQueenSteps[i], occupied);
    return reached;
}

// Attacks of sliding pieces by subtraction ("hyperbola quintessence", Mazar and Isenberg 2007): taking 1 at the
// slider's square off the blockers of a line borrows up to the first one, which marks all squares on the way; swapping
// the bytes of a word turns the board upside down and so does the same downwards. A few instructions and 2 kB of masks
// are slower than look-ups in 840 kB of tables when nothing else needs the cache (perft), and faster when something
// does (playouts, and every search with a large tree).
struct LineMasks {
    u64 file, diagonal, antidiagonal;  // the lines through a square, without the square
};
inline constexpr auto kLineMasks = [] {
    std::array<LineMasks, 64> masks{};
    const auto line = [](Square square, std::size_t step) {
        return walk(square, kQueenSteps[step], 0) | walk(square, kQueenSteps[step + 4], 0);
    };
    for (Square square = 0; square < 64; ++square)
        masks[static_cast<std::size_t>(square)] = {line(square, 0), line(square, 1), line(square, 3)};
    return masks;
}();

// Ranks do not turn over with the bytes; for each file and the six squares that can block, a table.
inline constexpr auto kRankAttacks = [] {
    std::array<std::array<std::uint8_t, 64>, 8> table{};
    for (Square file = 0; file < 8; ++file)
        for (unsigned blockers = 0; blockers < 64; ++blockers) {
            const u64 occupied = u64{blockers} << 1;
            const u64 reached = walk(file, kQueenSteps[2], occupied) | walk(file, kQueenSteps[6], occupied);
            table[static_cast<std::size_t>(file)][blockers] = static_cast<std::uint8_t>(reached);
        }
    return table;
}();

inline u64 line_attacks(u64 line, u64 slider, u64 occupied) {
    const u64 up = occupied & line, down = __builtin_bswap64(up);
    return ((up - slider) ^ __builtin_bswap64(down - __builtin_bswap64(slider))) & line;
}

inline u64 bishop_attacks(Square from, u64 occupied) {
    const LineMasks& masks = kLineMasks[static_cast<std::size_t>(from)];
    return line_attacks(masks.diagonal, bit_of(from), occupied) |
           line_attacks(masks.antidiagonal, bit_of(from), occupied);
}

inline u64 rook_attacks(Square from, u64 occupied) {
    const int rank = from & 56;
    const u64 along_rank = kRankAttacks[static_cast<std::size_t>(file_of(from))][(occupied >> (rank + 1)) & 63];
    return line_attacks(kLineMasks[static_cast<std::size_t>(from)].file, bit_of(from), occupied) | along_rank << rank;
}

// Lines of a rook or bishop on an empty board: who could attack a square at all.
constexpr std::array<u64, 64> empty_board_lines(bool diagonal) {
    std::array<u64, 64> table{};
    for (Square from = 0; from < 64; ++from) table[static_cast<std::size_t>(from)] = walk_lines(from, diagonal, 0);
    return table;
}
inline constexpr auto kBishopLines = empty_board_lines(true);
inline constexpr auto kRookLines = empty_board_lines(false);

inline u64 queen_attacks(Square from, u64 occupied) {
    return bishop_attacks(from, occupied) | rook_attacks(from, occupied);
}

// Squares strictly between two squares of a line, and the whole line through them; 0 if they are not on one.
struct Lines {
    std::array<std::array<u64, 64>, 64> between{}, through{};

    Lines() {
        for (Square a = 0; a < 64; ++a)
            for (std::size_t i = 0; i < 8; ++i) {
                const Step step = kQueenSteps[i], back = kQueenSteps[(i + 4) % 8];
                const u64 ray = walk(a, step, 0);
                for (u64 rest = ray; rest != 0;) {
                    const Square b = pop_lowest(rest);
                    between[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
                        walk(a, step, bit_of(b)) & ~bit_of(b);
                    through[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
                        ray | bit_of(a) | walk(a, back, 0);
                }
            }
    }
};
inline const Lines kLines;

inline u64 between(Square a, Square b) {
    return kLines.between[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}
inline u64 line_through(Square a, Square b) {
    return kLines.through[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

}  // namespace spielbaum::chess
