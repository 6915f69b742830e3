// For games without an evaluation: an unfinished position is worth nothing to anybody.
#pragma once

#include "core/game.hpp"

namespace spielbaum {

struct NoEvaluation {
    template <Game G>
    int operator()(const G&, const typename G::State&) const {
        return 0;
    }
};

}  // namespace spielbaum
