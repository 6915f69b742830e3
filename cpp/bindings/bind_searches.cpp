// Alpha-beta as an object that keeps its table between searches.
#include <nanobind/stl/vector.h>

#include "bindings/any_alphabeta.hpp"
#include "bindings/bindings.hpp"
#include "bindings/python_game.hpp"
#include "eval/no_evaluation.hpp"

namespace spielbaum {

namespace {

struct AlphaBetaHandle {
    GamePtr game;
    AlphaBetaPtr search;
};

struct AlphaBetaReport {
    AnyAlphaBetaResult found;
    u64 nodes = 0;
    double seconds = 0.0;
};

AlphaBetaHandle make_alphabeta(const GameHandle& handle, bool iterative, bool table, bool cutoffs, bool ordering, bool windows,
                               bool quiescence, std::size_t memory) {
    const AnyGame& game = *handle.game;
    if (game.num_players() != 2) throw nb::value_error("alpha-beta is for games of two players");
    AlphaBetaOptions options;
    options.iterative = iterative;
    options.table = table;
    options.cutoffs = cutoffs;
    options.ordering = ordering;
    options.windows = windows;
    options.quiescence = quiescence;
    options.memory = memory;
    for (const auto make : {make_alphabeta_tictactoe, make_alphabeta_connect4, make_alphabeta_yavalath,
                            make_alphabeta_reversi, make_alphabeta_chess})
        if (auto search = make(game, options)) return {handle.game, std::move(search)};
    if (auto search = try_alphabeta<PythonRules, NoEvaluation>(game, options)) return {handle.game, std::move(search)};
    throw nb::value_error("alpha-beta does not know this game");
}

AlphaBetaReport run(AlphaBetaHandle& handle, const StateHandle& state, bool all_values, int depth, u64 nodes, double seconds,
                    const StopFlag& stop, const StopFlag& other_stop) {
    if (state->game() != handle.game) throw nb::value_error("a search was made for another game");
    return run_released(*handle.game, [&](const Poll& poll) {
        const u64 interval = handle.game->runs_without_python() ? 2048 : 16;
        SearchControl control({nodes, seconds, depth}, stop.flag.get(), also_stopped_by(other_stop, poll), interval);
        AlphaBetaReport report;
        report.found = handle.search->search(*state.state, all_values, control);
        report.nodes = control.nodes();
        report.seconds = control.seconds();
        return report;
    });
}

}  // namespace

void bind_searches(nb::module_& module) {
    nb::class_<AnyRootMove>(module, "RootMove")
        .def_ro("action", &AnyRootMove::action)
        .def_ro("value", &AnyRootMove::value)
        .def_ro("line", &AnyRootMove::line);
    nb::class_<AlphaBetaReport>(module, "AlphaBetaReport")
        .def_prop_ro("depth", [](const AlphaBetaReport& report) { return report.found.depth; })
        .def_prop_ro("value", [](const AlphaBetaReport& report) { return report.found.value; })
        .def_prop_ro("line", [](const AlphaBetaReport& report) { return report.found.line; })
        .def_prop_ro("moves", [](const AlphaBetaReport& report) { return report.found.moves; })
        .def_ro("nodes", &AlphaBetaReport::nodes)
        .def_ro("seconds", &AlphaBetaReport::seconds);
    nb::class_<AlphaBetaHandle>(module, "AlphaBeta")
        .def("search", &run, nb::arg("state"), nb::arg("all_values"), nb::arg("depth"), nb::arg("nodes"),
             nb::arg("seconds"), nb::arg("stop"), nb::arg("other_stop"))
        .def("clear", [](AlphaBetaHandle& handle) { handle.search->clear(); });
    module.def("make_alphabeta", &make_alphabeta, nb::arg("game"), nb::arg("iterative"), nb::arg("table"),
               nb::arg("cutoffs"), nb::arg("ordering"), nb::arg("windows"), nb::arg("quiescence"), nb::arg("memory"));
    module.attr("WIN") = kWin;
    module.attr("WIN_BOUND") = kWinBound;
}

}  // namespace spielbaum
