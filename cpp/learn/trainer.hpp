// A training by one thread or by several that share a network without locks.
#pragma once

#include <atomic>
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
        : game_(game), network_(std::move(network)), options_(options), oracle_(std::move(oracle)), memory_(*network_, options_),
          worker_(game_, *network_, memory_, options_, oracle_) {}
    // The workers refer to the members.
    TdTrainer(const TdTrainer&) = delete;
    TdTrainer& operator=(const TdTrainer&) = delete;

    TdMemory& memory() { return memory_; }

    // Plays the games with the numbers from `first` up to `end`; answers the number of the first that was not played. `go_on`
    // is asked by the calling thread now and then; when it answers no, the games that have begun are played to their end.
    u64 train(u64 first, u64 end, int threads, const std::function<bool()>& go_on) {
        if (threads == 1) {
            u64 number = first;
            for (; number < end && (number % kInterval != 0 || go_on()); ++number) worker_.play(number);
            return number;
        }
        std::atomic<u64> next = first;
        std::atomic<bool> stop = false;
        std::exception_ptr failure;
        {
            std::vector<std::jthread> helpers;
            for (int i = 1; i < threads; ++i) helpers.emplace_back([&] { play_shared(next, end, stop, [] { return true; }); });
            try {
                play_shared(next, end, stop, go_on);
            } catch (...) {
                failure = std::current_exception();
            }
            if (failure) stop = true;
        }
        if (failure) std::rethrow_exception(failure);
        return std::min(next.load(), end);
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
    static constexpr u64 kInterval = 16;  // games between two questions

    template <class GoOn>
    void play_shared(std::atomic<u64>& next, u64 end, std::atomic<bool>& stop, GoOn&& go_on) {
        TdWorker<G, true> worker(game_, *network_, memory_, options_, oracle_);
        for (u64 played = 0; !stop.load(std::memory_order_relaxed); ++played) {
            if (played % kInterval == 0 && !go_on()) {
                stop = true;
                return;
            }
            const u64 number = next.fetch_add(1, std::memory_order_relaxed);
            if (number >= end) return;
            worker.play(number);
        }
    }

    const G game_;
    const std::shared_ptr<NTupleNetwork> network_;
    const TdOptions options_;
    const Oracle<G> oracle_;
    TdMemory memory_;
    TdWorker<G> worker_;
};

}  // namespace spielbaum
