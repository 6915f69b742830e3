// What a solver is made with, and what is known of it before it is made.
#pragma once

#include <cstddef>

#include "eval/ntuple/evaluation.hpp"

namespace spielbaum {

struct SolverOptions {
    std::size_t memory;  // in bytes
    MoveOrder order;     // for solvers that take one
};

struct SolverFacts {
    bool takes_order = false;  // does a network's order of moves make it faster?
    // An easy position with `easy_cells` empty cells takes `easy_nodes`, and `growth` times as many for each cell more;
    // a usual position takes about ten times that. 0: not known, and every position is worth a try.
    double easy_nodes = 0.0;
    int easy_cells = 0;
    double growth = 1.0;
};

}  // namespace spielbaum
