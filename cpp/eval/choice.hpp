// The evaluations of a game by name, one of which is chosen when a search is made.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "core/game.hpp"
#include "eval/ntuple/evaluation.hpp"

namespace spielbaum {

// An unfinished position is worth nothing to anybody: only proven wins and losses count.
struct NoEvaluation {
    static constexpr std::string_view kName = "none";
    template <Game G>
    int operator()(const G&, const typename G::State&) const {
        return 0;
    }
};

// A score of an evaluation as a value in [-1, 1]: kHalfScore, four pawns in chess, is shown as 0.5.
inline constexpr int kHalfScore = 400;
constexpr double score_to_value(int score) { return score / (kHalfScore + (score < 0 ? -1.0 : 1.0) * score); }

// And back, for values in (-1, 1).
constexpr int value_to_score(double value) {
    return static_cast<int>(kHalfScore * value / (1.0 - (value < 0 ? -value : value)));
}
// The same on the scale of an evaluation.
template <class Evaluation>
int score_of_value(const Evaluation& evaluation, double value) {
    if constexpr (requires { evaluation.score_of(value); })
        return evaluation.score_of(value);
    else
        return value_to_score(value);
}

// A value in [-1, 1] for each player.
using Values = std::array<double, kMaxPlayers>;

// Points of the players as values that sum to 0: everybody has a race with everybody, in which a lead of `half` points
// is worth 0.5. Two players have the score of their difference. Who is out has lost all races but those with others
// who are.
template <class IsOut>
Values values_by_leads(const Values& points, int players, double half, IsOut&& is_out) {
    Values values{};
    for (int player = 0; player < players; ++player)
        for (int other = 0; other < player; ++other) {
            const auto i = static_cast<std::size_t>(player), j = static_cast<std::size_t>(other);
            const double lead = points[i] - points[j];
            const double won =
                is_out(player) || is_out(other) ? is_out(other) - is_out(player) : lead / (half + std::abs(lead));
            values[i] += won / (players - 1);
            values[j] -= won / (players - 1);
        }
    return values;
}

// What an evaluation says for every player. One that knows only the side to move gives the others equal shares of the
// opposite.
template <class Evaluation, Game G>
Values values_of(const Evaluation& evaluation, const G& game, const typename G::State& state) {
    const int players = game.num_players();
    if constexpr (requires { evaluation.values(game, state); })
        if (players > 2) return evaluation.values(game, state);
    const double value = score_to_value(evaluation(game, state));
    Values values{};
    for (int player = 0; player < players; ++player) values[static_cast<std::size_t>(player)] = -value / (players - 1);
    values[static_cast<std::size_t>(game.to_move(state))] = value;
    return values;
}

// What evaluates unfinished positions: one of the game's own evaluations by name, or a network.
struct EvaluationSpec {
    EvaluationSpec(std::string_view evaluation = "auto", NetworkPtr value_network = nullptr)
        : name(evaluation), network(std::move(value_network)) {}

    std::string name;
    NetworkPtr network;
};

// Every evaluation has a kName and int operator()(game, state): the value of an unfinished position for the side to
// move; where there are more than two players it may have values(game, state), too. The first one is the default, by
// the name "auto".
template <class... Evaluations>
class EvaluationChoice {
public:
    explicit EvaluationChoice(const EvaluationSpec& spec) : network_(spec.network) {
        const std::string_view name = spec.name;
        constexpr std::array<std::string_view, sizeof...(Evaluations)> kNames{Evaluations::kName...};
        if (name == "auto") return;
        for (; index_ < kNames.size(); ++index_)
            if (kNames[index_] == name) return;
        std::string expected = "auto";
        for (const std::string_view known : kNames) expected += ", " + std::string(known);
        throw OptionError("option eval=" + std::string(name) + ": expected one of " + expected);
    }

    template <Game G>
    int operator()(const G& game, const typename G::State& state) const {
        if constexpr (HasTupleCells<G>)
            if (network_) return ntuple_score(game, *network_, state, game.to_move(state));
        return evaluate(game, state, std::index_sequence_for<Evaluations...>{});
    }

    // The score that stands for a value in (-1, 1).
    int score_of(double value) const {
        return network_ ? ntuple_score_of_sum(*network_, network_->sum_of_value(value)) : value_to_score(value);
    }

    // The value to every player, in [-1, 1]; what one player has more, the others have less.
    template <Game G>
    Values values(const G& game, const typename G::State& state) const {
        if constexpr (HasTupleCells<G>)
            if (network_) return ntuple_values(game, *network_, state);
        return evaluate_all(game, state, std::index_sequence_for<Evaluations...>{});
    }

private:
    template <Game G, std::size_t... I>
    int evaluate(const G& game, const typename G::State& state, std::index_sequence<I...>) const {
        int value = 0;
        ((index_ == I ? void(value = std::get<I>(evaluations_)(game, state)) : void()), ...);
        return value;
    }

    template <Game G, std::size_t... I>
    Values evaluate_all(const G& game, const typename G::State& state, std::index_sequence<I...>) const {
        Values values{};
        ((index_ == I ? void(values = values_of(std::get<I>(evaluations_), game, state)) : void()), ...);
        return values;
    }

    NetworkPtr network_;
    std::size_t index_ = 0;
    std::tuple<Evaluations...> evaluations_;
};

}  // namespace spielbaum
