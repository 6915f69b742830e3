// The laws of core/game.hpp, checked on random games of any game.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "core/playout.hpp"

namespace spielbaum::testing {

template <Game G>
void check_moves(const G& game, const typename G::State& state, std::vector<Move>& moves) {
    moves.assign(static_cast<std::size_t>(game.max_moves()), Move{0});
    const int count = game.legal_moves(state, moves.data());
    CHECK(count <= game.max_moves());
    moves.resize(static_cast<std::size_t>(count));
    CHECK((count == 0) == game.over(state));
    if constexpr (CountsMoves<G>) CHECK(game.count_moves(state) == count);
    std::vector<bool> legal(static_cast<std::size_t>(game.num_actions()));
    for (const Move move : moves) {
        const int action = game.action(state, move);
        CHECK(action >= 0 && action < game.num_actions());
        CHECK(!legal[static_cast<std::size_t>(action)]);
        legal[static_cast<std::size_t>(action)] = true;
        CHECK(game.move(state, action) == move);
        CHECK(game.parse_move(state, game.move_text(state, move)) == move);
        CHECK(game.parse_move(state, label_of(game, state, move)) == move);
        const int name = name_of(game, state, move);
        CHECK(name >= 0 && name < num_names(game) && find_name(game, state, name) == move);
        if constexpr (PlacesStones<G>) {
            auto next = state;
            game.play(next, move);
            for (int player = 0; player < game.num_players(); ++player) {
                const u64 stone = player == game.to_move(state) ? bit<u64>(name) : 0;
                CHECK(!contains(game.placed(state, player), name) &&
                      game.placed(next, player) == (game.placed(state, player) | stone));
            }
        }
    }
    const int stride = std::max(1, game.num_actions() / 64);
    for (int action = -1; action <= game.num_actions(); action += stride) {
        const bool known = action >= 0 && action < game.num_actions() && legal[static_cast<std::size_t>(action)];
        CHECK(game.move(state, action).has_value() == known);
    }
}

template <Game G>
void check_texts_and_keys(const G& game, const typename G::State& state) {
    const auto parsed = game.parse_state(game.notation(state));
    CHECK(game.key(parsed) == game.key(state));  // the key from scratch equals the incremental one
    CHECK(game.notation(parsed) == game.notation(state));
    auto without_history = state;
    if constexpr (Repeats<G>) game.set_repeats(without_history, 0);
    CHECK(parsed == without_history);
    CHECK(game.to_move(parsed) == game.to_move(state));
    CHECK(game.over(parsed) == game.over(without_history));
    if (game.over(parsed)) CHECK(game.outcome(parsed).rewards == game.outcome(without_history).rewards);
    if (game.over(parsed)) CHECK(game.outcome(parsed).reason == game.outcome(without_history).reason);
}

// Are random moves uniform? Chi-square of many draws: its mean is the number of moves less one, its variance twice
// that.
template <Game G>
void check_uniform(const G& game, const typename G::State& state, const std::vector<Move>& moves, Rng& rng) {
    constexpr int kDrawsPerMove = 200;
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    std::vector<int> counts(moves.size());
    for (std::size_t i = 0; i < moves.size() * kDrawsPerMove; ++i) {
        const auto drawn = std::find(moves.begin(), moves.end(), random_move(game, state, rng, buffer.data()));
        CHECK(drawn != moves.end());
        if (drawn != moves.end()) ++counts[static_cast<std::size_t>(drawn - moves.begin())];
    }
    double chi_square = 0.0;
    for (const int count : counts) chi_square += (count - kDrawsPerMove) * (count - kDrawsPerMove);
    chi_square /= kDrawsPerMove;
    const double freedom = static_cast<double>(moves.size()) - 1.0;
    CHECK(chi_square < freedom + 6.0 * std::sqrt(2.0 * freedom) + 10.0);
}

template <Game G>
void check_symmetries(const G& game, const typename G::State& state, Move move, bool has_move) {
    CHECK(game.transform(state, 0) == state);
    for (int i = 0; i < game.num_symmetries(); ++i) {
        auto image = game.transform(state, i);
        CHECK(game.over(image) == game.over(state));
        if (!has_move) continue;
        auto next = state;
        game.play(next, move);
        const auto image_move = game.move(image, game.transform_action(game.action(state, move), i));
        CHECK(image_move.has_value());
        if (!image_move) continue;
        game.play(image, *image_move);
        CHECK(image == game.transform(next, i));
        CHECK(game.key(image) == game.key(game.transform(next, i)));
    }
}

template <Game G>
void check_planes(const G& game, const typename G::State& state, const Path& path) {
    for (std::size_t index = 0; index < game.encodings().size(); ++index) {
        const Encoding& encoding = game.encodings()[index];
        const auto cells = static_cast<std::size_t>(encoding.shape.rows * encoding.shape.columns);
        // Filled beforehand with a value that no encoding writes, to see that every entry is written.
        std::vector<float> planes(static_cast<std::size_t>(encoding.shape.planes) * cells, 77.0f);
        game.write_planes(state, path, static_cast<int>(index), planes.data());
        CHECK(std::none_of(planes.begin(), planes.end(), [](float value) { return value == 77.0f; }));
        float total = 0.0f;
        for (std::size_t i = 0; i < static_cast<std::size_t>(encoding.partition) * cells; ++i) total += planes[i];
        if (encoding.partition > 0) CHECK(static_cast<int>(total) == game.num_cells());
    }
}

// For two players: what comes after every move agrees with what was said of it before.
template <Game G>
void check_tactics(const G& game, const typename G::State& state, const std::vector<Move>& moves) {
    const Tactics tactics = game.tactics(state);
    u64 legal = 0;
    for (const Move move : moves) {
        legal |= bit<u64>(move);
        auto next = state;
        game.play(next, move);
        const auto me = static_cast<std::size_t>(game.to_move(state));
        const double reward = game.over(next) ? game.outcome(next).rewards[me] : 0.0;
        CHECK(contains(tactics.wins, move) == (reward > 0));
        if (game.num_players() != 2 || reward > 0) continue;
        const bool answered =
            !game.over(next) && game.to_move(next) != game.to_move(state) && game.tactics(next).wins != 0;
        const bool enough = tactics.blocks == 0 || (!more_than_one(tactics.blocks) && contains(tactics.blocks, move));
        CHECK((reward < 0 || answered) == (contains(tactics.loses, move) || (!enough && !game.over(next))));
    }
    CHECK(((tactics.wins | tactics.blocks | tactics.loses) & ~legal) == 0);
}

template <Game G>
void check_outcome(const G& game, const typename G::State& state) {
    const Outcome outcome = game.outcome(state);
    double sum = 0.0;
    for (int player = 0; player < game.num_players(); ++player) {
        const double reward = outcome.rewards[static_cast<std::size_t>(player)];
        CHECK(reward >= -1.0 && reward <= 1.0);
        sum += reward;
    }
    CHECK(std::abs(sum) < 1e-9);
    CHECK(!outcome.reason.empty());
}

// Whole random games until that many positions have been checked.
template <Game G>
void check_laws(const G& game, int positions, u64 seed) {
    Rng rng(seed);
    std::vector<Move> moves;
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    while (positions > 0) {
        auto state = game.initial();
        Path path;
        for (;; --positions) {
            check_moves(game, state, moves);
            check_texts_and_keys(game, state);
            check_planes(game, state, path);
            if constexpr (HasTactics<G>) check_tactics(game, state, moves);
            if (game.over(state)) {
                check_symmetries(game, state, 0, false);
                break;
            }
            if (rng.below(16) == 0) check_uniform(game, state, moves, rng);
            const Move move = random_move(game, state, rng, buffer.data());
            check_symmetries(game, state, move, true);
            advance(game, state, move, path);
        }
        check_outcome(game, state);
    }
}

}  // namespace spielbaum::testing
