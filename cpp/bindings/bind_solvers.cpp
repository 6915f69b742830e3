// Exact solvers, and the flag by which another thread stops a search.
#include <atomic>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/any_solver.hpp"
#include "bindings/bindings.hpp"
#include "bindings/ntuple_handle.hpp"

namespace spielbaum {

namespace {

struct SolverHandle {
    GamePtr game;
    SolverPtr solver;
};

// How far a search is, for another thread to read.
struct SolveProgress {
    std::atomic<u64> nodes{0};
};

struct SolveResult {
    bool solved = false;
    int score = 0;
    std::vector<std::pair<int, int>> moves;
    std::vector<int> line;
    u64 nodes = 0;
    double seconds = 0.0;
};

SolverHandle make_solver(const GameHandle& game, std::size_t memory, const NTupleHandle* order, int order_stones) {
    SolverOptions options{memory, {}};
    if (order != nullptr) options.order = {order->of(game), order_stones};
    if (auto solver = game->make_solver(options)) return {game.game, std::move(solver)};
    throw nb::value_error("this game has no solver");
}

SolveResult solve(SolverHandle& handle, const StateHandle& state, bool exact, bool moves, bool line, u64 nodes,
                  double seconds, const StopFlag& stop, const StopFlag& other_stop, SolveProgress* progress) {
    if (state->game() != handle.game) throw nb::value_error("a solver was made for another game");
    return run_released(*handle.game, [&](const Poll& poll) {
        SearchControl control({nodes, seconds}, stop.flag.get(), poll, 4096, other_stop.flag.get());
        if (progress != nullptr) control.publish(&progress->nodes);
        SolveResult result;
        try {
            AnySolver& solver = *handle.solver;
            result.score = exact ? solver.score(*state.state, control) : solver.outcome(*state.state, control);
            if (moves) result.moves = solver.moves(*state.state, exact, control);
            if (line) result.line = solver.best_line(*state.state, result.score, control);
            result.solved = true;
        } catch (const SearchStopped&) {
            result.solved = false;
        }
        result.nodes = control.nodes();
        result.seconds = control.seconds();
        return result;
    });
}

}  // namespace

void bind_solvers(nb::module_& module) {
    nb::class_<StopFlag>(module, "StopFlag", "Set by one thread to end a search of another.")
        .def(nb::init<>())
        .def("stop", [](const StopFlag& stop) { stop.flag->store(true); })
        .def_prop_ro("stopped", [](const StopFlag& stop) { return stop.flag->load(); });
    nb::class_<SolveProgress>(module, "SolveProgress", "Tells another thread how far a running solver is.")
        .def(nb::init<>())
        .def_prop_ro(
            "nodes", [](const SolveProgress& progress) { return progress.nodes.load(); },
            "Positions that the last search has visited so far.");
    nb::class_<SolveResult>(module, "SolveResult")
        .def_ro("solved", &SolveResult::solved)
        .def_ro("score", &SolveResult::score)
        .def_ro("moves", &SolveResult::moves)
        .def_ro("line", &SolveResult::line)
        .def_ro("nodes", &SolveResult::nodes)
        .def_ro("seconds", &SolveResult::seconds);
    nb::class_<SolverHandle>(module, "Solver")
        .def("solve", &solve, nb::arg("state"), nb::arg("exact"), nb::arg("moves"), nb::arg("line"), nb::arg("nodes"),
             nb::arg("seconds"), nb::arg("stop"), nb::arg("other_stop"), nb::arg("progress").none() = nb::none());
    module.def("make_solver", &make_solver, nb::arg("game"), nb::arg("memory"), nb::arg("order").none() = nb::none(),
               nb::arg("order_stones") = 0);
}

}  // namespace spielbaum
