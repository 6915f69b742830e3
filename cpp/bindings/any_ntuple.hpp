// An n-tuple network and its training for a game that is known only at run time.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings/typed_game.hpp"
#include "eval/ntuple/evaluation.hpp"
#include "eval/ntuple/tuples.hpp"
#include "learn/trainer.hpp"

namespace spielbaum {

// Of a network that is to be made.
struct NTupleOptions {
    int contents = 0;  // of a cell; 0: as many as the game usually tells apart
    bool symmetries = true;
    bool table_per_player = true;
    bool bias = false;
    double k = 1.0;
    bool squash = true;
    std::vector<Tuple> tuples;
};

class AnyTrainer {
public:
    virtual ~AnyTrainer() = default;
    virtual u64 train(u64 first, u64 end, int threads, const std::function<bool()>& go_on) = 0;
    virtual void learn_value(const AnyState& state, std::span<const double> targets, double alpha) = 0;
    virtual std::vector<double> worths(u64 number, int games) = 0;
    virtual void replace(std::size_t tuple, Tuple cells) = 0;
    virtual TdMemory& memory() = 0;
};

// The value of a position to the first player.
using AnyOracle = std::function<double(const StatePtr&)>;

class AnyNTuple {
public:
    explicit AnyNTuple(std::shared_ptr<NTupleNetwork> network) : network_(std::move(network)) {}
    virtual ~AnyNTuple() = default;
    const std::shared_ptr<NTupleNetwork>& network() const { return network_; }

    virtual std::vector<double> values(const AnyState& state) const = 0;
    // What each move is worth to the player who makes it, in the order of the actions.
    virtual std::vector<std::pair<int, double>> move_values(const AnyState& state) const = 0;
    // Where in the weights the entries of the position lie, by tuple and image; the bias, if there is one, is the last.
    virtual std::vector<std::uint32_t> places(const AnyState& state) const = 0;
    virtual std::unique_ptr<AnyTrainer> trainer(const TdOptions& options, const AnyOracle& oracle) const = 0;

private:
    std::shared_ptr<NTupleNetwork> network_;
};
using NTuplePtr = std::unique_ptr<AnyNTuple>;

template <Game G>
class TypedTrainer final : public AnyTrainer {
public:
    TypedTrainer(const G& game, std::shared_ptr<NTupleNetwork> network, const TdOptions& options, Oracle<G> oracle)
        : trainer_(game, std::move(network), options, std::move(oracle)) {}

    u64 train(u64 first, u64 end, int threads, const std::function<bool()>& go_on) override {
        return trainer_.train(first, end, threads, go_on);
    }
    void learn_value(const AnyState& state, std::span<const double> targets, double alpha) override {
        std::array<double, kMaxPlayers> wanted{};
        std::copy(targets.begin(), targets.end(), wanted.begin());
        trainer_.learn_value(dynamic_cast<const TypedState<G>&>(state).state(), wanted, alpha);
    }
    std::vector<double> worths(u64 number, int games) override { return trainer_.worths(number, games); }
    void replace(std::size_t tuple, Tuple cells) override { trainer_.replace(tuple, std::move(cells)); }
    TdMemory& memory() override { return trainer_.memory(); }

private:
    TdTrainer<G> trainer_;
};

template <Game G>
class TypedNTuple final : public AnyNTuple {
public:
    // The game holds the rules.
    TypedNTuple(GamePtr game, std::shared_ptr<NTupleNetwork> network)
        : AnyNTuple(std::move(network)), game_(std::move(game)) {}

    std::vector<double> values(const AnyState& state) const override {
        const auto found = values_of(typed(state));
        return {found.begin(), found.begin() + rules().num_players()};
    }
    std::vector<std::pair<int, double>> move_values(const AnyState& state) const override {
        const typename G::State& position = typed(state);
        std::vector<Move> moves(static_cast<std::size_t>(rules().max_moves()));
        moves.resize(static_cast<std::size_t>(rules().legal_moves(position, moves.data())));
        const Path before = dynamic_cast<const TypedState<G>&>(state).path();
        std::vector<std::pair<int, double>> result;
        for (const Move move : moves) {
            typename G::State next = position;
            Path path = before;
            advance(rules(), next, move, path);
            result.emplace_back(rules().action(position, move),
                                values_of(next)[static_cast<std::size_t>(rules().to_move(position))]);
        }
        std::sort(result.begin(), result.end());
        return result;
    }
    std::vector<std::uint32_t> places(const AnyState& state) const override {
        const auto& position = TupleReader<G>::at(rules(), *network(), typed(state));
        const NTupleNetwork& known = *network();
        std::vector<std::uint32_t> found;
        for (std::size_t tuple = 0; tuple < known.shape().tuples.size(); ++tuple)
            for (std::size_t image = 0; image < known.num_images(); ++image)
                found.push_back(position.places()[known.feature(tuple, image)]);
        if (known.shape().bias) found.push_back(position.places()[known.num_features() - 1]);
        return found;
    }
    std::unique_ptr<AnyTrainer> trainer(const TdOptions& options, const AnyOracle& oracle) const override {
        return std::make_unique<TypedTrainer<G>>(rules(), network(), options, remembered(oracle));
    }

private:
    static const typename G::State& typed(const AnyState& state) {
        return dynamic_cast<const TypedState<G>&>(state).state();
    }
    const TypedGame<G>& typed_game() const { return static_cast<const TypedGame<G>&>(*game_); }
    const G& rules() const { return typed_game().rules(); }

    std::array<double, kMaxPlayers> values_of(const typename G::State& state) const {
        return rules().over(state) ? rules().outcome(state).rewards : ntuple_values(rules(), *network(), state);
    }

    // Asks once about each position; images of a position are worth the same.
    Oracle<G> remembered(const AnyOracle& oracle) const {
        return
            [game = game_, oracle, known = std::unordered_map<u64, double>{}](const typename G::State& state) mutable {
                const auto& typed = static_cast<const TypedGame<G>&>(*game);
                u64 key = typed.rules().key(state);
                for (int i = 1; i < typed.rules().num_symmetries(); ++i)
                    key = std::min(key, typed.rules().key(typed.rules().transform(state, i)));
                const auto found = known.find(key);
                if (found != known.end()) return found->second;
                return known[key] = oracle(typed.make(state));
            };
    }

    GamePtr game_;
};

// The shape of a network that is to be made for a game.
template <HasTupleCells G>
NTupleShape ntuple_shape(const G& rules, const NTupleOptions& options) {
    const auto kinds = rules.contents();
    NTupleShape shape;
    shape.num_cells = rules.num_cells();
    shape.contents = options.contents == 0 ? kinds[0] : options.contents;
    if (std::find(kinds.begin(), kinds.end(), shape.contents) == kinds.end()) {
        std::string expected;
        for (const int kind : kinds) expected += (expected.empty() ? "" : " or ") + std::to_string(kind);
        throw OptionError("option contents=" + std::to_string(options.contents) + ": a cell of this game has " +
                          expected + " contents");
    }
    shape.num_players = rules.num_players();
    shape.table_per_player = options.table_per_player;
    shape.bias = options.bias;
    shape.k = options.k;
    shape.squash = options.squash;
    shape.tuples = options.tuples;
    shape.images = cell_images(rules, options.symmetries);
    return shape;
}

}  // namespace spielbaum
