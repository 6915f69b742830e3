// The exact solver of a game that is known only at run time.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bindings/typed_game.hpp"
#include "search/control.hpp"

namespace spielbaum {

// Scores are in the convention of the game; their sign is win, draw or loss for the side to move.
class AnySolver {
public:
    virtual ~AnySolver() = default;
    virtual int score(const AnyState& state, SearchControl& control) = 0;
    virtual int outcome(const AnyState& state, SearchControl& control) = 0;
    // Action and score (or only its sign) of every legal move, seen by the side to move.
    virtual std::vector<std::pair<int, int>> moves(const AnyState& state, bool exact, SearchControl& control) = 0;
    virtual std::vector<int> best_line(const AnyState& state, int score, SearchControl& control) = 0;
};
using SolverPtr = std::unique_ptr<AnySolver>;

// `Solving` makes the solver of the rules.
template <Game G, class Solving>
class TypedSolver final : public AnySolver {
public:
    TypedSolver(const G& game, const SolverOptions& options) : solver_(Solving::make(game, options)) {}

    int score(const AnyState& state, SearchControl& control) override { return solver_.score(typed(state), control); }
    int outcome(const AnyState& state, SearchControl& control) override {
        return solver_.outcome(typed(state), control);
    }
    std::vector<std::pair<int, int>> moves(const AnyState& state, bool exact, SearchControl& control) override {
        std::vector<std::pair<int, int>> result;
        for (const auto& [move, score] : solver_.moves(typed(state), exact, control))
            result.emplace_back(rules(state).action(typed(state), move), score);
        return result;
    }
    std::vector<int> best_line(const AnyState& state, int score, SearchControl& control) override {
        std::vector<int> actions;
        typename G::State position = typed(state);
        for (const Move move : solver_.best_line(position, score, control)) {
            actions.push_back(rules(state).action(position, move));
            rules(state).play(position, move);
        }
        return actions;
    }

private:
    static const typename G::State& typed(const AnyState& state) {
        return dynamic_cast<const TypedState<G>&>(state).state();
    }
    static const G& rules(const AnyState& state) { return dynamic_cast<const TypedGame<G>&>(*state.game()).rules(); }

    decltype(Solving::make(std::declval<const G&>(), std::declval<const SolverOptions&>())) solver_;
};

}  // namespace spielbaum
