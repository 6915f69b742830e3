// A training by one thread, or by two that share a network without locks.
#pragma once

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "learn/td.hpp"

namespace spielbaum {

template <Game G>
    requires HasTupleCells<G>
class TdTrainer {
public:
    TdTrainer(const G& game, std::shared_ptr<NTupleNetwork> network, TdOptions options, Oracle<G> oracle)
        : game_(game),
          network_(std::move(network)),
          options_(options),
          oracle_(std::move(oracle)),
          memory_(*network_, options_),
          worker_(game_, *network_, memory_, options_, oracle_) {}
    // The workers refer to the members.
    TdTrainer(const TdTrainer&) = delete;
    TdTrainer& operator=(const TdTrainer&) = delete;

    TdMemory& memory() { return memory_; }

    // Plays the games with the numbers from `first` up to `end`; answers the number of the first that was not played.
    // `go_on` is asked by the calling thread now and then; when it answers no, the training ends after the games that
    // have begun.
    u64 train(u64 first, u64 end, int threads, const std::function<bool()>& go_on) {
        if (threads == 1) {
            u64 number = first;
            for (; number < end && (number % kInterval != 0 || go_on()); ++number) worker_.play(number);
            return number;
        }
        Team team;
        u64 reached = first;
        std::exception_ptr failure;
        {
            const std::jthread helper([&] {
                try {
                    play_in(team, NTupleNetwork::Part::odd, first, end, [] { return true; });
                } catch (...) {
                    team.leave();  // what went wrong is told by the other, who waits in vain
                }
            });
            try {
                reached = play_in(team, NTupleNetwork::Part::even, first, end, go_on);
            } catch (...) {
                failure = std::current_exception();
                team.leave();
            }
        }
        if (failure) std::rethrow_exception(failure);
        return reached;
    }

    void learn_value(const typename G::State& state, const std::array<double, kMaxPlayers>& targets, double alpha) {
        worker_.learn_value(state, targets, alpha);
    }
    std::vector<double> worths(u64 number, int games) { return worker_.worths(number, games); }

    // Puts another tuple in the place of one, of which nothing is known yet.
    void replace(std::size_t tuple, Tuple cells) {
        network_->replace(tuple, std::move(cells));
        const auto stride = static_cast<std::size_t>(network_->stride());
        const std::size_t from = network_->offset(tuple), count = network_->table_size(tuple) * stride;
        if (memory_.changes.size() > 0) std::fill_n(memory_.changes.data() + 2 * from, 2 * count, 0.0f);
        if (memory_.uses.size() > 0) std::fill_n(memory_.uses.data() + from, count, 0u);
    }

private:
    static constexpr u64 kInterval = HasSlowRules<G> ? 1 : 16;  // games between two questions

    template <class GoOn>
    u64 play_in(Team& team, NTupleNetwork::Part part, u64 first, u64 end, GoOn&& go_on) {
        TdWorker<G> worker(game_, *network_, memory_, options_, oracle_, part, &team);
        for (u64 number = first; number < end; ++number) {
            if (number % kInterval == 0) {
                std::array<float, 1> votes{go_on() ? 0.0f : 1.0f};
                team.add(part == NTupleNetwork::Part::odd ? 1 : 0, votes);
                if (votes[0] > 0.0f) return number;
            }
            worker.play(number);
        }
        return end;
    }

    const G game_;
    const std::shared_ptr<NTupleNetwork> network_;
    const TdOptions options_;
    const Oracle<G> oracle_;
    TdMemory memory_;
    TdWorker<G> worker_;
};

}  // namespace spielbaum
