// Playouts by move averages.
#pragma once

#include <algorithm>
#include <vector>

#include "core/mathematics.hpp"
#include "search/mcts/playout/policy.hpp"

namespace spielbaum {

// Move-average sampling (Finnsson and Bjornsson 2008): a move is drawn by exp(mean reward of its name / temperature).
struct MoveAverages {
    static constexpr std::string_view kName = "mast", kHelp = "moves that did well on average";
    static constexpr bool kByName = true;
    struct Settings {
        bool keep = true;
        double mast_t = 1.0;
        static constexpr auto options() {
            using S = Settings;
            return std::tuple(keep_option(&S::keep),
                              setting("mast_t", &S::mast_t, Range{.low = 0.01},
                                      "mast: temperature; moves are drawn by exp(mean / temperature)"));
        }
    };

    template <Game G>
    class Policy : public PlayoutPolicy {
    public:
        static constexpr bool kTraced = true;

        Policy(const G& game, const Settings& settings)
            : settings_(settings),
              names_(static_cast<std::size_t>(num_names(game))),
              averages_(names_ * static_cast<std::size_t>(game.num_players())),
              weights_(static_cast<std::size_t>(game.max_moves())) {}

        bool keeps() const { return settings_.keep; }
        void forget_all() { std::fill(averages_.begin(), averages_.end(), Average{}); }

        Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove>, Rng& rng,
                    Move* buffer) {
            const int count = game.legal_moves(state, buffer);
            const auto player = static_cast<std::size_t>(game.to_move(state));
            double total = 0.0;
            for (int i = 0; i < count; ++i) {
                total += averages_[player * names_ + static_cast<std::size_t>(name_of(game, state, buffer[i]))].weight;
                weights_[static_cast<std::size_t>(i)] = total;
            }
            const double drawn = static_cast<double>(rng.next() >> 11) * 0x1p-53 * total;
            const auto end = weights_.begin() + count;
            return buffer[std::min<std::ptrdiff_t>(std::upper_bound(weights_.begin(), end, drawn) - weights_.begin(),
                                                   count - 1)];
        }

        void learn(std::span<const PlayedMove> trace, std::size_t, const Rewards& rewards) {
            for (const PlayedMove& move : trace) {
                Average& average = averages_[move.player * names_ + move.name];
                ++average.count;
                average.sum += rewards[move.player];
                average.weight = exponential(average.sum / average.count / settings_.mast_t);
            }
        }

    private:
        struct Average {
            double sum = 0.0, weight = 1.0;
            std::uint32_t count = 0;
        };

        Settings settings_;
        std::size_t names_;
        std::vector<Average> averages_;  // by player and name
        std::vector<double> weights_;
    };
};

}  // namespace spielbaum
