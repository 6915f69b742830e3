// A game with everything that searches it. For games/<game>.cpp and python_game.cpp only: whoever includes this page
// and makes a game compiles all its searches.
#pragma once

#include "bindings/any_alphabeta.hpp"
#include "bindings/any_mcts.hpp"
#include "bindings/any_ntuple.hpp"
#include "bindings/any_solver.hpp"
#include "bindings/typed_game.hpp"
#include "eval/choice.hpp"

namespace spielbaum {

// What a game brings to its searches besides the rules: an EvaluationChoice, and how its solver is made (SolverFacts
// kFacts, and make(rules, SolverOptions)). All else is found by the capabilities of the rules.
struct NoSolver {};
template <class EvaluationsOfGame, class SolvingOfGame = NoSolver>
struct Kit {
    using Evaluations = EvaluationsOfGame;
    using Solving = SolvingOfGame;
};
using NoEvaluations = EvaluationChoice<NoEvaluation>;
using NoKit = Kit<NoEvaluations>;

template <Game G, class GameKit>
class KitGame final : public TypedGame<G> {
public:
    using TypedGame<G>::TypedGame;

    MctsPtr make_mcts(const MctsOptions& options, u64 seed) const override {
        return std::make_unique<TypedMcts<G, Evaluations>>(this->rules(), options, seed);
    }
    AlphaBetaPtr make_alphabeta(const AlphaBetaOptions& options) const override {
        return std::make_unique<TypedAlphaBeta<G, Evaluations>>(this->rules(), options);
    }
    NTuplePtr make_ntuple([[maybe_unused]] const NTupleOptions& options) const override {
        if constexpr (HasTupleCells<G>)
            if (!std::span(this->rules().contents()).empty())
                return std::make_unique<TypedNTuple<G>>(
                    this->shared_from_this(), std::make_shared<NTupleNetwork>(ntuple_shape(this->rules(), options)));
        return nullptr;
    }
    std::optional<SolverFacts> solver() const override {
        if constexpr (kSolved)
            return Solving::kFacts;
        else
            return std::nullopt;
    }
    SolverPtr make_solver([[maybe_unused]] const SolverOptions& options) const override {
        if constexpr (kSolved)
            return std::make_unique<TypedSolver<G, Solving>>(this->rules(), options);
        else
            return nullptr;
    }

private:
    using Evaluations = typename GameKit::Evaluations;
    using Solving = typename GameKit::Solving;
    static constexpr bool kSolved = !std::same_as<Solving, NoSolver>;
};

template <class Family>
struct KitOf;  // its Type; named by SPIELBAUM_GAME

template <class Family>
GamePtr instantiate(OptionValues values, const NamedFile& file) {
    return make_with<Family>(values, file, [](auto rules) -> GamePtr {
        return std::make_shared<KitGame<decltype(rules), typename KitOf<Family>::Type>>(std::move(rules));
    });
}

}  // namespace spielbaum

// Compiles a game of the catalog with its kit. (The kit comes last, for its name may have commas.)
#define SPIELBAUM_GAME(game, ...)                                                                        \
    template <>                                                                                          \
    struct spielbaum::KitOf<spielbaum::game##Family> {                                                   \
        using Type = __VA_ARGS__;                                                                        \
    };                                                                                                   \
    template spielbaum::GamePtr spielbaum::instantiate<spielbaum::game##Family>(spielbaum::OptionValues, \
                                                                                const spielbaum::NamedFile&)
