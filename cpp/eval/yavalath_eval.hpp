// What an unfinished Yavalath position is worth: the patterns of the Yavalath document (S2, Table 2.1).
#pragma once

#include <array>

#include "eval/choice.hpp"
#include "games/yavalath.hpp"

namespace spielbaum {

// Two stones side by side with free cells on both sides 5, two with a free cell between 5 (both invite attacks), two with
// two free cells between 20 (a threat to make four), three of four cells with the fourth free 41; the opponent's patterns
// count against. Threes and fours end the game and need no value. So a triangle of three pairs with gaps of two outweighs
// three of four.
struct YavalathPatterns {
    static constexpr std::string_view kName = "patterns";
    int operator()(const Yavalath& game, const Yavalath::State& state) const {
        const auto me = static_cast<std::size_t>(game.to_move(state));
        const u128 all = state.stones[0] | state.stones[1] | state.stones[2];
        return side(state.stones[me], hex::kBoard & ~all) - side(state.stones[1 - me], hex::kBoard & ~all);
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
            value += 5 * popcount(pairs) + 5 * popcount(split_pairs) + 20 * popcount(wide_pairs) + 41 * popcount(three_of_four);
        }
        return value;
    }
};

using YavalathEvaluations = EvaluationChoice<YavalathPatterns, NoEvaluation>;

}  // namespace spielbaum
