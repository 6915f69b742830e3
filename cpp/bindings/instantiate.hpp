// The definition of instantiate(), for game_<name>.cpp only: whoever calls it and can see it compiles the game once more.
#pragma once

#include "bindings/typed.hpp"

namespace spielbaum {

template <class Family>
GamePtr instantiate(OptionValues values) {
    return Family::with(values, [](auto rules) -> GamePtr {
        return std::make_shared<TypedGame<decltype(rules)>>(std::move(rules));
    });
}

}  // namespace spielbaum
