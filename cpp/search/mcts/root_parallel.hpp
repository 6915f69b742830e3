// Several searches of one position side by side, each with its own tree and random numbers, whose visits are added up.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "search/helpers.hpp"
#include "search/mcts/search.hpp"

namespace spielbaum {

// What several searches of the same root have found together.
inline MctsResult merged(const std::vector<MctsResult>& results, FinalRule rule) {
    MctsResult all = results.front();
    for (std::size_t i = 1; i < results.size(); ++i) {
        const MctsResult& other = results[i];
        all.iterations += other.iterations;
        all.nodes += other.nodes;
        all.bytes += other.bytes;
        all.kept += other.kept;
        all.full = all.full || other.full;
        if (all.proof == Proof::unknown) all.proof = other.proof;
        for (const MctsMove& move : other.moves) {
            MctsMove& sum = *std::find_if(all.moves.begin(), all.moves.end(),
                                          [&](const MctsMove& each) { return each.move == move.move; });
            const double visits = static_cast<double>(sum.visits) + move.visits;
            if (visits > 0) {
                sum.mean = (sum.mean * sum.visits + move.mean * move.visits) / visits;
                sum.score = (sum.score * sum.visits + move.score * move.visits) / visits;
            }
            if (move.visits > sum.visits || move.proof == Proof::win) sum.line = move.line;
            if (sum.proof == Proof::unknown) sum.proof = move.proof;
            sum.visits += move.visits;
        }
    }
    double visits = 0.0;
    for (const MctsMove& move : all.moves) visits += move.visits;
    for (MctsMove& move : all.moves) move.policy = visits == 0.0 ? 0.0 : move.visits / visits;
    rank_moves(all.moves, rule);
    if (!all.moves.empty()) all.value = all.moves.front().value();
    return all;
}

template <Game G, class Evaluation = EvaluationChoice<NoEvaluation>>
class RootParallelMcts {
public:
    using State = typename G::State;
    using Report = typename Mcts<G, Evaluation>::Report;

    // `options.threads` searches, which share the memory.
    RootParallelMcts(const G& game, const MctsOptions& options, u64 seed) : final_(options.final) {
        MctsOptions each = options;
        each.threads = 1;
        each.memory.bytes = options.memory.bytes / static_cast<std::size_t>(options.threads);
        for (int i = 0; i < options.threads; ++i)
            searches_.push_back(std::make_unique<Mcts<G, Evaluation>>(game, each, seed_of_thread(seed, i)));
    }

    void reset(u64 seed) {
        for (std::size_t i = 0; i < searches_.size(); ++i)
            searches_[i]->reset(seed_of_thread(seed, static_cast<int>(i)));
    }

    // A limit of iterations is shared out; reports are those of the calling thread's own search.
    MctsResult search(const State& root, const Path& path, SearchControl& control, const Report& report = {}) {
        const u64 limit = control.limits().nodes, count = searches_.size();
        const auto share = [&](u64 i) {
            return limit == std::numeric_limits<u64>::max() ? limit : limit / count + (i < limit % count ? 1 : 0);
        };
        std::vector<MctsResult> results(count);
        {
            control.set_nodes(share(0));
            Helpers threads(count - 1, control, kInterval, [&](std::size_t i, SearchControl own) {
                own.set_nodes(share(i + 1));
                results[i + 1] = searches_[i + 1]->search(root, path, own);
            });
            results[0] = searches_[0]->search(root, path, control, report);
            // Ended by the number of iterations, the others end by it as well.
            if (control.nodes() >= share(0)) threads.wait();
        }
        return merged(results, final_);
    }

    // That of the first search.
    std::vector<MctsTreeRow> tree(std::size_t most) const { return searches_.front()->tree(most); }

private:
    static constexpr u64 kInterval = 64;

    FinalRule final_;
    std::vector<std::unique_ptr<Mcts<G, Evaluation>>> searches_;
};

}  // namespace spielbaum
