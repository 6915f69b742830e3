// Temporal-difference learning of an n-tuple network by self-play: TD(lambda) with after-states (S1, listing 2.1).
//
// Every game has its own random numbers, made from the seed and the number of the game: a training that is interrupted
// between two games goes on as if nothing had happened. One thread is deterministic.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/playout.hpp"
#include "eval/ntuple/position.hpp"
#include "learn/td_options.hpp"
#include "learn/traces.hpp"

namespace spielbaum {

// What training keeps beside the weights, for each of them: sums of changes and of their sizes (temporal coherence), and how
// often it was changed. Empty unless the options ask for it.
struct TdMemory {
    TdMemory(const NTupleNetwork& network, const TdOptions& options)
        : changes(options.control == StepControl::plain ? 0 : 2 * network.weights().size()),
          uses(options.count_uses ? network.weights().size() : 0) {}

    HugeArray<float> changes;  // by weight: the sum, and the sum of sizes
    HugeArray<std::uint32_t> uses;
};

// The value of a position to the first player, for games that are cut.
template <Game G>
using Oracle = std::function<double(const typename G::State&)>;

// What one thread does. Shared: several threads train the same network without locks (Niu et al. 2011). Such a thread changes
// weights only when its game is over: most positions use the entries of empty cells, and if every ply wrote there, the cores
// would spend their time on passing these lines of the cache to and fro.
template <Game G, bool Shared = false>
    requires HasTupleCells<G>
class TdWorker {
public:
    using State = typename G::State;
    using Values = std::array<double, kMaxPlayers>;  // by output: of two players, only the first

    // All of them must outlive this.
    TdWorker(const G& game, NTupleNetwork& network, TdMemory& memory, const TdOptions& options, const Oracle<G>& oracle)
        : game_(game),
          network_(network),
          memory_(memory),
          options_(options),
          oracle_(oracle),
          buffer_(static_cast<std::size_t>(game.max_moves()) * static_cast<std::size_t>(options.look_ahead + 1)),
          now_(network, game.num_cells()),
          best_(now_),
          tried_(static_cast<std::size_t>(options.look_ahead + 1), now_),
          traces_(static_cast<std::size_t>(options.lambda > 0 ? network.num_outputs() : 0), Traces(options.gamma * options.lambda, options.replacing)) {
        if (options.control == StepControl::tcl_exp)
            for (std::size_t i = 0; i < transfer_.size(); ++i)
                transfer_[i] = static_cast<float>(exponential(options.beta * (static_cast<double>(i) / kTransferParts - 1.0)));
    }

    // Plays one game and learns from it; answers its plies.
    int play(u64 number) {
        const int plies = play_and_learn(number);
        if constexpr (Shared) make_changes();
        return plies;
    }

    // One step of supervised learning: towards a known value of a position (to the first player, or to each).
    void learn_value(const State& state, const Values& targets, double alpha) {
        alpha_ = alpha;
        now_.set(game_, network_, state);
        const int mover = game_.to_move(state);
        const Values values = values_of(now_, mover);
        for (Traces& traces : traces_) traces.clear();
        if (options_.lambda > 0) note_traces(mover, values);
        learn(mover, values, targets);
        if constexpr (Shared) make_changes();
    }

    // What the value of positions loses without each tuple: the mean size of the difference, over the positions of games that
    // are played like those of the training, but from which nothing is learnt.
    std::vector<double> worths(u64 number, int games) {
        std::vector<double> totals(network_.shape().tuples.size());
        const double epsilon = options_.epsilon.value(number);
        u64 positions = 0;
        for (int i = 0; i < games; ++i) {
            Rng rng(combine(combine(options_.seed, number), static_cast<u64>(i) + 1));
            State state = game_.initial();
            now_.set(game_, network_, state);
            for (int ply = 0; !is_final(state, ply); ++ply) {
                add_worths(game_.to_move(state), totals);
                ++positions;
                const bool random = static_cast<double>(rng.next() >> 11) * 0x1p-53 < epsilon;
                const State next = random ? random_successor(state, rng) : best_successor(state, game_.to_move(state), ply, rng);
                best_.advance_from(now_, game_, network_, state, next);
                now_.swap(best_);
                state = next;
            }
        }
        for (double& total : totals) total /= static_cast<double>(positions * static_cast<u64>(network_.num_outputs()));
        return totals;
    }

private:
    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

    // ---- a game ----
    int play_and_learn(u64 number) {
        Rng rng(combine(options_.seed, number));
        alpha_ = options_.alpha.value(number);
        const double epsilon = options_.epsilon.value(number);
        State state = game_.initial();
        now_.set(game_, network_, state);
        for (Traces& traces : traces_) traces.clear();
        Values values{};  // of the current position, where they are known
        bool known = false;
        for (int ply = 0;; ++ply) {
            // Step 1. The value of the position, which the last learning step may have changed.
            const int mover = game_.to_move(state);
            if (!known) values = values_of(now_, mover);
            if (options_.lambda > 0) note_traces(mover, values);

            // Step 2. The next position: any, or the best for the mover.
            const bool random = static_cast<double>(rng.next() >> 11) * 0x1p-53 < epsilon;
            State next = random ? random_successor(state, rng) : best_successor(state, mover, ply, rng);
            const bool final = is_final(next, ply + 1);

            // Step 3. The target, and a learning step, unless the move says nothing about the position.
            Values next_values{};
            bool next_known = false;
            if (final) {
                learn(mover, values, rewards(next));
            } else if (!random) {
                next_values = values_of(best_, game_.to_move(next));
                Values targets = next_values;
                for (double& target : targets) target *= options_.gamma;
                learn(mover, values, targets);
                // A step of TD(0) changes weights of the mover alone, if there are tables for each player.
                next_known = options_.lambda == 0 && network_.num_movers() > 1 && game_.to_move(next) != mover;
            }
            if (final) return ply + 1;
            if (random && options_.resetting)
                for (Traces& traces : traces_) traces.clear();

            // Step 4. There the game goes on.
            if (random) best_.advance_from(now_, game_, network_, state, next);
            now_.swap(best_);
            state = next;
            values = next_values;
            known = next_known;
        }
    }

    // ---- positions and their values ----
    bool is_final(const State& state, int ply) const { return game_.over(state) || ply == options_.cut; }
    Values rewards(const State& state) const {
        if (game_.over(state)) return game_.outcome(state).rewards;
        return {oracle_(state)};
    }

    Values values_of(const TuplePosition<G>& position, int mover) const {
        Values values{};
        for (int output = 0; output < network_.num_outputs(); ++output)
            values[at(output)] = network_.value_of_sum(position.template sum<Shared>(network_, output, mover));
        return values;
    }

    State random_successor(State state, Rng& rng) {
        game_.play(state, random_move(game_, state, rng, buffer_.data()));
        return state;
    }

    // Ends with best_ at the place of the chosen position, unless that one is final. Of equally good ones, any.
    State best_successor(const State& state, int mover, int ply, Rng& rng) {
        State chosen = state;
        double best = 0.0;
        int equals = 0;
        const int count = game_.legal_moves(state, buffer_.data());
        for (int i = 0; i < count; ++i) {
            State next = state;
            game_.play(next, buffer_[at(i)]);
            const double worth = worth_of(next, state, now_, mover, ply + 1, 0)[at(mover)];
            if (equals > 0 && worth < best) continue;
            equals = equals > 0 && worth == best ? equals + 1 : 1;
            if (equals > 1 && rng.below(equals) != 0) continue;
            best = worth;
            chosen = next;
            if (options_.look_ahead == 0) best_.swap(tried_[0]);
        }
        if (options_.look_ahead > 0 && !is_final(chosen, ply + 1)) best_.advance_from(now_, game_, network_, state, chosen);
        return chosen;
    }

    // What a successor is worth to each player, by looking so far ahead as asked; on the scale of sums, which keeps apart
    // what tanh would not.
    Values worth_of(const State& state, const State& before, const TuplePosition<G>& position, int mover, int ply, int level) {
        Values worths{};
        if (is_final(state, ply)) {
            const auto known = rewards(state);
            for (int player = 0; player < network_.num_outputs(); ++player) worths[at(player)] = sum_of_reward(known[at(player)]);
            if (network_.num_outputs() == 1) worths[1] = -worths[0];
            return worths;
        }
        TuplePosition<G>& here = tried_[at(level)];
        here.advance_from(position, game_, network_, before, state);
        const int next_mover = game_.to_move(state);
        if (level == options_.look_ahead) {
            if (network_.num_outputs() == 1) {
                worths[0] = static_cast<double>(here.template sum<Shared>(network_, 0, next_mover));
                worths[1] = -worths[0];
            } else {
                worths[at(mover)] = static_cast<double>(here.template sum<Shared>(network_, mover, next_mover));
            }
            return worths;
        }
        // Everybody chooses what is best for himself.
        Move* const moves = buffer_.data() + at(level + 1) * at(game_.max_moves());
        const int count = game_.legal_moves(state, moves);
        for (int i = 0; i < count; ++i) {
            State next = state;
            game_.play(next, moves[i]);
            const auto found = all_worths_of(next, state, here, ply + 1, level + 1);
            if (i == 0 || found[at(next_mover)] > worths[at(next_mover)]) worths = found;
        }
        return worths;
    }
    // The same with the worth to every player, which only games of three need to look ahead.
    Values all_worths_of(const State& state, const State& before, const TuplePosition<G>& position, int ply, int level) {
        auto worths = worth_of(state, before, position, 0, ply, level);
        if (level == options_.look_ahead && !is_final(state, ply))
            for (int player = 1; player < network_.num_outputs(); ++player)
                worths[at(player)] = static_cast<double>(tried_[at(level)].template sum<Shared>(network_, player, game_.to_move(state)));
        return worths;
    }
    double sum_of_reward(double reward) const {
        if (reward >= 1.0 || reward <= -1.0) return reward * std::numeric_limits<double>::infinity();
        return reward == 0.0 ? 0.0 : 0.5 * natural_log((1.0 + reward) / (1.0 - reward)) / network_.shape().k;
    }

    // ---- learning ----
    // The gradient of tanh(k sum) with respect to each weight that the sum contains.
    float gradient(double value) const { return static_cast<float>(network_.shape().k * (1.0 - value * value)); }
    void note_traces(int mover, const Values& values) {
        for (int output = 0; output < network_.num_outputs(); ++output) {
            Traces& traces = traces_[at(output)];
            const float slope = gradient(values[at(output)]);
            const auto column = static_cast<std::uint32_t>(network_.column(output, mover));
            traces.begin_step();
            for (std::size_t i = 0; i < network_.num_features(); ++i) traces.use(now_.places()[i] + column, slope);
        }
    }
    void learn(int mover, const Values& values, const Values& targets) {
        for (int output = 0; output < network_.num_outputs(); ++output) {
            const auto error = static_cast<float>(targets[at(output)] - values[at(output)]);
            if (options_.lambda > 0) {
                traces_[at(output)].for_each([&](std::uint32_t weight, float trace) { recommend(weight, error * trace); },
                                             [&](std::uint32_t weight) {
                                                 if constexpr (!Shared) fetch(weight);
                                             });
            } else {
                const float by = error * gradient(values[at(output)]);
                const auto column = static_cast<std::uint32_t>(network_.column(output, mover));
                for (std::size_t i = 0; i < network_.num_features(); ++i) recommend(now_.places()[i] + column, by);
            }
        }
    }
    void fetch(std::uint32_t weight) const {
        __builtin_prefetch(network_.weights().data() + weight);
        if (options_.control != StepControl::plain) __builtin_prefetch(memory_.changes.data() + 2 * std::size_t{weight});
    }
    // What one step of the gradient recommends for a weight: a thread of several waits with it for the end of the game.
    void recommend(std::uint32_t weight, float by) {
        if constexpr (Shared)
            waiting_.push_back({weight, by});
        else
            change(weight, by);
    }
    void make_changes() {
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            if (i + kAhead < waiting_.size()) fetch(waiting_[i + kAhead].weight);
            change(waiting_[i].weight, waiting_[i].by);
        }
        waiting_.clear();
    }
    // Changes a weight in proportion to what was recommended.
    void change(std::uint32_t weight, float by) {
        float rate = static_cast<float>(alpha_);
        if (options_.control != StepControl::plain) {
            float* const sums = memory_.changes.data() + 2 * std::size_t{weight};
            const float sum = NTupleNetwork::read<Shared>(sums[0]), sizes = NTupleNetwork::read<Shared>(sums[1]);
            if (sizes > 0.0f) rate *= transferred(std::abs(sum) / sizes);
            NTupleNetwork::write<Shared>(sums[0], sum + by);
            NTupleNetwork::write<Shared>(sums[1], sizes + std::abs(by));
        }
        if (options_.count_uses) {
            std::uint32_t& uses = memory_.uses[weight];
            if constexpr (Shared)
                std::atomic_ref(uses).fetch_add(1, std::memory_order_relaxed);
            else
                ++uses;
        }
        float& place = network_.weights()[weight];
        NTupleNetwork::write<Shared>(place, NTupleNetwork::read<Shared>(place) + rate * by);
    }
    float transferred(float coherence) const {
        if (options_.control == StepControl::tcl) return coherence;
        return transfer_[std::min(static_cast<std::size_t>(coherence * kTransferParts + 0.5f), transfer_.size() - 1)];
    }

    void add_worths(int mover, std::vector<double>& totals) const {
        for (int output = 0; output < network_.num_outputs(); ++output) {
            const float sum = now_.template sum<Shared>(network_, output, mover);
            const double value = network_.value_of_sum(sum);
            for (std::size_t tuple = 0; tuple < totals.size(); ++tuple) {
                float without = sum;
                for (std::size_t image = 0; image < network_.num_images(); ++image)
                    without -= network_.weights()[now_.places()[tuple * network_.num_images() + image] + network_.column(output, mover)];
                totals[tuple] += std::abs(value - network_.value_of_sum(without));
            }
        }
    }

    struct Change {
        std::uint32_t weight;
        float by;
    };

    static constexpr float kTransferParts = 4096.0f;
    static constexpr std::size_t kAhead = 16;  // changes between fetching a weight and using it

    const G& game_;
    NTupleNetwork& network_;
    TdMemory& memory_;
    const TdOptions& options_;
    const Oracle<G>& oracle_;
    std::vector<Move> buffer_;  // max_moves() for each ply that is looked ahead
    TuplePosition<G> now_, best_;
    std::vector<TuplePosition<G>> tried_;  // by level of looking ahead
    std::vector<Traces> traces_;           // by output
    std::array<float, static_cast<std::size_t>(kTransferParts) + 1> transfer_{};  // exp(beta (x - 1)) for x from 0 to 1
    std::vector<Change> waiting_;  // for the end of the game
    double alpha_ = 0.0;
};

}  // namespace spielbaum
