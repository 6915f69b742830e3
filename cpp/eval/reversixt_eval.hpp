// What an unfinished position of ReversiXT is worth to each player.
#pragma once

#include <algorithm>
#include <cmath>

#include "eval/choice.hpp"
#include "games/reversixt/reversixt.hpp"

namespace spielbaum {

namespace reversixt {
inline int score_for_mover(const ReversiXt::State& state, const Values& values) {
    const double value = std::clamp(values[static_cast<std::size_t>(state.to_move)], -0.98, 0.98);
    return static_cast<int>(std::lround(kHalfScore * value / (1.0 - std::abs(value))));
}
}  // namespace reversixt

// Colouring: mobility first, stones at the end, and throughout stones that cannot be taken: few walks lead over corners
// and edges, wherever holes and transitions make them. As long as there are choice and inversion cells, stones may go
// to others, and count less. Override stones and bombs in hand are worth what they will take later.
//
// Bombing: only the race counts. A lead that the bombs left can still destroy is worth less than one that they cannot.
struct ReversiXtEvaluation {
    static constexpr std::string_view kName = "phases";

    int operator()(const ReversiXt& game, const ReversiXt::State& state) const {
        return reversixt::score_for_mover(state, values(game, state));
    }
    Values values(const ReversiXt& game, const ReversiXt::State& state) const {
        const bool bombing = state.phase == ReversiXt::Phase::bombing;
        return values_by_leads(bombing ? race(game, state) : colouring(game, state), game.num_players(),
                               bombing ? uncertainty(game, state) : kHalfScore,
                               [&](int player) { return game.eliminated(state, player); });
    }

private:
    static Values colouring(const ReversiXt& game, const ReversiXt::State& state) {
        const reversixt::Map& map = game.map();
        const std::size_t words = map.cell_words();
        // Points are those of a board of 64 cells.
        const double cells = map.open_cells(), share = 64.0 / cells, scale = std::sqrt(share);
        int occupied = 0, special = 0;
        for (std::size_t i = 0; i < words; ++i) {
            const u64 stones = game.occupied_at(state, i);
            occupied += popcount(stones);
            special += popcount((map.choice()[i] | map.inversion()[i]) & ~stones);
        }
        const double progress = occupied / cells, trust = 4.0 / (4.0 + special);
        const double for_stone = 6.0 * progress * progress * share * trust;
        const double for_move = 12.0 * (1.2 - progress) * scale;
        const double for_override = 40.0 + 60.0 * progress;
        const double for_bomb = std::min(game.blast(), map.open_cells() / 4) * share * (1.0 + 3.0 * progress);
        Values points{};
        for (int player = 0; player < game.num_players(); ++player) {
            if (game.eliminated(state, player)) continue;
            const auto p = static_cast<std::size_t>(player);
            std::array<u64, reversixt::kMostCellWords> found;
            const u64* targets = game.targets(state);
            if (player != state.to_move) {
                game.targets_of(state, player, found.data());
                targets = found.data();
            }
            int stones = 0, moves = 0, corners = 0, edges = 0, inner = 0;
            for (std::size_t i = 0; i < words; ++i) {
                const u64 own = game.stones_at(state, player, i);
                stones += popcount(own);
                moves += popcount(targets[i] & ~game.occupied_at(state, i));
                corners += popcount(own & map.crossed(0)[i]);
                edges += popcount(own & map.crossed(1)[i]);
                inner += popcount(own & map.crossed(2)[i]);
            }
            points[p] = for_stone * stones + for_move * moves + for_override * state.overrides[p] +
                        for_bomb * state.bombs[p] + trust * scale * (100 * corners + 12 * edges + 4 * inner);
        }
        for (std::size_t i = 0; i < words; ++i)
            for (u64 corners = map.crossed(0)[i] & ~game.occupied_at(state, i); corners != 0;)
                beside_corner(game, state, static_cast<int>(64 * i) + pop_lowest(corners), -20.0 * trust * scale,
                              points);
        return points;
    }

    // A stone beside an empty corner gives it away.
    static void beside_corner(const ReversiXt& game, const ReversiXt::State& state, int corner, double points_each,
                              Values& points) {
        for (int direction = 0; direction < reversixt::kDirections; ++direction) {
            const int exit = game.map().step({corner, direction});
            if (exit == reversixt::Map::kNowhere) continue;
            const int content = game.cell(state, exit / reversixt::kDirections);
            if (content >= 1 && content <= game.num_players())
                points[static_cast<std::size_t>(content - 1)] += points_each;
        }
    }

    // In stones: a bomb in hand will hit others, mostly.
    static Values race(const ReversiXt& game, const ReversiXt::State& state) {
        const auto stones = game.count_stones(state);
        Values points{};
        for (std::size_t p = 0; p < static_cast<std::size_t>(game.num_players()); ++p)
            points[p] = stones[p] + 0.3 * game.blast() * state.bombs[p];
        return points;
    }
    static double uncertainty(const ReversiXt& game, const ReversiXt::State& state) {
        int bombs = 0;
        for (int player = 0; player < game.num_players(); ++player)
            if (!game.eliminated(state, player)) bombs += state.bombs[static_cast<std::size_t>(player)];
        return 1.0 + 0.5 * game.blast() * std::sqrt(bombs);
    }
};

// Nothing but stones: with a search of one ply it is the greedy player of beginners.
struct ReversiXtStones {
    static constexpr std::string_view kName = "stones";

    int operator()(const ReversiXt& game, const ReversiXt::State& state) const {
        return reversixt::score_for_mover(state, values(game, state));
    }
    Values values(const ReversiXt& game, const ReversiXt::State& state) const {
        const auto stones = game.count_stones(state);
        Values points{};
        std::copy_n(stones.begin(), static_cast<std::size_t>(game.num_players()), points.begin());
        return values_by_leads(points, game.num_players(), kHalfLead,
                               [&](int player) { return game.eliminated(state, player); });
    }

private:
    static constexpr double kHalfLead = 40.0;  // stones: one of them is ten points of a score
};

using ReversiXtEvaluations = EvaluationChoice<ReversiXtEvaluation, ReversiXtStones, NoEvaluation>;

}  // namespace spielbaum
