// Python's `_core.NTuple`, which searches of other files use as well.
#pragma once

#include <memory>

#include "bindings/any_ntuple.hpp"
#include "bindings/bindings.hpp"

namespace spielbaum {

struct NTupleHandle {
    GamePtr game;
    std::shared_ptr<const AnyNTuple> ntuple;

    // The network, for a search of that game.
    NetworkPtr of(const GameHandle& searched) const {
        if (searched.game != game) throw nb::value_error("a network was made for another game");
        return ntuple->network();
    }
};

}  // namespace spielbaum
