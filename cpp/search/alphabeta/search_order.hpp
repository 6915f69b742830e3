// In which order a search tries moves: what the table says, what is plain about them, killer moves, and history.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/game.hpp"
#include "search/alphabeta/result.hpp"

namespace spielbaum {

// A move that is to be tried. `place` is for whoever lists moves: see AgainstRoot and MaxNWorker.
struct Ply {
    Move move = 0;
    std::uint16_t place = 0;
    int rank = 0;
};

template <Game G>
class SearchOrder {
public:
    using State = typename G::State;

    SearchOrder(const G& game, const AlphaBetaOptions& options) : game_(game), options_(options) {}

    void forget() { history_ = {}; }
    void start_search() { killers_ = {}; }

    // Legal moves of a position, which stay there until the next call.
    std::span<const Move> legal(const State& state) {
        moves_.resize(static_cast<std::size_t>(game_.max_moves()));
        return {moves_.data(), static_cast<std::size_t>(game_.legal_moves(state, moves_.data()))};
    }

    // Ranks moves of the side to move.
    void rank(const State& state, std::span<Ply> plies, int ply, std::optional<Move> table_move) {
        const auto& history = history_[static_cast<std::size_t>(game_.to_move(state))];
        const auto& killers = killers_[static_cast<std::size_t>(ply)];
        Tactics tactics;
        if constexpr (HasTactics<G>)
            if (options_.ordering) tactics = game_.tactics(state);
        if constexpr (OrdersMoves<G>)
            if (options_.ordering) look_at(state, plies);
        for (std::size_t i = 0; i < plies.size(); ++i) {
            const Move move = plies[i].move;
            int& rank = plies[i].rank;
            rank = table_move == move ? kTableRank : 0;
            if (!options_.ordering) continue;
            if constexpr (HasTactics<G>) {
                rank = std::max(rank, rank_by(tactics, move));
                if (contains(tactics.loses, move)) rank = kLossRank;
            }
            if (rank != 0) continue;
            if constexpr (HasNoisyMoves<G>)
                if (const int noise = game_.noise(state, move); noise > 0) rank = kNoiseRank + noise;
            if (rank == 0 && move == killers[0]) rank = kKillerRank + 1;
            if (rank == 0 && move == killers[1]) rank = kKillerRank;
            if constexpr (HasTupleCells<G>)
                if (rank == 0 && options_.order && ply <= options_.order_plies) rank = rank_by_network(state, move);
            if (rank == 0) rank = history[move & kHistoryMask];
            if constexpr (OrdersMoves<G>)
                if (rank < kKillerRank) rank += kLooksRank * looks_[i];
        }
    }

    // The move that looks best by the rules alone, whatever was searched before: the first one of the best.
    Move likeliest(const State& state) {
        const auto moves = legal(state);
        plain_.resize(moves.size());
        for (std::size_t i = 0; i < moves.size(); ++i) plain_[i] = {moves[i], 0, 0};
        if constexpr (OrdersMoves<G>) {
            look_at(state, plain_);
            for (std::size_t i = 0; i < plain_.size(); ++i) plain_[i].rank = looks_[i];
        } else if constexpr (HasTactics<G>) {
            const Tactics tactics = game_.tactics(state);
            for (Ply& each : plain_)
                each.rank = contains(tactics.loses, each.move) ? kLossRank : rank_by(tactics, each.move);
        }
        return std::max_element(plain_.begin(), plain_.end(),
                                [](const Ply& a, const Ply& b) { return a.rank < b.rank; })
            ->move;
    }

    // Brings the best of the moves from `from` on there; equal ones keep their order. Whoever comes so far that most
    // will be tried has them sorted.
    static void pick_best(std::span<Ply> plies, std::size_t from) {
        const auto better = [](const Ply& a, const Ply& b) { return a.rank > b.rank; };
        if (from > kPicked) return;
        const auto rest = plies.subspan(from);
        if (from == kPicked) return std::stable_sort(rest.begin(), rest.end(), better);
        const auto best = std::min_element(rest.begin(), rest.end(), better);
        std::rotate(rest.begin(), best, best + 1);
    }

    // A move of the player has refuted a position.
    void reward(Move move, int player, int depth, int ply) {
        if (!options_.ordering) return;
        auto& killers = killers_[static_cast<std::size_t>(ply)];
        if (killers[0] != move) killers = {move, killers[0]};
        int& score = history_[static_cast<std::size_t>(player)][move & kHistoryMask];
        score += depth * depth;
        if (score > kKillerRank / 2)
            for (auto& row : history_)
                for (int& entry : row) entry /= 2;
    }

private:
    static constexpr int kWinRank = 1 << 30, kTableRank = 1 << 29, kNoiseRank = 1 << 28, kBlockRank = 1 << 28,
                         kKillerRank = 1 << 27, kNetworkRank = 3 << 25, kLossRank = -1, kLooksRank = 64;
    static constexpr int kHistoryMask = 0xFFF;
    static constexpr std::size_t kPicked = 24;

    void look_at(const State& state, std::span<const Ply> plies)
        requires OrdersMoves<G>
    {
        looked_at_.resize(plies.size());
        looks_.resize(plies.size());
        for (std::size_t i = 0; i < plies.size(); ++i) looked_at_[i] = plies[i].move;
        game_.order_moves(state, looked_at_.data(), static_cast<int>(plies.size()), looks_.data());
    }
    static int rank_by(const Tactics& tactics, Move move) {
        return contains(tactics.wins, move) ? kWinRank : contains(tactics.blocks, move) ? kBlockRank : 0;
    }
    // Behind killer moves, and before all that only history knows.
    int rank_by_network(State state, Move move) const
        requires HasTupleCells<G>
    {
        const int player = game_.to_move(state);
        game_.play(state, move);
        return game_.over(state) ? 0 : kNetworkRank + ntuple_score(game_, *options_.order, state, player);
    }

    const G& game_;
    const AlphaBetaOptions& options_;
    std::vector<Move> moves_, looked_at_;
    std::vector<int> looks_;
    std::vector<Ply> plain_;
    std::array<std::array<Move, 2>, kMaxPly + 1> killers_{};
    std::array<std::array<int, kHistoryMask + 1>, kMaxPlayers> history_{};
};

}  // namespace spielbaum
