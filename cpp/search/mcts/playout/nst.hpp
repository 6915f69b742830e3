// Playouts by the N-gram selection technique.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/mathematics.hpp"
#include "core/zobrist.hpp"
#include "search/mcts/playout/policy.hpp"

namespace spielbaum {

// N-gram selection (Tak, Winands and Bjornsson 2012): a move is worth the mean reward of the sequences that it ends,
// averaged over the move alone, the move after the last one, and after the last two. Longer sequences count once they
// were seen often enough. The best move is played, but with probability epsilon any; a move that was never seen is
// taken to be worth a win. With a temperature, moves are drawn by exp(worth / temperature) instead, and one that was
// never seen is worth 0, as in mast.
struct NGrams {
    static constexpr std::string_view kName = "nst",
                                      kHelp = "moves that did well on average, alone and after the last one or two";
    static constexpr bool kByName = true;
    static constexpr int kLongest = 3;
    struct Settings {
        bool keep = true;
        int nst_n = kLongest, nst_k = 7;
        double nst_epsilon = 0.1, nst_t = 0.0;
        static constexpr auto options() {
            using S = Settings;
            return std::tuple(
                keep_option(&S::keep), choice("nst_n", &S::nst_n, Range{1, kLongest}, "nst: longest sequence of moves"),
                setting("nst_k", &S::nst_k, {1, 1'000'000'000},
                        "nst: how often a sequence of several moves must be seen to count"),
                setting("nst_epsilon", &S::nst_epsilon, {0.0, 1.0}, "nst: probability of a random move"),
                setting("nst_t", &S::nst_t, {0.0, 1e6},
                        "nst: temperature; moves are drawn by exp(mean / temperature); 0: by nst_epsilon"));
        }
    };

    template <Game G>
    class Policy : public PlayoutPolicy {
    public:
        static constexpr bool kTraced = true;

        Policy(const G& game, const Settings& settings)
            : settings_(settings),
              names_(static_cast<std::size_t>(num_names(game))),
              single_(names_ * static_cast<std::size_t>(game.num_players())),
              longer_(settings.nst_n > 1 ? kGrams : 0),
              worth_(static_cast<std::size_t>(game.max_moves())) {}

        std::size_t moves_before() const { return static_cast<std::size_t>(settings_.nst_n - 1); }
        bool keeps() const { return settings_.keep; }
        void forget_all() {
            std::fill(single_.begin(), single_.end(), Average{});
            std::fill(longer_.begin(), longer_.end(), Gram{});
        }

        // What the sequences that end with a move are worth on average, or `unseen`.
        double worth(std::span<const PlayedMove> trace, PlayedMove move, double unseen) const {
            const Average& alone = single_[index(move)];
            if (alone.count == 0) return unseen;
            double sum = alone.mean();
            int lengths = 1;
            for (std::size_t length = 2; length <= longest(trace.size()); ++length) {
                const u64 key = key_of(trace, trace.size(), move, length);
                const Gram& gram = longer_[mix(key) % kGrams];
                if (gram.key != key || gram.average.count < static_cast<std::uint32_t>(settings_.nst_k)) continue;
                sum += gram.average.mean();
                ++lengths;
            }
            return lengths == 1 ? sum : sum / lengths;
        }

        Move choose(const G& game, const typename G::State& state, std::span<const PlayedMove> trace, Rng& rng,
                    Move* buffer) {
            const bool drawn = settings_.nst_t > 0.0;
            if (!drawn && fraction(rng) < settings_.nst_epsilon) return random_move(game, state, rng, buffer);
            const int count = game.legal_moves(state, buffer);
            const auto player = static_cast<std::uint8_t>(game.to_move(state));
            for (int i = 0; i < count; ++i)
                worth_[static_cast<std::size_t>(i)] = worth(
                    trace, {static_cast<std::uint16_t>(name_of(game, state, buffer[i])), player}, drawn ? 0.0 : 1.0);
            return buffer[drawn ? by_power(count, rng) : best(count, rng)];
        }

        void learn(std::span<const PlayedMove> trace, std::size_t before, const Rewards& rewards) {
            for (std::size_t i = before; i < trace.size(); ++i) {
                const double reward = rewards[trace[i].player];
                single_[index(trace[i])].add(reward);
                for (std::size_t length = 2; length <= longest(i); ++length) {
                    const u64 key = key_of(trace, i, trace[i], length);
                    Gram& gram = longer_[mix(key) % kGrams];
                    if (gram.key != key) gram = {key, {}};  // the newer sequence has the place
                    gram.average.add(reward);
                }
            }
        }

    private:
        static constexpr std::size_t kGrams = std::size_t{1} << 17;
        struct Average {
            double sum = 0.0;
            std::uint32_t count = 0;
            double mean() const { return sum / count; }
            void add(double reward) {
                sum += reward;
                ++count;
            }
        };
        struct Gram {
            u64 key = 0;  // never 0 for a sequence
            Average average{};
        };

        std::size_t index(PlayedMove move) const { return move.player * names_ + move.name; }
        // The longest sequence of a move that comes after so many others.
        std::size_t longest(std::size_t moves) const {
            return std::min(static_cast<std::size_t>(settings_.nst_n), moves + 1);
        }
        // A move and the `length - 1` moves before place `end`: each takes 20 bits, counted from 1.
        u64 key_of(std::span<const PlayedMove> trace, std::size_t end, PlayedMove move, std::size_t length) const {
            u64 key = index(move) + 1;
            for (std::size_t i = 1; i < length; ++i) key = key << 20 | (index(trace[end - i]) + 1);
            return key;
        }

        static double fraction(Rng& rng) { return static_cast<double>(rng.next() >> 11) * 0x1p-53; }
        std::ptrdiff_t best(int count, Rng& rng) const {
            double highest = -2.0;
            int equals = 0;
            for (int i = 0; i < count; ++i) {
                const double each = worth_[static_cast<std::size_t>(i)];
                if (each > highest) equals = 0;
                highest = std::max(highest, each);
                equals += each == highest;
            }
            int left = equals > 1 ? rng.below(equals) : 0;
            for (int i = 0; i < count; ++i)
                if (worth_[static_cast<std::size_t>(i)] == highest && left-- == 0) return i;
            return 0;
        }
        std::ptrdiff_t by_power(int count, Rng& rng) {
            double total = 0.0;
            for (int i = 0; i < count; ++i)
                worth_[static_cast<std::size_t>(i)] = total +=
                    exponential(std::clamp(worth_[static_cast<std::size_t>(i)] / settings_.nst_t, -700.0, 700.0));
            const double drawn = fraction(rng) * total;
            return std::min<std::ptrdiff_t>(
                std::upper_bound(worth_.begin(), worth_.begin() + count, drawn) - worth_.begin(), count - 1);
        }

        Settings settings_;
        std::size_t names_;
        std::vector<Average> single_;  // by player and name
        std::vector<Gram> longer_;
        std::vector<double> worth_;  // of the moves to choose from; later sums of weights
    };
};

}  // namespace spielbaum
