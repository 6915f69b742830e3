// Monte-Carlo tree search as an object that keeps its tree between searches.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/any_mcts.hpp"
#include "bindings/bindings.hpp"
#include "bindings/ntuple_handle.hpp"

namespace spielbaum {

namespace {

struct MctsHandle {
    GamePtr game;
    MctsPtr search;
};

MctsHandle make_mcts(const GameHandle& handle, MctsOptions options, u64 seed, const NTupleHandle* network) {
    if (network != nullptr) options.eval.network = network->of(handle);
    const AnyGame& game = *handle.game;
    if (options.threads > 1 && !game.runs_without_python())
        throw OptionError("option threads=" + std::to_string(options.threads) + ": the game is written in Python, and its rules run in one thread");
    return {handle.game, game.make_mcts(options, seed)};
}

AnyMctsResult run_mcts(MctsHandle& handle, const StateHandle& state, u64 iterations, double seconds, const StopFlag& stop,
                  const StopFlag& other_stop, nb::handle report) {
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
    const BatchAnswers answers{values.data() + row * values.shape(1), static_cast<int>(values.shape(1)), logits.data() + row * logits.shape(1)};
    run_released(*handle.game, [&](const Poll&) { handle.search->apply(answers); });
}

}  // namespace

void bind_mcts(nb::module_& module) {
    nb::class_<AnyMctsMove>(module, "MctsMove")
        .def_ro("action", &AnyMctsMove::action)
        .def_ro("visits", &AnyMctsMove::visits)
        .def_ro("value", &AnyMctsMove::value)
        .def_prop_ro("proven", [](const AnyMctsMove& move) { return move.proof != Proof::unknown; })
        .def_ro("prior", &AnyMctsMove::prior)
        .def_ro("policy", &AnyMctsMove::policy)
        .def_ro("line", &AnyMctsMove::line);
    nb::class_<AnyMctsResult>(module, "MctsReport")
        .def_ro("iterations", &AnyMctsResult::iterations)
        .def_ro("value", &AnyMctsResult::value)
        .def_prop_ro("proven", [](const AnyMctsResult& result) { return result.proof != Proof::unknown; })
        .def_ro("moves", &AnyMctsResult::moves)
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
    nb::class_<MctsOptions>(module, "MctsOptions")
        .def(nb::init<>())
        .def("set_select", [](MctsOptions& o, std::string_view name) { o.select = rule_of<SelectRule>("select", name, kSelectNames); }, nb::arg("name"))
        .def("set_playout", [](MctsOptions& o, std::string_view name) { o.playout = rule_of<PlayoutRule>("playout", name, kPlayoutNames); }, nb::arg("name"))
        .def("set_final", [](MctsOptions& o, std::string_view name) { o.final = rule_of<FinalRule>("final", name, kFinalNames); }, nb::arg("name"))
        .def("set_beta", [](MctsOptions& o, std::string_view name) { o.beta = rule_of<BetaRule>("beta", name, kBetaNames); }, nb::arg("name"))
        .def("set_formula", [](MctsOptions& o, std::string_view name) { o.formula = rule_of<PuctFormula>("formula", name, kFormulaNames); }, nb::arg("name"))
        .def("set_fpu", [](MctsOptions& o, std::string_view name) { o.fpu = rule_of<FpuRule>("fpu", name, kFpuNames); }, nb::arg("name"))
        .def("set_prior", [](MctsOptions& o, std::string_view name) { o.prior = rule_of<PriorRule>("prior", name, kPriorNames); }, nb::arg("name"))
        .def("set_root", [](MctsOptions& o, std::string_view name) { o.root = rule_of<RootRule>("root", name, kRootNames); }, nb::arg("name"))
        .def("set_parallel", [](MctsOptions& o, std::string_view name) { o.parallel = rule_of<ParallelRule>("parallel", name, kParallelNames); }, nb::arg("name"))
        .def("set_eval", [](MctsOptions& o, std::string_view name) { o.eval.name = name; }, nb::arg("name"))
        .def_rw("c", &MctsOptions::c)
        .def_rw("alpha", &MctsOptions::alpha)
        .def_rw("rave_k", &MctsOptions::rave_k)
        .def_rw("cpn", &MctsOptions::cpn)
        .def_rw("d1", &MctsOptions::d1)
        .def_rw("d2", &MctsOptions::d2)
        .def_rw("d3", &MctsOptions::d3)
        .def_rw("k", &MctsOptions::k)
        .def_rw("cut", &MctsOptions::cut)
        .def_rw("minimax", &MctsOptions::minimax)
        .def_rw("blend", &MctsOptions::blend)
        .def_rw("blend_ends", &MctsOptions::blend_ends)
        .def_rw("average", &MctsOptions::average)
        .def_rw("fpu_drop", &MctsOptions::fpu_drop)
        .def_rw("prior_t", &MctsOptions::prior_t)
        .def_rw("noise", &MctsOptions::noise)
        .def_rw("dirichlet", &MctsOptions::dirichlet)
        .def_rw("considered", &MctsOptions::considered)
        .def_rw("temperature", &MctsOptions::temperature)
        .def_rw("symmetry", &MctsOptions::symmetry)
        .def_rw("tree_moves", &MctsOptions::tree_moves)
        .def_rw("forget", &MctsOptions::forget)
        .def_rw("keep", &MctsOptions::keep)
        .def_rw("first_reply", &MctsOptions::first_reply)
        .def_rw("context", &MctsOptions::context)
        .def_rw("mast_t", &MctsOptions::mast_t)
        .def_rw("solver", &MctsOptions::solver)
        .def_rw("reuse", &MctsOptions::reuse)
        .def_rw("threads", &MctsOptions::threads)
        .def_rw("batch", &MctsOptions::batch)
        .def_rw("memory", &MctsOptions::memory);
    nb::class_<MctsHandle>(module, "Mcts")
        .def("search", &run_mcts, nb::arg("state"), nb::arg("iterations"), nb::arg("seconds"), nb::arg("stop"),
             nb::arg("other_stop"), nb::arg("report").none())
        .def("tree", [](const MctsHandle& handle, std::size_t most) { return handle.search->tree(most); }, nb::arg("most"))
        .def("begin",
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
    module.def("make_mcts", &make_mcts, nb::arg("game"), nb::arg("options"), nb::arg("seed"), nb::arg("network").none());
}

}  // namespace spielbaum
