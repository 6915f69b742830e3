// How a game is played to its end below the tree: one small class for each rule.
//
// A rule chooses moves, and may learn from playouts: it gets the moves that were made, as names with their players, and
// the rewards.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/mathematics.hpp"
#include "core/playout.hpp"
#include "search/mcts/options.hpp"

namespace spielbaum {

struct PlayedMove {
    std::uint16_t name;
    std::uint8_t player;
};

using Rewards = std::array<double, kMaxPlayers>;

// Any legal move, all equally likely.
template <Game G>
struct RandomPlayout {
    static constexpr bool kTraced = false;
    void forget_all() {}
    Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove>, Rng& rng, Move* buffer) const {
        return random_move(game, state, rng, buffer);
    }
    void learn(std::span<const PlayedMove>, const Rewards&) {}
};

// Last good reply (Drake 2009): the reply to the opponent's move that was part of the last won playout, if it is legal.
// With forgetting (Baier and Drake 2010) a lost playout takes off the replies to the winner's moves, whether or not they
// are those that were played (as S0's listing 20 does it). With a context of two moves, replies to the last
// two moves are tried before replies to the last one.
template <Game G>
class LastGoodReply {
public:
    static constexpr bool kTraced = true;

    LastGoodReply(const G& game, const MctsOptions& options)
        : forget_(options.forget),
          names_(static_cast<std::size_t>(num_names(game))),
          replies_(names_ * static_cast<std::size_t>(game.num_players()), kNone),
          pair_replies_(options.context == 2 ? kPairs : 0) {}

    void forget_all() {
        std::fill(replies_.begin(), replies_.end(), kNone);
        std::fill(pair_replies_.begin(), pair_replies_.end(), PairReply{});
    }

    Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove> trace, Rng& rng, Move* buffer) const {
        if (!pair_replies_.empty() && trace.size() >= 2) {
            const u64 pair = pair_of(trace, trace.size());
            const PairReply& known = pair_replies_[pair % kPairs];
            if (known.pair == pair)
                if (const auto move = find_name(game, state, known.reply)) return *move;
        }
        if (!trace.empty()) {
            const std::uint16_t reply = replies_[index(trace.back())];
            if (reply != kNone)
                if (const auto move = find_name(game, state, reply)) return *move;
        }
        return random_move(game, state, rng, buffer);
    }

    // Nobody learns from a draw.
    void learn(std::span<const PlayedMove> trace, const Rewards& rewards) {
        for (std::size_t i = 1; i < trace.size(); ++i) {
            const double reward = rewards[trace[i].player];
            if (reward > 0) {
                replies_[index(trace[i - 1])] = trace[i].name;
                if (!pair_replies_.empty() && i >= 2) {
                    const u64 pair = pair_of(trace, i);
                    pair_replies_[pair % kPairs] = {pair, trace[i].name};
                }
            } else if (reward < 0 && forget_) {
                replies_[index(trace[i - 1])] = kNone;
                if (!pair_replies_.empty() && i >= 2) {
                    const u64 pair = pair_of(trace, i);
                    if (pair_replies_[pair % kPairs].pair == pair) pair_replies_[pair % kPairs] = {};
                }
            }
        }
    }

    // The reply to a move that is known, for tests and for people.
    std::optional<int> reply_to(PlayedMove move) const {
        const std::uint16_t reply = replies_[index(move)];
        return reply == kNone ? std::nullopt : std::optional<int>(reply);
    }

private:
    static constexpr std::uint16_t kNone = 0xFFFF;
    static constexpr std::size_t kPairs = std::size_t{1} << 16;
    struct PairReply {
        u64 pair = 0;  // never 0 for a pair of moves
        std::uint16_t reply = kNone;
    };

    std::size_t index(PlayedMove move) const { return move.player * names_ + move.name; }
    // The two moves before the one at `end`.
    u64 pair_of(std::span<const PlayedMove> trace, std::size_t end) const {
        return mix(1 + index(trace[end - 1]) + (u64{index(trace[end - 2])} << 32)) | 1;
    }

    bool forget_;
    std::size_t names_;
    std::vector<std::uint16_t> replies_;  // by player and name
    std::vector<PairReply> pair_replies_;
};

// General domain knowledge (Browne 2011): a move that wins at once, else one that blocks and does not lose, else one that
// does not lose, else any. In games that do not say what is plain on the board, every move is tried, and blocks are not
// seen.
template <Game G>
struct KnowledgePlayout {
    static constexpr bool kTraced = false;
    void forget_all() {}
    Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove>, Rng& rng, Move* buffer) const {
        if constexpr (HasTactics<G>) {
            const Tactics tactics = game.tactics(state);
            if (tactics.wins != 0) return static_cast<Move>(random_bit(tactics.wins, rng));
            if (const u64 blocks = tactics.blocks & ~tactics.loses; blocks != 0)
                return static_cast<Move>(random_bit(blocks, rng));
            if (tactics.loses == 0) return random_move(game, state, rng, buffer);
            return any_but(game, state, rng, buffer, [&](Move move) { return contains(tactics.loses, move); });
        } else {
            const int count = game.legal_moves(state, buffer);
            const int player = game.to_move(state);
            int num_wins = 0, num_safe = 0;
            // Wins come to the front of the buffer, and what does not lose at once behind them.
            for (int i = 0; i < count; ++i) {
                typename G::State next = state;
                game.play(next, buffer[i]);
                const double reward = game.over(next) ? game.outcome(next).rewards[static_cast<std::size_t>(player)] : 0.0;
                if (reward < 0) continue;
                std::swap(buffer[num_safe++], buffer[i]);
                if (reward > 0) std::swap(buffer[num_wins++], buffer[num_safe - 1]);
            }
            return buffer[rng.below(num_wins > 0 ? num_wins : num_safe > 0 ? num_safe : count)];
        }
    }
    void learn(std::span<const PlayedMove>, const Rewards&) {}

private:
    template <class Bad>
    static Move any_but(const G& game, const typename G::State& state, Rng& rng, Move* buffer, Bad&& bad) {
        const int count = game.legal_moves(state, buffer);
        const auto end = std::remove_if(buffer, buffer + count, bad);
        const int good = static_cast<int>(end - buffer);
        return good > 0 ? buffer[rng.below(good)] : random_move(game, state, rng, buffer);
    }
};

// Move-average sampling (Finnsson and Bjornsson 2008): a move is drawn by exp(mean reward of its name / temperature).
template <Game G>
class MoveAverages {
public:
    static constexpr bool kTraced = true;

    MoveAverages(const G& game, const MctsOptions& options)
        : temperature_(options.mast_t),
          names_(static_cast<std::size_t>(num_names(game))),
          averages_(names_ * static_cast<std::size_t>(game.num_players())),
          weights_(static_cast<std::size_t>(game.max_moves())) {}

    void forget_all() { std::fill(averages_.begin(), averages_.end(), Average{}); }

    Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove>, Rng& rng, Move* buffer) {
        const int count = game.legal_moves(state, buffer);
        const auto player = static_cast<std::size_t>(game.to_move(state));
        double total = 0.0;
        for (int i = 0; i < count; ++i) {
            total += averages_[player * names_ + static_cast<std::size_t>(name_of(game, state, buffer[i]))].weight;
            weights_[static_cast<std::size_t>(i)] = total;
        }
        const double drawn = static_cast<double>(rng.next() >> 11) * 0x1p-53 * total;
        const auto end = weights_.begin() + count;
        return buffer[std::min<std::ptrdiff_t>(std::upper_bound(weights_.begin(), end, drawn) - weights_.begin(), count - 1)];
    }

    void learn(std::span<const PlayedMove> trace, const Rewards& rewards) {
        for (const PlayedMove& move : trace) {
            Average& average = averages_[move.player * names_ + move.name];
            ++average.count;
            average.sum += rewards[move.player];
            average.weight = exponential(average.sum / average.count / temperature_);
        }
    }

private:
    struct Average {
        double sum = 0.0, weight = 1.0;
        std::uint32_t count = 0;
    };

    double temperature_;
    std::size_t names_;
    std::vector<Average> averages_;  // by player and name
    std::vector<double> weights_;
};

template <Game G>
using PlayoutPolicy = std::variant<RandomPlayout<G>, LastGoodReply<G>, KnowledgePlayout<G>, MoveAverages<G>>;

template <Game G>
PlayoutPolicy<G> make_playout(const G& game, const MctsOptions& options) {
    switch (options.playout) {
        case PlayoutRule::lgr: return LastGoodReply<G>(game, options);
        case PlayoutRule::gdk: return KnowledgePlayout<G>{};
        case PlayoutRule::mast: return MoveAverages<G>(game, options);
        default: return RandomPlayout<G>{};
    }
}

}  // namespace spielbaum
