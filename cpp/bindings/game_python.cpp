#include "bindings/any_alphabeta.hpp"
#include "bindings/any_mcts.hpp"
#include "bindings/bindings.hpp"
#include "bindings/python_game.hpp"
#include "eval/choice.hpp"

namespace spielbaum {

GamePtr make_python_game(const nb::object& game) { return std::make_shared<TypedGame<PythonRules>>(PythonRules(game)); }

nb::object python_value(const AnyState& state) {
    const auto* typed = dynamic_cast<const TypedState<PythonRules>*>(&state);
    return typed ? typed->state().value : nb::none();
}

AlphaBetaPtr make_alphabeta_python(const AnyGame& game, const AlphaBetaOptions& options, const EvaluationSpec& evaluation) {
    return try_alphabeta<PythonRules, EvaluationChoice<NoEvaluation>>(game, options, evaluation);
}

MctsPtr make_mcts_python(const AnyGame& game, const MctsOptions& options, u64 seed) {
    return try_mcts<PythonRules, EvaluationChoice<NoEvaluation>>(game, options, seed);
}

}  // namespace spielbaum
