// What an unfinished Yavalath position is worth: by threats, or by the patterns of the Yavalath document (S2,
// Table 2.1).
#pragma once

#include <array>

#include "eval/choice.hpp"
#include "games/yavalath.hpp"

namespace spielbaum {

// What a side's stones are worth among empty cells, for all of three players. Of two who have as much, the one who
// moves earlier is ahead.
template <class Side>
Values yavalath_values(const Yavalath& game, const Yavalath::State& state, Side&& side) {
    constexpr int kTempo = 60;
    const u128 empty = hex::kBoard & ~(state.stones[0] | state.stones[1] | state.stones[2]);
    Values points{};
    for (int player = 0; player < game.num_players(); ++player) {
        const int turns = (player - state.to_move + game.num_players()) % game.num_players();
        points[static_cast<std::size_t>(player)] =
            side(state.stones[static_cast<std::size_t>(player)], empty) - kTempo * turns;
    }
    return values_by_leads(points, game.num_players(), kHalfScore,
                           [&](int player) { return (state.eliminated >> player & 1) != 0; });
}

// Two stones side by side with free cells on both sides 5, two with a free cell between 5 (both invite attacks), two
// with two free cells between 20 (a threat to make four), three of four cells with the fourth free 41; the opponent's
// patterns count against. Threes and fours end the game and need no value. So a triangle of three pairs with gaps of
// two outweighs three of four.
struct YavalathPatterns {
    static constexpr std::string_view kName = "patterns";
    int operator()(const Yavalath& game, const Yavalath::State& state) const {
        const auto me = static_cast<std::size_t>(game.to_move(state));
        const u128 all = state.stones[0] | state.stones[1] | state.stones[2];
        return side(state.stones[me], hex::kBoard & ~all) - side(state.stones[1 - me], hex::kBoard & ~all);
    }
    Values values(const Yavalath& game, const Yavalath::State& state) const {
        return yavalath_values(game, state, side);
    }

private:
    static int side(u128 own, u128 empty) {
        int value = 0;
        for (const int step : hex::kAxes) {
            // Cells a, b, c, d in a row along the axis; the bit of a pattern is that of a.
            const u128 own_b = own >> step, own_c = own >> (2 * step), own_d = own >> (3 * step);
            const u128 free_b = empty >> step, free_c = empty >> (2 * step), free_d = empty >> (3 * step);
            const u128 pairs = empty & own_b & own_c & free_d, split_pairs = own & free_b & own_c;
            const u128 wide_pairs = own & free_b & free_c & own_d;
            const u128 three_of_four = (own & own_b & free_c & own_d) | (own & free_b & own_c & own_d);
            value += 5 * popcount(pairs) + 5 * popcount(split_pairs) + 20 * popcount(wide_pairs) +
                     41 * popcount(three_of_four);
        }
        return value;
    }
};

// The game is about forcing moves: three of four cells with the fourth free must be answered there, and loses if the
// answer makes three. So what counts are cells from which a side can force, and how many of these forces cannot be
// answered; a win in three plies is seen without a search. The weights come from a logistic regression on the results
// of 15,000 games of alpha-beta at depth 3 with S2's patterns, simplified as far as matches allowed.
struct YavalathThreats {
    static constexpr std::string_view kName = "threats";

    int operator()(const Yavalath& game, const Yavalath::State& state) const {
        const auto me = static_cast<std::size_t>(game.to_move(state));
        const u128 own = state.stones[me], other = state.stones[1 - me], empty = hex::kBoard & ~(own | other);
        if (Yavalath::winning_cells(own, empty) != 0) return kWinsAtOnce;
        const u128 must_block = Yavalath::winning_cells(other, empty);
        // None of my cells wins, so a three is all that I can make of them.
        const u128 barred = Yavalath::three_cells(own, empty);
        if (more_than_one(must_block) || (must_block & barred) != 0) return -kWinsNext;
        const u128 barred_to_other = Yavalath::three_cells(other, empty) & ~must_block;
        const Attack mine = attack(own, empty, barred, barred_to_other);
        if (must_block == 0 && mine.decisive != 0) return kForcesWin;
        const Attack others = attack(other, empty, barred_to_other | must_block, barred);
        return 85 * (popcount(mine.forcing) - popcount(others.forcing)) + 10 * (mine.open_lines - others.open_lines) -
               150 * popcount(others.decisive) - (must_block != 0 ? 200 : 0) + 60;
    }

    // Of three players, everybody's attacks; what must be blocked is for the search to see.
    Values values(const Yavalath& game, const Yavalath::State& state) const {
        return yavalath_values(game, state, [](u128 own, u128 empty) {
            const Attack made = attack(own, empty, Yavalath::three_cells(own, empty), 0);
            return 85 * popcount(made.forcing) + 10 * made.open_lines;
        });
    }

private:
    static constexpr int kWinsAtOnce = 15000, kWinsNext = 14000, kForcesWin = 13000;

    struct Attack {
        u128 forcing = 0;    // cells from which the next stone would win
        u128 decisive = 0;   // of these, the ones that the opponent could only answer by making three
        int open_lines = 0;  // lines of four with one own stone and none of the opponent's
    };
    static Attack attack(u128 own, u128 empty, u128 barred, u128 barred_to_other) {
        Attack result;
        for (const int step : hex::kAxes) {
            // Cells 0 to 3 in a row along the axis; the bit of a line is that of its cell 0.
            const u128 s0 = own, s1 = own >> step, s2 = own >> (2 * step), s3 = own >> (3 * step);
            const u128 e0 = empty, e1 = empty >> step, e2 = empty >> (2 * step), e3 = empty >> (3 * step);
            // Lines with two stones, named by their empty cells: a stone on one of these threatens the other.
            const u128 e01 = e0 & e1 & s2 & s3, e02 = e0 & s1 & e2 & s3, e03 = e0 & s1 & s2 & e3;
            const u128 e12 = s0 & e1 & e2 & s3, e13 = s0 & e1 & s2 & e3, e23 = s0 & s1 & e2 & e3;
            result.forcing |= (e01 | e02 | e03) | (e01 | e12 | e13) << step | (e02 | e12 | e23) << (2 * step) |
                              (e03 | e13 | e23) << (3 * step);
            if (barred_to_other != 0) {
                const u128 b0 = barred_to_other, b1 = b0 >> step, b2 = b0 >> (2 * step), b3 = b0 >> (3 * step);
                result.decisive |= ((e01 & b1) | (e02 & b2) | (e03 & b3)) |
                                   ((e01 & b0) | (e12 & b2) | (e13 & b3)) << step |
                                   ((e02 & b0) | (e12 & b1) | (e23 & b3)) << (2 * step) |
                                   ((e03 & b0) | (e13 & b1) | (e23 & b2)) << (3 * step);
            }
            result.open_lines +=
                popcount(u128{(e0 & e1 & ((e2 & s3) | (s2 & e3))) | (((e0 & s1) | (s0 & e1)) & e2 & e3)});
        }
        result.forcing &= ~barred;
        result.decisive &= ~barred;
        return result;
    }
};

using YavalathEvaluations = EvaluationChoice<YavalathThreats, YavalathPatterns, NoEvaluation>;

}  // namespace spielbaum
