// Alpha-beta as an object that keeps its table between searches.
#include "bindings/any_alphabeta.hpp"
#include "bindings/bindings.hpp"
#include "bindings/ntuple_handle.hpp"
#include "bindings/options.hpp"

namespace spielbaum {

namespace {

struct AlphaBetaHandle {
    GamePtr game;
    AlphaBetaPtr search;
    int threads = 1;
};

struct AlphaBetaReport {
    AnyAlphaBetaResult found;
    double seconds = 0.0;
};

AlphaBetaHandle make_alphabeta(const GameHandle& handle, AlphaBetaOptions options, const NTupleHandle* network,
                               const NTupleHandle* order) {
    const AnyGame& game = *handle.game;
    check_threads(game, options.threads);
    if (network != nullptr) options.network = network->of(handle);
    if (order != nullptr) options.order = order->of(handle);
    return {handle.game, game.make_alphabeta(options), options.threads};
}

AlphaBetaReport run_alphabeta(AlphaBetaHandle& handle, const StateHandle& state, bool all_values, int depth, u64 nodes,
                              double seconds, const StopFlag& stop, const StopFlag& other_stop, nb::handle report) {
    if (state->game() != handle.game) throw nb::value_error("a search was made for another game");
    return run_released(*handle.game, [&](const Poll& poll) {
        const u64 interval = handle.game->runs_without_python() ? 2048 : 16;
        // What the threads search together is limited; each takes an equal share.
        const u64 share = (nodes - 1) / static_cast<u64>(handle.threads) + 1;
        SearchControl control({share, seconds, depth}, stop.flag.get(), poll, interval, other_stop.flag.get());
        AnyAlphaBeta::Report pass_on;
        if (!report.is_none())
            pass_on = [&](const AnyAlphaBetaResult& found) {
                const nb::gil_scoped_acquire gil;
                report(AlphaBetaReport{found, control.seconds()});
            };
        const AnyAlphaBetaResult found = handle.search->search(*state.state, all_values, control, pass_on);
        return AlphaBetaReport{found, control.seconds()};
    });
}

}  // namespace

void bind_alphabeta(nb::module_& module) {
    nb::class_<AnyRootMove>(module, "RootMove")
        .def_ro("action", &AnyRootMove::action)
        .def_ro("value", &AnyRootMove::value)
        .def_ro("line", &AnyRootMove::line);
    nb::class_<AlphaBetaReport>(module, "AlphaBetaReport")
        .def_prop_ro("depth", [](const AlphaBetaReport& report) { return report.found.depth; })
        .def_prop_ro("value", [](const AlphaBetaReport& report) { return report.found.value; })
        .def_prop_ro("line", [](const AlphaBetaReport& report) { return report.found.line; })
        .def_prop_ro("moves", [](const AlphaBetaReport& report) { return report.found.moves; })
        .def_prop_ro("nodes", [](const AlphaBetaReport& report) { return report.found.nodes; })
        .def_ro("seconds", &AlphaBetaReport::seconds);
    nb::class_<AlphaBetaHandle>(module, "AlphaBeta")
        .def("search", &run_alphabeta, nb::arg("state"), nb::arg("all_values"), nb::arg("depth"), nb::arg("nodes"),
             nb::arg("seconds"), nb::arg("stop"), nb::arg("other_stop"), nb::arg("report").none())
        .def(
            "clear", [](AlphaBetaHandle& handle) { handle.search->clear(); },
            "Forget all that was searched, and keep the memory; no search may run.");
    bind_options<AlphaBetaOptions>(module, "AlphaBetaOptions", "alphabeta_options");
    module.def("make_alphabeta", &make_alphabeta, nb::arg("game"), nb::arg("options"), nb::arg("network").none(),
               nb::arg("order").none());
    module.attr("WIN") = kWin;
    module.attr("WIN_BOUND") = kWinBound;
    module.attr("NTUPLE_UNIT") = kNTupleUnit;
}

}  // namespace spielbaum
