// Playouts by last good reply.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/zobrist.hpp"
#include "search/mcts/playout/policy.hpp"

namespace spielbaum {

// Last good reply (Drake 2009): the reply to the opponent's move that was part of the last won playout, if it is legal.
// With forgetting (Baier and Drake 2010) a lost playout takes off the replies to the winner's moves, whether or not
// they are those that were played (as S0's listing 20 does it). With a context of two moves, replies to the last two
// moves are tried before replies to the last one.
struct LastGoodReply {
    static constexpr std::string_view kName = "lgr", kHelp = "the last good reply";
    static constexpr bool kByName = true;
    struct Settings {
        bool forget = false, keep = true, first_reply = false;
        int context = 1;
        static constexpr auto options() {
            using S = Settings;
            return std::tuple(
                setting("forget", &S::forget, "lgr forgets replies that lost"), keep_option(&S::keep),
                setting("first_reply", &S::first_reply,
                        "lgr: a playout's first move is a reply to the tree's last move"),
                choice("context", &S::context, Range{1, 2}, "lgr: replies answer the last move, or the last two"));
        }
    };

    template <Game G>
    class Policy : public PlayoutPolicy {
    public:
        static constexpr bool kTraced = true;

        Policy(const G& game, const Settings& settings)
            : settings_(settings),
              names_(static_cast<std::size_t>(num_names(game))),
              replies_(names_ * static_cast<std::size_t>(game.num_players()), kNone),
              pair_replies_(settings.context == 2 ? kPairs : 0) {}

        std::size_t moves_before() const { return settings_.first_reply ? 1 : 0; }
        bool keeps() const { return settings_.keep; }
        void forget_all() {
            std::fill(replies_.begin(), replies_.end(), kNone);
            std::fill(pair_replies_.begin(), pair_replies_.end(), PairReply{});
        }

        Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove> trace, Rng& rng,
                    Move* buffer) const {
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
        void learn(std::span<const PlayedMove> trace, std::size_t, const Rewards& rewards) {
            for (std::size_t i = 1; i < trace.size(); ++i) {
                const double reward = rewards[trace[i].player];
                if (reward > 0) {
                    replies_[index(trace[i - 1])] = trace[i].name;
                    if (!pair_replies_.empty() && i >= 2) {
                        const u64 pair = pair_of(trace, i);
                        pair_replies_[pair % kPairs] = {pair, trace[i].name};
                    }
                } else if (reward < 0 && settings_.forget) {
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

        Settings settings_;
        std::size_t names_;
        std::vector<std::uint16_t> replies_;  // by player and name
        std::vector<PairReply> pair_replies_;
    };
};

}  // namespace spielbaum
