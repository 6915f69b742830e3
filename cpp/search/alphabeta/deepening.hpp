// What searches of one thread have in common: iterative deepening, and where moves, lines and positions are kept.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "search/alphabeta/result.hpp"
#include "search/alphabeta/search_order.hpp"
#include "search/control.hpp"
#include "search/table.hpp"

namespace spielbaum {

template <Game G>
class DeepeningWorker {
public:
    using State = typename G::State;
    using Finished = std::function<void(const AlphaBetaResult&)>;

    // What is shared with other workers must outlive this one.
    DeepeningWorker(const G& game, const AlphaBetaOptions& options, TranspositionTable& table)
        : game_(game), options_(options), table_(table), order_(game, options) {
        for (auto& line : lines_) line.reserve(kMaxPly);
    }
    virtual ~DeepeningWorker() = default;
    DeepeningWorker(const DeepeningWorker&) = delete;
    DeepeningWorker& operator=(const DeepeningWorker&) = delete;

    void forget() { order_.forget(); }

    // Searches until the control's limits and returns the result of the last depth that was finished; `finished` is
    // called with that of every depth. `rank`: the first worker has 0; others begin with other moves, and a ply deeper
    // if it is odd, so that workers that share a table do not all do the same.
    AlphaBetaResult search(const State& root, const Path& path, bool all_values, int rank, SearchControl& control,
                           const Finished& finished) {
        control_ = &control;
        path_ = path;
        order_.start_search();
        start_at(root);
        AlphaBetaResult result;
        result.moves = root_moves(root);
        std::rotate(result.moves.begin(), result.moves.begin() + rank % static_cast<int>(result.moves.size()),
                    result.moves.end());
        const int last = std::min(control.limits().depth, kMaxPly - 1);
        const int first = options_.iterative ? std::min(1 + rank % 2, last) : last;
        try {
            for (int depth = first; depth <= last; ++depth) {
                std::vector<RootMove> moves = result.moves;
                horizon_seen_ = false;
                const int value = search_root(root, moves, depth, result, all_values);
                extend_line(root, moves.front().line, depth);
                result = {depth, value, moves.front().line, std::move(moves), control.nodes()};
                finished(shown(result));
                // Deeper searches would find the same win, or the same loss; but other moves may still change.
                if ((is_decided(value, depth) && !all_values) || !horizon_seen_) break;
            }
        } catch (const SearchStopped&) {
            // The unfinished depth is forgotten.
        }
        result.nodes = control.nodes();
        return shown(std::move(result));
    }

protected:
    // Searches all moves to a depth, sorts them, and returns the value of the best.
    virtual int search_root(const State& root, std::vector<RootMove>& moves, int depth, const AlphaBetaResult& last,
                            bool all_values) = 0;
    virtual void start_at(const State&) {}
    virtual bool is_decided(int, int) const { return false; }
    // Goes on with a line that ends before its depth, as far as the table knows it.
    virtual void extend_line(State, std::vector<Move>&, int) {}
    // A value of the search as others see it.
    virtual int shown(int value) const { return value; }

    // A copy of a position, to play on it at a ply. One that owns memory is kept for the next move there, which then
    // allocates nothing.
    static constexpr bool kKeepsStates = !std::is_trivially_copyable_v<State> && !HasSlowRules<G>;
    using Copy = std::conditional_t<kKeepsStates, State&, State>;
    Copy copy_for(const State& state, [[maybe_unused]] int ply) {
        if constexpr (kKeepsStates) {
            State& kept = states_[static_cast<std::size_t>(ply)];
            return kept = state;
        } else {
            return state;
        }
    }
    // Takes the positions of a ply off the path when it is taken back, also when the search is stopped.
    struct Unwind {
        explicit Unwind(Path& path) : path_(path), size_(path.size()) {}
        ~Unwind() {
            if constexpr (Repeats<G>) path_.shorten(size_);
        }
        Unwind(const Unwind&) = delete;
        Unwind& operator=(const Unwind&) = delete;

    private:
        Path& path_;
        const std::size_t size_;
    };
    std::vector<Ply>& plies_at(int ply) { return plies_[static_cast<std::size_t>(ply)]; }
    std::vector<Move>& line_at(int ply) { return lines_[static_cast<std::size_t>(ply)]; }
    void set_line(int ply, Move move) {
        auto& line = line_at(ply);
        const auto& rest = line_at(ply + 1);
        line.assign(1, move);
        line.insert(line.end(), rest.begin(), rest.end());
    }
    static void set_root_line(RootMove& move, const std::vector<Move>& rest) {
        move.line.assign(1, move.move);
        move.line.insert(move.line.end(), rest.begin(), rest.end());
    }

    const G& game_;
    const AlphaBetaOptions& options_;
    TranspositionTable& table_;
    SearchOrder<G> order_;
    SearchControl* control_ = nullptr;
    Path path_;
    bool horizon_seen_ = false;

private:
    // Where a game knows which moves look best, these come first: there may be no time to look at all of them.
    std::vector<RootMove> root_moves(const State& root) {
        std::vector<RootMove> moves;
        for (const Move move : order_.legal(root)) moves.push_back({move, -kWin, {move}});
        if constexpr (OrdersMoves<G>)
            if (options_.ordering) {
                std::vector<Ply> plies;
                for (const RootMove& each : moves) plies.push_back({each.move});
                order_.rank(root, plies, 0, std::nullopt);
                for (std::size_t i = 0; i < plies.size(); ++i) moves[i].value = plies[i].rank;
                sort_by_value(moves);
                for (RootMove& each : moves) each.value = -kWin;
            }
        return moves;
    }
    AlphaBetaResult shown(AlphaBetaResult result) const {
        if (result.depth == 0) return result;
        result.value = shown(result.value);
        for (RootMove& move : result.moves) move.value = shown(move.value);
        return result;
    }

    std::array<std::vector<Ply>, kMaxPly + 1> plies_;
    std::array<std::vector<Move>, kMaxPly + 2> lines_;  // the best line from each ply on
    std::array<State, kKeepsStates ? kMaxPly + 2 : 0> states_;
};

}  // namespace spielbaum
