// What a network says about states that come in any order, as a search meets them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

#include "eval/ntuple/position.hpp"

namespace spielbaum {

using NetworkPtr = std::shared_ptr<const NTupleNetwork>;

// The network's values count for the order of moves in positions with fewer stones than `stones` (S1, 4.6.4).
struct MoveOrder {
    NetworkPtr network;
    int stones = 0;
};

// One thread's last state and its place in a network: the next state differs from it in a few cells only. States of
// slow rules are not kept: they belong to an interpreter that may end before the thread does.
template <Game G>
    requires HasTupleCells<G>
class TupleReader {
public:
    // The reader of this thread, showing `state`.
    static const TuplePosition<G>& at(const G& game, const NTupleNetwork& network, const typename G::State& state) {
        thread_local TupleReader reader;
        reader.show(game, network, state);
        return *reader.position_;
    }

private:
    void show(const G& game, const NTupleNetwork& network, const typename G::State& state) {
        const bool known = network_id_ == network.id();
        if (!known) {
            position_.emplace(network, game.num_cells());
            network_id_ = network.id();
        }
        if constexpr (HasSlowRules<G>) {
            position_->set(game, network, state);
        } else {
            if (known)
                position_->advance(game, network, state_, state);
            else
                position_->set(game, network, state);
            state_ = state;
        }
    }

    u64 network_id_ = 0;
    std::conditional_t<HasSlowRules<G>, std::monostate, typename G::State> state_{};
    std::optional<TuplePosition<G>> position_;
};

// The sum for a player of two, or of more.
template <Game G>
    requires HasTupleCells<G>
float ntuple_sum(const G& game, const NTupleNetwork& network, const typename G::State& state, int player) {
    const auto& position = TupleReader<G>::at(game, network, state);
    if (network.num_outputs() > 1) return position.sum(network, player, game.to_move(state));
    const float sum = position.sum(network, 0, game.to_move(state));
    return player == 0 ? sum : -sum;
}

// A number kept within bounds; the upper one if it is none (weights that have outgrown all numbers).
inline double bounded(double number, double most) { return std::max(-most, std::min(most, number)); }

// The value of an unfinished position to every player, from -1 to 1.
template <Game G>
    requires HasTupleCells<G>
std::array<double, kMaxPlayers> ntuple_values(const G& game, const NTupleNetwork& network,
                                              const typename G::State& state) {
    std::array<double, kMaxPlayers> values{};
    for (int player = 0; player < game.num_players(); ++player)
        values[static_cast<std::size_t>(player)] =
            bounded(network.value_of_sum(ntuple_sum(game, network, state, player)), 1.0);
    return values;
}

// A whole number for searches that compare such: thousandths of what tanh is applied to, if it is. Far from 0 it still
// tells apart positions that tanh would not.
inline constexpr double kNTupleUnit = 1000.0;
inline int ntuple_score_of_sum(const NTupleNetwork& network, double sum) {
    constexpr double kMost = 30000.0;
    return static_cast<int>(std::floor(bounded(kNTupleUnit * network.shape().k * sum, kMost) + 0.5));
}
template <Game G>
    requires HasTupleCells<G>
int ntuple_score(const G& game, const NTupleNetwork& network, const typename G::State& state, int player) {
    return ntuple_score_of_sum(network, static_cast<double>(ntuple_sum(game, network, state, player)));
}

}  // namespace spielbaum
