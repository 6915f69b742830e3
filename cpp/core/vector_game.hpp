// Many games that are stepped together: what learners outside read goes straight into their arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/playout.hpp"

namespace spielbaum {

// Arrays of the caller, one row for each game. Planes are left out where `planes` is null.
struct VectorArrays {
    float* planes;          // games x planes x rows x columns
    bool* legal;            // games x actions
    float* rewards;         // games x players
    bool* over;             // games
    std::int32_t* to_move;  // games
};

// A game that ends is rewarded, marked as over, and starts again in the same step: its row then shows the new start.
template <Game G>
class VectorGame {
public:
    using State = typename G::State;

    VectorGame(G rules, std::size_t count, int encoding)
        : rules_(std::move(rules)),
          encoding_(encoding),
          initial_(rules_.initial()),
          states_(count, initial_),
          paths_(Repeats<G> ? count : 1),
          moves_(count),
          buffer_(static_cast<std::size_t>(rules_.max_moves())),
          num_actions_(static_cast<std::size_t>(rules_.num_actions())),
          num_players_(static_cast<std::size_t>(rules_.num_players())) {
        if (encoding >= 0) {
            const Shape shape = std::span(rules_.encodings())[static_cast<std::size_t>(encoding)].shape;
            plane_size_ = static_cast<std::size_t>(shape.planes * shape.rows * shape.columns);
        }
    }

    const State& state(std::size_t game) const { return states_[game]; }

    template <class Poll>
    void reset(const VectorArrays& out, Poll&& poll) {
        std::fill_n(out.rewards, states_.size() * num_players_, 0.0f);
        std::fill_n(out.over, states_.size(), false);
        for (std::size_t game = 0; game < states_.size(); ++game) {
            restart(game);
            show(game, out);
            if (game % kPollEvery == 0) poll();
        }
    }

    // IllegalMove: none of the games has been stepped.
    template <class Poll>
    [[gnu::flatten]] void step(const std::int32_t* actions, const VectorArrays& out, Poll&& poll) {
        for (std::size_t game = 0; game < states_.size(); ++game) {
            const auto move = rules_.move(states_[game], actions[game]);
            if (!move)
                throw IllegalMove("action " + std::to_string(actions[game]) + " is not legal in game " +
                                  std::to_string(game));
            moves_[game] = *move;
        }
        for (std::size_t game = 0; game < states_.size(); ++game) {
            State& state = states_[game];
            advance(rules_, state, moves_[game], path(game));
            float* const rewards = out.rewards + game * num_players_;
            const bool over = rules_.over(state);
            out.over[game] = over;
            if (over) {
                const Outcome outcome = rules_.outcome(state);
                for (std::size_t player = 0; player < num_players_; ++player)
                    rewards[player] = static_cast<float>(outcome.rewards[player]);
                restart(game);
            } else {
                std::fill_n(rewards, num_players_, 0.0f);
            }
            show(game, out);
            if (game % kPollEvery == 0) poll();
        }
    }

    // A uniformly random legal action for each game.
    void draw(Rng& rng, std::int32_t* actions) {
        for (std::size_t game = 0; game < states_.size(); ++game)
            actions[game] = rules_.action(states_[game], random_move(rules_, states_[game], rng, buffer_.data()));
    }

private:
    static constexpr std::size_t kPollEvery = 256;

    // Games that do not count repetitions share an empty one.
    Path& path(std::size_t game) { return paths_[Repeats<G> ? game : 0]; }

    void restart(std::size_t game) {
        states_[game] = initial_;
        path(game).shorten(0);
    }

    void show(std::size_t game, const VectorArrays& out) {
        const State& state = states_[game];
        out.to_move[game] = rules_.to_move(state);
        bool* const legal = out.legal + game * num_actions_;
        std::fill_n(legal, num_actions_, false);
        const int count = rules_.legal_moves(state, buffer_.data());
        for (int i = 0; i < count; ++i) legal[rules_.action(state, buffer_[static_cast<std::size_t>(i)])] = true;
        if (plane_size_ > 0) rules_.write_planes(state, path(game), encoding_, out.planes + game * plane_size_);
    }

    G rules_;
    int encoding_;
    State initial_;
    std::vector<State> states_;
    std::vector<Path> paths_;
    std::vector<Move> moves_, buffer_;
    std::size_t num_actions_, num_players_, plane_size_ = 0;
};

}  // namespace spielbaum
