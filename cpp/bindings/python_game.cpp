// Games written in Python, with the same searches as any other.
#include "bindings/python_game.hpp"

#include "bindings/bindings.hpp"
#include "bindings/kit.hpp"

namespace spielbaum {

GamePtr make_python_game(const nb::object& game) {
    return std::make_shared<KitGame<PythonRules, Kit<PythonEvaluations>>>(PythonRules(game));
}

nb::object python_value(const AnyState& state) {
    const auto* typed = dynamic_cast<const TypedState<PythonRules>*>(&state);
    return typed ? typed->state().value : nb::none();
}

}  // namespace spielbaum
