// Monte-Carlo tree search as an object that keeps its tree between searches.
#include <nanobind/ndarray.h>

#include "bindings/any_mcts.hpp"
#include "bindings/bindings.hpp"
#include "bindings/ntuple_handle.hpp"
#include "bindings/options.hpp"

namespace spielbaum {

namespace {

struct MctsHandle {
    GamePtr game;
    MctsPtr search;
};

MctsHandle make_mcts(const GameHandle& handle, MctsOptions options, u64 seed, const NTupleHandle* network) {
    if (network != nullptr) options.network = network->of(handle);
    const AnyGame& game = *handle.game;
    check_threads(game, options.threads);
    return {handle.game, game.make_mcts(options, seed)};
}

AnyMctsResult run_mcts(MctsHandle& handle, const StateHandle& state, u64 iterations, double seconds,
                       const StopFlag& stop, const StopFlag& other_stop, nb::handle report) {
    if (state->game() != handle.game) throw nb::value_error("a search was made for another game");
    return run_released(*handle.game, [&](const Poll& poll) {
        const u64 interval = handle.game->runs_without_python() ? 64 : 1;
        SearchControl control({iterations, seconds}, stop.flag.get(), poll, interval, other_stop.flag.get());
        AnyMcts::Report pass_on;
        if (!report.is_none())
            pass_on = [&](const AnyMctsResult& found) {
                const nb::gil_scoped_acquire gil;
                report(found);
            };
        return handle.search->search(*state.state, control, pass_on);
    });
}

// Arrays of a whole batch, of which a search uses the rows from `row` on.
using PlanesBatch = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using LegalBatch = nb::ndarray<bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

int collect(MctsHandle& handle, int encoding, PlanesBatch planes, LegalBatch legal, std::size_t row, double seconds,
            const std::vector<StopFlag*>& stops) {
    if (row > planes.shape(0) || row > legal.shape(0)) throw nb::value_error("the batch has no such row");
    const std::size_t size = planes.shape(1) * planes.shape(2) * planes.shape(3);
    const auto rows = static_cast<int>(std::min(planes.shape(0), legal.shape(0)) - row);
    const BatchRows batch{planes.data() + row * size, size, legal.data() + row * legal.shape(1), rows};
    return run_released(*handle.game, [&](const Poll& poll) {
        const auto look = [&] {
            poll();
            for (const StopFlag* stop : stops)
                if (stop->flag->load(std::memory_order_relaxed)) throw SearchStopped{};
        };
        SearchControl control({std::numeric_limits<u64>::max(), seconds}, nullptr, look);
        return handle.search->collect(encoding, batch, control);
    });
}
void apply(MctsHandle& handle, Numbers values, Numbers logits, std::size_t row) {
    const BatchAnswers answers{values.data() + row * values.shape(1), static_cast<int>(values.shape(1)),
                               logits.data() + row * logits.shape(1)};
    run_released(*handle.game, [&](const Poll&) { handle.search->apply(answers); });
}

// The fields of a Python MoveEval for every move, the best first: objects that Python asks for each field would cost
// self-play a tenth of its time.
nb::list moves_of(const AnyMctsResult& found, bool priors) {
    nb::list rows;
    for (const AnyMctsMove& move : found.moves) {
        const nb::object value = nb::float_(move.value);
        rows.append(nb::make_tuple(
            move.action, value, move.visits, priors ? nb::object(nb::float_(move.prior)) : nb::none(),
            move.proof != Proof::unknown ? value : nb::none(), nb::tuple(nb::cast(move.line)), move.policy));
    }
    return rows;
}

}  // namespace

void bind_mcts(nb::module_& module) {
    nb::class_<AnyMctsResult>(module, "MctsReport")
        .def_ro("iterations", &AnyMctsResult::iterations)
        .def_ro("value", &AnyMctsResult::value)
        .def_prop_ro("proven", [](const AnyMctsResult& result) { return result.proof != Proof::unknown; })
        .def("moves", &moves_of, nb::arg("priors"),
             nb::sig("def moves(self, priors: bool) -> list[tuple[int, float, int, float | None, float | None, "
                     "tuple[int, ...], float]]"))
        .def_ro("nodes", &AnyMctsResult::nodes)
        .def_ro("bytes", &AnyMctsResult::bytes)
        .def_ro("full", &AnyMctsResult::full)
        .def_ro("kept", &AnyMctsResult::kept)
        .def_ro("seconds", &AnyMctsResult::seconds);
    nb::class_<MctsTreeRow>(module, "MctsTreeRow")
        .def_ro("parent", &MctsTreeRow::parent)
        .def_ro("action", &MctsTreeRow::action)
        .def_ro("visits", &MctsTreeRow::visits)
        .def_ro("value", &MctsTreeRow::value)
        .def_prop_ro("proven", [](const MctsTreeRow& row) { return row.proof != Proof::unknown; })
        .def_ro("prior", &MctsTreeRow::prior);
    bind_options<MctsOptions>(module, "MctsOptions", "mcts_options");
    module.attr("MOST_LEAVES") = NetworkSettings::kMostLeaves;
    module.def("playouts_by_name", &playouts_by_name);
    module.def("rules_with_graphs", &MctsOptions::rules_with_graphs);
    module.def("rules_with_own_means", &MctsOptions::rules_with_own_means);
    nb::class_<MctsHandle>(module, "Mcts")
        .def("search", &run_mcts, nb::arg("state"), nb::arg("iterations"), nb::arg("seconds"), nb::arg("stop"),
             nb::arg("other_stop"), nb::arg("report").none())
        .def(
            "tree", [](const MctsHandle& handle, std::size_t most) { return handle.search->tree(most); },
            nb::arg("most"))
        .def(
            "begin",
            [](MctsHandle& handle, const StateHandle& state, u64 iterations, int history) {
                handle.search->begin(*state.state, iterations, history);
            },
            nb::arg("state"), nb::arg("iterations"), nb::arg("history"))
        .def_prop_ro("done", [](const MctsHandle& handle) { return handle.search->done(); })
        .def("collect", &collect, nb::arg("encoding"), nb::arg("planes"), nb::arg("legal"), nb::arg("row"),
             nb::arg("seconds"), nb::arg("stops"))
        .def("apply", &apply, nb::arg("values"), nb::arg("logits"), nb::arg("row"))
        .def("cancel", [](MctsHandle& handle) { handle.search->cancel(); })
        .def("so_far", [](const MctsHandle& handle) { return handle.search->so_far(); })
        .def("finish", [](MctsHandle& handle) { return handle.search->finish(); })
        .def("reset", [](MctsHandle& handle, u64 seed) { handle.search->reset(seed); }, nb::arg("seed"));
    module.def("make_mcts", &make_mcts, nb::arg("game"), nb::arg("options"), nb::arg("seed"),
               nb::arg("network").none());
}

}  // namespace spielbaum
