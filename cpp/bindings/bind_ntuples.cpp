// N-tuple networks and their training.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "bindings/ntuple_handle.hpp"
#include "bindings/options.hpp"
#include "core/option.hpp"

namespace spielbaum {

namespace {

struct TrainerHandle {
    GamePtr game;
    std::shared_ptr<const AnyNTuple> ntuple;
    std::unique_ptr<AnyTrainer> trainer;
    bool asks_python = false;  // the oracle is written in Python
};

NTupleHandle make_ntuple(const GameHandle& handle, int contents, bool symmetries, bool table_per_player, bool bias,
                         double k, bool squash, std::vector<Tuple> tuples) {
    const NTupleOptions options{contents, symmetries, table_per_player, bias, k, squash, std::move(tuples)};
    if (auto made = handle.game->make_ntuple(options)) return {handle.game, std::move(made)};
    throw OptionError("n-tuple networks do not know this game");
}

TrainerHandle make_trainer(const NTupleHandle& handle, const TdOptions& options, nb::object oracle) {
    AnyOracle ask;
    if (!oracle.is_none())
        ask = [oracle](const StatePtr& state) {
            const nb::gil_scoped_acquire gil;
            return nb::cast<double>(oracle(StateHandle{state}));
        };
    return {handle.game, handle.ntuple, handle.ntuple->trainer(options, ask), !oracle.is_none()};
}

u64 train(TrainerHandle& handle, u64 first, u64 end, int threads, double seconds, const StopFlag& stop) {
    if (threads > 1 && handle.asks_python)
        throw OptionError("option threads=" + std::to_string(threads) + ": games that are cut are for one thread");
    check_threads(*handle.game, threads);
    return run_released(*handle.game, [&](const Poll& poll) {
        const auto began = std::chrono::steady_clock::now();
        return handle.trainer->train(first, end, threads, [&] {
            poll();
            return !stop.flag->load(std::memory_order_relaxed) &&
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() < seconds;
        });
    });
}

// A supervised pass over positions with known values, in the order that is given.
void learn(TrainerHandle& handle, const std::vector<StateHandle>& states,
           nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> targets,
           const std::vector<std::uint32_t>& order, double alpha) {
    if (targets.shape(0) != states.size()) throw nb::value_error("expected a row of targets for each state");
    if (targets.shape(1) > kMaxPlayers) throw nb::value_error("expected a target for each player");
    for (const StateHandle& state : states)
        if (state->game() != handle.game) throw nb::value_error("a state is of another game");
    run_released(*handle.game, [&](const Poll& poll) {
        for (const std::uint32_t i : order) {
            if (i >= states.size()) throw OptionError("the order names a position that is not there");
            poll();
            handle.trainer->learn_value(*states[i].state, {targets.data() + i * targets.shape(1), targets.shape(1)},
                                        alpha);
        }
    });
}

template <class T>
auto view(T* data, std::size_t rows, std::size_t columns, nb::handle owner) {
    return nb::ndarray<nb::numpy, T, nb::ndim<2>>(data, {rows, columns}, owner);
}

const NTupleNetwork& network_of(const NTupleHandle& handle) { return *handle.ntuple->network(); }

}  // namespace

void bind_ntuples(nb::module_& module) {
    nb::class_<TupleCells>(module, "TupleCells")
        .def_ro("contents", &TupleCells::contents)
        .def_ro("neighbours", &TupleCells::neighbours);
    module.def("tuple_cells", [](const GameHandle& game) { return game->tuple_cells(); }, nb::arg("game"));
    module.def(
        "random_tuples",
        [](const GameHandle& game, std::string_view kind, const std::vector<int>& lengths,
           const std::vector<Tuple>& others, Rng& rng) {
            return random_tuples(game->tuple_cells(), rule_of<TupleKind>("kind", kind, kTupleKindNames), lengths,
                                 others, rng);
        },
        nb::arg("game"), nb::arg("kind"), nb::arg("lengths"), nb::arg("others"), nb::arg("rng"));
    module.def(
        "realisable_states",
        [](const GameHandle& game, const Tuple& tuple, int contents) {
            for (const std::uint16_t cell : tuple)
                if (cell >= game->tuple_cells().neighbours.size())
                    throw nb::value_error("a tuple has a cell that is not on the board");
            return game->realisable_states(tuple, contents);
        },
        nb::arg("game"), nb::arg("tuple"), nb::arg("contents"),
        "How many states of a tuple can occur, or None if the game cannot tell.");

    nb::class_<NTupleHandle>(module, "NTuple")
        .def_prop_ro("stride", [](const NTupleHandle& handle) { return network_of(handle).stride(); })
        .def_prop_ro("num_outputs", [](const NTupleHandle& handle) { return network_of(handle).num_outputs(); })
        .def_prop_ro("num_images", [](const NTupleHandle& handle) { return network_of(handle).num_images(); })
        .def_prop_ro("images", [](const NTupleHandle& handle) { return network_of(handle).shape().images; })
        .def_prop_ro("contents", [](const NTupleHandle& handle) { return network_of(handle).shape().contents; })
        .def_prop_ro("tuples", [](const NTupleHandle& handle) { return network_of(handle).shape().tuples; })
        .def(
            "offset",
            [](const NTupleHandle& handle, std::size_t tuple) {
                if (tuple >= network_of(handle).shape().tuples.size()) throw nb::index_error("there is no such tuple");
                return network_of(handle).offset(tuple) / static_cast<std::size_t>(network_of(handle).stride());
            },
            nb::arg("tuple"), "The first entry of a tuple.")
        .def(
            "column",
            [](const NTupleHandle& handle, int output, int to_move) {
                return network_of(handle).column(output, to_move);
            },
            nb::arg("output"), nb::arg("to_move"))
        .def_prop_ro("weights",
                     [](nb::handle_t<NTupleHandle> self) {
                         NTupleNetwork& network = *nb::cast<NTupleHandle&>(self).ntuple->network();
                         return view(network.weights().data(), network.num_entries(),
                                     static_cast<std::size_t>(network.stride()), self);
                     })
        .def(
            "draw_weights",
            [](const NTupleHandle& handle, double size, Rng& rng) {
                NTupleNetwork::draw(handle.ntuple->network()->weights(), size, rng);
            },
            nb::arg("size"), nb::arg("rng"), "Draw all weights evenly from -size to size.")
        .def(
            "draw_table",
            [](const NTupleHandle& handle, std::size_t tuple, double size, Rng& rng) {
                NTupleNetwork& network = *handle.ntuple->network();
                if (tuple >= network.shape().tuples.size()) throw nb::index_error("there is no such tuple");
                const std::size_t count = network.table_size(tuple) * static_cast<std::size_t>(network.stride());
                NTupleNetwork::draw(network.weights().subspan(network.offset(tuple), count), size, rng);
            },
            nb::arg("tuple"), nb::arg("size"), nb::arg("rng"), "Draw the weights of one tuple.")
        .def(
            "values",
            [](const NTupleHandle& handle, const StateHandle& state) {
                if (state->game() != handle.game) throw nb::value_error("a network was made for another game");
                return handle.ntuple->values(*state.state);
            },
            nb::arg("state"))
        .def(
            "move_values",
            [](const NTupleHandle& handle, const StateHandle& state) {
                if (state->game() != handle.game) throw nb::value_error("a network was made for another game");
                return handle.ntuple->move_values(*state.state);
            },
            nb::arg("state"))
        .def(
            "places",
            [](const NTupleHandle& handle, const StateHandle& state) {
                if (state->game() != handle.game) throw nb::value_error("a network was made for another game");
                return handle.ntuple->places(*state.state);
            },
            nb::arg("state"));
    module.def("make_ntuple", &make_ntuple, nb::arg("game"), nb::arg("contents"), nb::arg("symmetries"),
               nb::arg("table_per_player"), nb::arg("bias"), nb::arg("k"), nb::arg("squash"), nb::arg("tuples"));

    nb::class_<Schedule>(module, "Schedule")
        .def(
            "__init__",
            [](Schedule* self, std::string_view kind, double initial, double final, double at, double games) {
                new (self) Schedule{rule_of<ScheduleKind>("kind", kind, kScheduleNames), initial, final, at, games};
            },
            nb::arg("kind"), nb::arg("initial"), nb::arg("final"), nb::arg("at"), nb::arg("games"))
        .def("value", &Schedule::value, nb::arg("game"));
    nb::class_<TdOptions>(module, "TdOptions")
        .def(nb::init<>())
        .def(
            "set_control",
            [](TdOptions& o, std::string_view name) {
                o.control = rule_of<StepControl>("control", name, kStepControlNames);
            },
            nb::arg("name"))
        .def_rw("alpha", &TdOptions::alpha)
        .def_rw("epsilon", &TdOptions::epsilon)
        .def_rw("gamma", &TdOptions::gamma)
        .def_rw("decay", &TdOptions::lambda)
        .def_rw("replacing", &TdOptions::replacing)
        .def_rw("resetting", &TdOptions::resetting)
        .def_rw("beta", &TdOptions::beta)
        .def_rw("cut", &TdOptions::cut)
        .def_rw("look_ahead", &TdOptions::look_ahead)
        .def_rw("count_uses", &TdOptions::count_uses)
        .def_rw("seed", &TdOptions::seed);
    nb::class_<TrainerHandle>(module, "TdTrainer")
        .def("train", &train, nb::arg("first"), nb::arg("end"), nb::arg("threads"), nb::arg("seconds"), nb::arg("stop"))
        .def("learn", &learn, nb::arg("states"), nb::arg("targets"), nb::arg("order"), nb::arg("alpha"))
        .def(
            "worths",
            [](TrainerHandle& handle, u64 number, int games) { return handle.trainer->worths(number, games); },
            nb::arg("number"), nb::arg("games"))
        .def(
            "replace",
            [](TrainerHandle& handle, std::size_t tuple, Tuple cells) {
                if (tuple >= handle.ntuple->network()->shape().tuples.size())
                    throw nb::index_error("there is no such tuple");
                handle.trainer->replace(tuple, std::move(cells));
            },
            nb::arg("tuple"), nb::arg("cells"))
        .def_prop_ro("changes",
                     [](nb::handle_t<TrainerHandle> self) {
                         auto& changes = nb::cast<TrainerHandle&>(self).trainer->memory().changes;
                         return view(changes.data(), changes.size() / 2, 2, self);
                     })
        .def_prop_ro("uses", [](nb::handle_t<TrainerHandle> self) {
            auto& handle = nb::cast<TrainerHandle&>(self);
            const auto stride = static_cast<std::size_t>(handle.ntuple->network()->stride());
            auto& uses = handle.trainer->memory().uses;
            return view(uses.data(), uses.size() / stride, stride, self);
        });
    module.def("make_trainer", &make_trainer, nb::arg("ntuple"), nb::arg("options"), nb::arg("oracle").none());
}

}  // namespace spielbaum
