// The 8 x 8 x 73 actions of AlphaZero and of the chess document (S4, 4.1): where a piece starts, and how it goes.
//
// action = (row * 8 + file) * 73 + plane, with row 0 = rank 8, as in the feature planes, so that a policy reshaped to
// (8, 8, 73) lies on the board of its input. Directions are absolute: the board is never turned.
//   planes  0..55   as a queen: direction * 7 + distance - 1, directions clockwise from north; also king, pawn,
//                   castling, and promotion to a queen
//   planes 56..63   as a knight, clockwise from two up and one right
//   planes 64..72   promotion to a rook, knight or bishop: 3 * piece + (towards the a-file, straight, h-file)
#pragma once

#include "games/chess/position.hpp"

namespace spielbaum::chess {

inline constexpr int kActionPlanes = 73;
inline constexpr std::array<Piece, 3> kUnderpromotions{kRook, kKnight, kBishop};

// The square that a move's text and action name as its target: classic castling goes to the king's target.
constexpr Square shown_target(Move move) {
    const Square king = from_of(move), rook = to_of(move);
    const bool classic = file_of(king) == 4 && (file_of(rook) == 0 || file_of(rook) == 7);
    if (kind_of(move) != kCastling || !classic) return rook;
    return (king & 56) + (rook > king ? 6 : 2);
}

constexpr int action_row(Square square) { return 7 - rank_of(square); }

constexpr int action_of(Move move) {
    const Square from = from_of(move), to = shown_target(move);
    const int files = file_of(to) - file_of(from), ranks = rank_of(to) - rank_of(from);
    int plane = 0;
    if (is_promotion(move) && promoted_piece(move) != kQueen) {
        for (std::size_t i = 0; i < 3; ++i)
            if (kUnderpromotions[i] == promoted_piece(move)) plane = 64 + 3 * static_cast<int>(i) + files + 1;
    } else if (files * files + ranks * ranks == 5) {
        for (std::size_t i = 0; i < 8; ++i)
            if (kKnightSteps[i].files == files && kKnightSteps[i].ranks == ranks) plane = 56 + static_cast<int>(i);
    } else {
        const auto sign = [](int n) { return (n > 0) - (n < 0); };
        const int width = files < 0 ? -files : files, height = ranks < 0 ? -ranks : ranks;
        const int distance = width > height ? width : height;
        for (std::size_t i = 0; i < 8; ++i)
            if (kQueenSteps[i].files == sign(files) && kQueenSteps[i].ranks == sign(ranks))
                plane = static_cast<int>(i) * 7 + distance - 1;
    }
    return (action_row(from) * 8 + file_of(from)) * kActionPlanes + plane;
}

}  // namespace spielbaum::chess
