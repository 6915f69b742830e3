// Temporal-difference learning of an n-tuple network by self-play: TD(lambda) with after-states (S1, listing 2.1).
//
// Every game has its own random numbers, made from the seed and the number of the game: a training that is interrupted
// between two games goes on as if nothing had happened. Training is deterministic, with one thread or two.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/playout.hpp"
#include "eval/ntuple/position.hpp"
#include "learn/td_options.hpp"
#include "learn/team.hpp"
#include "learn/traces.hpp"

namespace spielbaum {

// What training keeps beside the weights, for each of them: sums of changes and of their sizes (temporal coherence),
// and how often it was changed. Empty unless the options ask for it.
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

// What one thread does: all, or the part of a team's member.
template <Game G>
    requires HasTupleCells<G>
class TdWorker {
public:
    using State = typename G::State;
    using Values = std::array<double, kMaxPlayers>;  // by output: of two players, only the first
    using Part = NTupleNetwork::Part;

    // All of them must outlive this. The part of a network: `all` without a team.
    TdWorker(const G& game, NTupleNetwork& network, TdMemory& memory, const TdOptions& options, const Oracle<G>& oracle,
             Part part = Part::all, Team* team = nullptr)
        : game_(game),
          network_(network),
          memory_(memory),
          options_(options),
          oracle_(oracle),
          team_(team),
          part_(part),
          buffer_(at(game.max_moves()) * at(options.look_ahead + 1)),
          now_(network, game.num_cells(), part),
          best_(now_),
          tried_(at(game.max_moves()), now_),
          nexts_(at(game.max_moves())),
          ends_(at(game.max_moves())),
          worths_(at(game.max_moves())),
          sums_(at(game.max_moves())),
          deeper_(at(options.look_ahead), now_),
          traces_(static_cast<std::size_t>(options.lambda > 0 ? network.num_outputs() : 0),
                  Traces(options.gamma * options.lambda, options.replacing)) {
        if (options.control == StepControl::tcl_exp)
            for (std::size_t i = 0; i < transfer_.size(); ++i)
                transfer_[i] =
                    static_cast<float>(exponential(options.beta * (static_cast<double>(i) / kTransferParts - 1.0)));
    }

    // Plays one game and learns from it; answers its plies.
    int play(u64 number) {
        Rng rng(combine(options_.seed, number));
        alpha_ = options_.alpha.value(number);
        const double epsilon = options_.epsilon.value(number);
        State state = begin();
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
                next_values = values_of_best(game_.to_move(next));
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
            go_to(state, next);
            values = next_values;
            known = next_known;
        }
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
    }

    // What the value of positions loses without each tuple: the mean size of the difference, over the positions of
    // games that are played like those of the training, but from which nothing is learnt.
    std::vector<double> worths(u64 number, int games) {
        std::vector<double> totals(network_.shape().tuples.size());
        const double epsilon = options_.epsilon.value(number);
        u64 positions = 0;
        for (int i = 0; i < games; ++i) {
            Rng rng(combine(combine(options_.seed, number), static_cast<u64>(i) + 1));
            State state = begin();
            for (int ply = 0; !is_final(state, ply); ++ply) {
                add_worths(game_.to_move(state), totals);
                ++positions;
                const bool random = static_cast<double>(rng.next() >> 11) * 0x1p-53 < epsilon;
                const State next =
                    random ? random_successor(state, rng) : best_successor(state, game_.to_move(state), ply, rng);
                best_.advance_from(now_, game_, network_, state, next);
                go_to(state, next);
            }
        }
        for (double& total : totals) total /= static_cast<double>(positions * static_cast<u64>(network_.num_outputs()));
        return totals;
    }

private:
    using Sums = std::array<float, kMaxPlayers>;

    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

    // ---- the game, with now_ at the place of its position ----
    State begin() {
        State state = game_.initial();
        now_.set(game_, network_, state);
        path_ = Path{};
        return state;
    }
    // From a position to the next, which best_ shows.
    void go_to(State& state, const State& next) {
        if constexpr (Repeats<G>) path_.push(path_key(game_, state));
        now_.swap(best_);
        state = next;
    }
    // The path remains that of `state`.
    State successor(const State& state, Move move) {
        State next = state;
        advance(game_, next, move, path_);
        if constexpr (Repeats<G>) path_.pop();
        return next;
    }

    // ---- positions and their values ----
    bool is_final(const State& state, int ply) const { return game_.over(state) || ply == options_.cut; }
    Values rewards(const State& state) const {
        if (game_.over(state)) return game_.outcome(state).rewards;
        return {oracle_(state)};
    }

    Values values_of(const TuplePosition<G>& position, int mover) const {
        const Sums sums = sums_of(position, mover);
        Values values{};
        for (int output = 0; output < network_.num_outputs(); ++output)
            values[at(output)] = network_.value_of_sum(sums[at(output)]);
        return values;
    }
    // Of the position that best_successor chose; to choose among those of two players, it had to know their sums.
    Values values_of_best(int mover) const {
        if (network_.num_outputs() > 1 || options_.look_ahead > 0) return values_of(best_, mover);
        return {network_.value_of_sum(best_sum_)};
    }
    // By output, of the whole network.
    Sums sums_of(const TuplePosition<G>& position, int mover) const {
        Sums sums{};
        for (int output = 0; output < network_.num_outputs(); ++output)
            sums[at(output)] = position.sum(network_, output, mover);
        add_others({sums.data(), at(network_.num_outputs())});
        return sums;
    }
    void add_others(std::span<float> sums) const {
        if (team_ != nullptr) team_->add(part_ == Part::odd ? 1 : 0, sums);
    }

    State random_successor(const State& state, Rng& rng) {
        return successor(state, random_move(game_, state, rng, buffer_.data()));
    }

    // Ends with best_ at the place of the chosen position, unless that one is final. Of equally good ones, any.
    State best_successor(const State& state, int mover, int ply, Rng& rng) {
        const std::size_t count = at(game_.legal_moves(state, buffer_.data()));
        const int output = network_.num_outputs() == 1 ? 0 : mover;
        const double sign = network_.num_outputs() == 1 && mover == 1 ? -1.0 : 1.0;
        for (std::size_t i = 0; i < count; ++i) {
            nexts_[i] = successor(state, buffer_[i]);
            sums_[i] = 0.0f;
            ends_[i] = is_final(nexts_[i], ply + 1);
            if (ends_[i]) {
                worths_[i] = worths_of_end(nexts_[i])[at(mover)];
                continue;
            }
            tried_[i].advance_from(now_, game_, network_, state, nexts_[i]);
            if (options_.look_ahead > 0)
                worths_[i] = worths_after(state, nexts_[i], tried_[i], ply + 1, 0)[at(mover)];
            else
                sums_[i] = tried_[i].sum(network_, output, game_.to_move(nexts_[i]));
        }
        if (options_.look_ahead == 0) {
            add_others({sums_.data(), count});
            for (std::size_t i = 0; i < count; ++i)
                if (!ends_[i]) worths_[i] = sign * static_cast<double>(sums_[i]);
        }
        std::size_t chosen = 0;
        int equals = 1;
        for (std::size_t i = 1; i < count; ++i) {
            if (worths_[i] < worths_[chosen]) continue;
            equals = worths_[i] == worths_[chosen] ? equals + 1 : 1;
            if (equals == 1 || rng.below(equals) == 0) chosen = i;
        }
        best_.swap(tried_[chosen]);
        best_sum_ = sums_[chosen];
        return nexts_[chosen];
    }

    // The same as worths_below, of a successor of `state`, which the path has still to learn of.
    Values worths_after(const State& state, const State& next, const TuplePosition<G>& position, int ply, int level) {
        if constexpr (Repeats<G>) path_.push(path_key(game_, state));
        const Values worths = worths_below(next, position, ply, level);
        if constexpr (Repeats<G>) path_.pop();
        return worths;
    }
    // What a position is worth to each player, by looking so far ahead as asked; on the scale of sums, which keeps
    // apart what tanh would not. Everybody chooses what is best for himself.
    Values worths_below(const State& state, const TuplePosition<G>& position, int ply, int level) {
        Values worths{};
        const int mover = game_.to_move(state);
        if (level == options_.look_ahead) {
            const Sums sums = sums_of(position, mover);
            std::copy(sums.begin(), sums.end(), worths.begin());
            if (network_.num_outputs() == 1) worths[1] = -worths[0];
            return worths;
        }
        Move* const moves = buffer_.data() + at(level + 1) * at(game_.max_moves());
        const int count = game_.legal_moves(state, moves);
        for (int i = 0; i < count; ++i) {
            const State next = successor(state, moves[i]);
            Values found;
            if (is_final(next, ply + 1)) {
                found = worths_of_end(next);
            } else {
                TuplePosition<G>& below = deeper_[at(level)];
                below.advance_from(position, game_, network_, state, next);
                found = worths_after(state, next, below, ply + 1, level + 1);
            }
            if (i == 0 || found[at(mover)] > worths[at(mover)]) worths = found;
        }
        return worths;
    }
    Values worths_of_end(const State& state) const {
        const auto known = rewards(state);
        Values worths{};
        for (int player = 0; player < network_.num_outputs(); ++player)
            worths[at(player)] = network_.sum_of_value(known[at(player)]);
        if (network_.num_outputs() == 1) worths[1] = -worths[0];
        return worths;
    }

    // ---- learning ----
    // The gradient of the value with respect to each weight that the sum contains.
    float gradient(double value) const { return static_cast<float>(network_.slope(value)); }
    void note_traces(int mover, const Values& values) {
        for (int output = 0; output < network_.num_outputs(); ++output) {
            Traces& traces = traces_[at(output)];
            const float slope = gradient(values[at(output)]);
            const auto column = static_cast<std::uint32_t>(network_.column(output, mover));
            const auto [begin, end] = network_.range(part_);
            traces.begin_step();
            for (std::size_t i = begin; i < end; ++i) traces.use(now_.places()[i] + column, slope);
        }
    }
    void learn(int mover, const Values& values, const Values& targets) {
        for (int output = 0; output < network_.num_outputs(); ++output) {
            const auto error = static_cast<float>(targets[at(output)] - values[at(output)]);
            if (options_.lambda > 0) {
                traces_[at(output)].for_each([&](std::uint32_t weight, float trace) { change(weight, error * trace); },
                                             [&](std::uint32_t weight) { fetch(weight); });
            } else {
                const float by = error * gradient(values[at(output)]);
                const auto column = static_cast<std::uint32_t>(network_.column(output, mover));
                const auto [begin, end] = network_.range(part_);
                for (std::size_t i = begin; i < end; ++i) change(now_.places()[i] + column, by);
            }
        }
    }
    void fetch(std::uint32_t weight) const {
        __builtin_prefetch(network_.weights().data() + weight);
        if (options_.control != StepControl::plain)
            __builtin_prefetch(memory_.changes.data() + 2 * std::size_t{weight});
    }
    // Changes a weight in proportion to what one step of the gradient recommends.
    void change(std::uint32_t weight, float by) {
        float rate = static_cast<float>(alpha_);
        if (options_.control != StepControl::plain) {
            float* const sums = memory_.changes.data() + 2 * std::size_t{weight};
            if (sums[1] > 0.0f) rate *= transferred(std::abs(sums[0]) / sums[1]);
            sums[0] += by;
            sums[1] += std::abs(by);
        }
        if (options_.count_uses) ++memory_.uses[weight];
        network_.weights()[weight] += rate * by;
    }
    float transferred(float coherence) const {
        if (options_.control == StepControl::tcl) return coherence;
        return transfer_[std::min(static_cast<std::size_t>(coherence * kTransferParts + 0.5f), transfer_.size() - 1)];
    }

    void add_worths(int mover, std::vector<double>& totals) const {
        for (int output = 0; output < network_.num_outputs(); ++output) {
            const float sum = now_.sum(network_, output, mover);
            const double value = network_.value_of_sum(sum);
            for (std::size_t tuple = 0; tuple < totals.size(); ++tuple) {
                float without = sum;
                for (std::size_t image = 0; image < network_.num_images(); ++image)
                    without -=
                        network_
                            .weights()[now_.places()[network_.feature(tuple, image)] + network_.column(output, mover)];
                totals[tuple] += std::abs(value - network_.value_of_sum(without));
            }
        }
    }

    static constexpr float kTransferParts = 4096.0f;

    const G& game_;
    NTupleNetwork& network_;
    TdMemory& memory_;
    const TdOptions& options_;
    const Oracle<G>& oracle_;
    Team* const team_;
    const Part part_;
    Path path_;                 // to the position of the game
    std::vector<Move> buffer_;  // max_moves() for each ply that is looked ahead
    TuplePosition<G> now_, best_;
    float best_sum_ = 0.0f;
    // By move of the current position:
    std::vector<TuplePosition<G>> tried_;
    std::vector<State> nexts_;
    std::vector<std::uint8_t> ends_;  // whether the game is over
    std::vector<double> worths_;
    std::vector<float> sums_;
    std::vector<TuplePosition<G>> deeper_;                                        // by level of looking ahead
    std::vector<Traces> traces_;                                                  // by output
    std::array<float, static_cast<std::size_t>(kTransferParts) + 1> transfer_{};  // exp(beta (x - 1)) for x from 0 to 1
    double alpha_ = 0.0;
};

}  // namespace spielbaum
