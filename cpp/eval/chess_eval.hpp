// What an unfinished chess position is worth, in hundredths of a pawn: material, squares by phase of the game,
// mobility, pawn structure and the shelter of the king.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

#include "eval/choice.hpp"
#include "games/chess/chess.hpp"

namespace spielbaum {

class ChessEvaluation {
public:
    static constexpr std::string_view kName = "classic";
    int operator()(const Chess&, const chess::Position& position) const {
        const chess::Color us = position.turn;
        const Score difference = side(position, us) - side(position, !us);
        // 24 with all pieces on the board, 0 with pawns and kings only.
        int phase = 0;
        for (int piece = chess::kKnight; piece <= chess::kQueen; ++piece)
            phase +=
                kPhase[static_cast<std::size_t>(piece)] * popcount(position.pieces[static_cast<std::size_t>(piece)]);
        phase = std::min(phase, 24);
        return (difference.middle * phase + difference.end * (24 - phase)) / 24 + kTempo;
    }

private:
    // A value for the middle game and one for the endgame.
    struct Score {
        int middle = 0, end = 0;
        Score& operator+=(Score other) {
            middle += other.middle;
            end += other.end;
            return *this;
        }
        friend Score operator-(Score a, Score b) { return {a.middle - b.middle, a.end - b.end}; }
        friend Score operator*(int factor, Score score) { return {factor * score.middle, factor * score.end}; }
    };

    static constexpr int kTempo = 10;
    static constexpr std::array<int, 6> kPhase{0, 1, 1, 2, 4, 0};
    static constexpr std::array<Score, 6> kMaterial{
        {{85, 105}, {320, 300}, {330, 315}, {480, 530}, {950, 980}, {0, 0}}};
    // For each square that a piece attacks beyond an average number.
    static constexpr std::array<Score, 6> kMobility{{{0, 0}, {4, 4}, {4, 4}, {2, 4}, {1, 2}, {0, 0}}};
    static constexpr std::array<int, 6> kAverageMobility{0, 4, 6, 6, 12, 0};

    // 0 on the four central squares, 3 on the edge.
    static constexpr int distance_to_center(chess::Square square) {
        const int file = chess::file_of(square), rank = chess::rank_of(square);
        return std::max(file < 4 ? 3 - file : file - 4, rank < 4 ? 3 - rank : rank - 4);
    }

    // The worth of a square, from its owner's side: `rank` is 0 on his own first rank.
    static constexpr Score square_value(int piece, chess::Square square, int rank) {
        const int center = 3 - distance_to_center(square), file = chess::file_of(square);
        const int middle_files = file < 4 ? file : 7 - file;  // 0 on the edge files, 3 on d and e
        switch (piece) {
            case chess::kPawn:
                return {4 * middle_files * (rank >= 2 ? 2 : 0) + 3 * rank - 6, 8 * rank * rank / 3 - 10};
            case chess::kKnight:
                return {12 * center - 20 - (rank == 0 ? 10 : 0), 8 * center - 12};
            case chess::kBishop:
                return {6 * center - 6 - (rank == 0 ? 8 : 0), 4 * center - 6};
            case chess::kRook:
                return {3 * middle_files + (rank == 6 ? 20 : 0) - 6, rank == 6 ? 15 : 0};
            case chess::kQueen:
                return {2 * center - (rank > 2 ? 4 : 0), 6 * center - 8};
            default:
                return {-14 * std::min(rank, 3) - 8 * center + (middle_files <= 2 ? 12 : -8), 12 * center - 16};
        }
    }

    static Score side(const chess::Position& position, chess::Color us) {
        Score total;
        const u64 occupied = position.occupied(), own = position.colors[us];
        const u64 enemy_pawn_attacks = chess::pawn_attacks(!us, position.of(!us, chess::kPawn));
        const chess::Square enemy_king = position.king(!us);
        const u64 king_zone = chess::kKingAttacks[static_cast<std::size_t>(enemy_king)];
        int attacks_on_king = 0;
        for (int piece = chess::kPawn; piece <= chess::kKing; ++piece) {
            const auto index = static_cast<std::size_t>(piece);
            for (u64 rest = position.of(us, static_cast<chess::Piece>(piece)); rest != 0;) {
                const chess::Square square = pop_lowest(rest);
                const int rank = us == chess::kWhite ? chess::rank_of(square) : 7 - chess::rank_of(square);
                total += kMaterial[index];
                total += square_value(piece, square, rank);
                if (piece == chess::kPawn || piece == chess::kKing) continue;
                const u64 attacks = piece_attacks(piece, square, occupied);
                total += (popcount(attacks & ~own & ~enemy_pawn_attacks) - kAverageMobility[index]) * kMobility[index];
                attacks_on_king += popcount(attacks & king_zone) * (piece == chess::kQueen ? 3 : 2);
            }
        }
        total.middle += attacks_on_king * attacks_on_king / 2;
        if (popcount(position.of(us, chess::kBishop)) >= 2) total += Score{30, 45};
        total += pawn_structure(position, us);
        total += shelter(position, us);
        return total;
    }

    static u64 piece_attacks(int piece, chess::Square square, u64 occupied) {
        switch (piece) {
            case chess::kKnight:
                return chess::kKnightAttacks[static_cast<std::size_t>(square)];
            case chess::kBishop:
                return chess::bishop_attacks(square, occupied);
            case chess::kRook:
                return chess::rook_attacks(square, occupied);
            default:
                return chess::queen_attacks(square, occupied);
        }
    }

    // Squares in front of a pawn on its own and the neighbouring files: no enemy pawn there makes it passed.
    static u64 front_span(chess::Square square, chess::Color us) {
        const u64 file = chess::kFileA << chess::file_of(square);
        const u64 files = file | ((file & ~chess::kFileA) >> 1) | ((file & ~chess::kFileH) << 1);
        const int rank = chess::rank_of(square);
        if (us == chess::kWhite) return rank == 7 ? 0 : files & (~u64{0} << (8 * (rank + 1)));
        return rank == 0 ? 0 : files & (~u64{0} >> (8 * (8 - rank)));
    }

    static Score pawn_structure(const chess::Position& position, chess::Color us) {
        Score total;
        const u64 pawns = position.of(us, chess::kPawn), enemy_pawns = position.of(!us, chess::kPawn);
        for (u64 rest = pawns; rest != 0;) {
            const chess::Square square = pop_lowest(rest);
            const u64 file = chess::kFileA << chess::file_of(square);
            const u64 neighbours = ((file & ~chess::kFileA) >> 1) | ((file & ~chess::kFileH) << 1);
            const int rank = us == chess::kWhite ? chess::rank_of(square) : 7 - chess::rank_of(square);
            const u64 ahead = front_span(square, us);
            if ((ahead & enemy_pawns) == 0) total += Score{4 * rank, 6 * rank * rank / 2};
            if ((pawns & neighbours) == 0) total += Score{-12, -14};
            if ((ahead & file & pawns) != 0) total += Score{-8, -18};
        }
        return total;
    }

    // Own pawns in front of the king, and open files next to him.
    static Score shelter(const chess::Position& position, chess::Color us) {
        const chess::Square king = position.king(us);
        const u64 pawns = position.of(us, chess::kPawn);
        int value = 10 * popcount(chess::kKingAttacks[static_cast<std::size_t>(king)] & pawns);
        for (int file = std::max(0, chess::file_of(king) - 1); file <= std::min(7, chess::file_of(king) + 1); ++file)
            if ((pawns & (chess::kFileA << file)) == 0) value -= 16;
        return {value, 0};
    }
};

using ChessEvaluations = EvaluationChoice<ChessEvaluation, NoEvaluation>;

}  // namespace spielbaum
