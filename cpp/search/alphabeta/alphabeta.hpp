// Alpha-beta and its family for more than two players, by one thread or by several that share a transposition table
// (lazy SMP): each searches the whole tree, and what one has found spares the others the same work. One thread is
// deterministic.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "search/alphabeta/maxn.hpp"
#include "search/alphabeta/worker.hpp"
#include "search/helpers.hpp"

namespace spielbaum {

template <Game G, class Evaluation>
class AlphaBeta {
public:
    using Report = std::function<void(const AlphaBetaResult&)>;

    AlphaBeta(const G& game, Evaluation evaluation, AlphaBetaOptions options)
        : game_(game),
          evaluation_(std::move(evaluation)),
          options_(without_contradictions(options)),
          table_(options.table ? options.memory.bytes : 0) {
        for (int i = 0; i < options.threads; ++i) workers_.push_back(make_worker());
    }
    // The workers refer to the members.
    AlphaBeta(const AlphaBeta&) = delete;
    AlphaBeta& operator=(const AlphaBeta&) = delete;

    // Forgets all that earlier searches have found, so that the next one does the same as that of a new object. The
    // table's memory is kept.
    void clear() {
        table_.clear();
        for (auto& worker : workers_) worker->forget();
    }

    // Searches until the control's limits; a limit of nodes holds for each thread. `all_values` gives an exact value to
    // every move. `report` is called after every depth by the calling thread. The result is that of the deepest search
    // that was finished.
    AlphaBetaResult search(const typename G::State& root, const Path& path, bool all_values, SearchControl& control,
                           const Report& report = {}) {
        if (game_.over(root)) return {};
        table_.start_search();
        std::vector<Helper> helpers(workers_.size() - 1);
        AlphaBetaResult best;
        {
            const Helpers threads(helpers.size(), control, kHelperInterval, [&](std::size_t i, SearchControl own) {
                own.publish(&helpers[i].nodes);
                helpers[i].result =
                    workers_[i + 1]->search(root, path, all_values, static_cast<int>(i) + 1, own, [](const auto&) {});
            });
            best = workers_[0]->search(root, path, all_values, 0, control, [&](const AlphaBetaResult& found) {
                if (!report) return;
                AlphaBetaResult so_far = found;
                for (const Helper& helper : helpers) so_far.nodes += helper.nodes.load(std::memory_order_relaxed);
                report(so_far);
            });
        }
        u64 nodes = best.nodes;
        for (Helper& helper : helpers) {
            nodes += helper.result.nodes;
            if (helper.result.depth > best.depth) best = std::move(helper.result);
        }
        best.nodes = nodes;
        return best;
    }

private:
    using Worker = DeepeningWorker<G>;

    // Games that always have two players need nothing else.
    static constexpr bool kTwoPlayers = requires { requires G::num_players() == 2; };

    std::unique_ptr<Worker> make_worker() {
        if constexpr (!kTwoPlayers)
            if (game_.num_players() > 2) {
                if (options_.multi == Multi::maxn)
                    return std::make_unique<MaxNWorker<G, Evaluation>>(game_, evaluation_, options_, table_);
                return make<AgainstRoot<G>>();
            }
        return make<TwoPlayers<G>>();
    }
    template <class Sides>
    std::unique_ptr<Worker> make() {
        return std::make_unique<AlphaBetaWorker<G, Evaluation, Sides>>(game_, evaluation_, options_, table_);
    }

    // Without pruning every node has the full window, in which cutoffs by the table and null windows cannot prune
    // either, and lines of captures have no end in sight.
    static AlphaBetaOptions without_contradictions(AlphaBetaOptions options) {
        options.cutoffs = options.cutoffs && options.pruning;
        options.windows = options.windows && options.pruning;
        options.quiescence = options.quiescence && options.pruning;
        return options;
    }
    // Where there are hundreds of threads on few cores, each must have its turn before the search has ended: a turn
    // must be short.
    static constexpr u64 kHelperInterval = 64;

    struct Helper {
        AlphaBetaResult result;
        std::atomic<u64> nodes = 0;
    };

    const G game_;
    const Evaluation evaluation_;
    const AlphaBetaOptions options_;
    TranspositionTable table_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace spielbaum
