// States: everything that a position can be asked, and the two kernels that start from one.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "core/rng.hpp"

namespace spielbaum {

namespace {

// Without a list in between: the moves of a position are asked for at every ply of a game.
template <class T>
nb::tuple to_tuple(const std::vector<T>& values) {
    const nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
    if (!tuple.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < values.size(); ++i)
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), nb::cast(values[i]).release().ptr());
    return nb::borrow<nb::tuple>(tuple);
}

// The moves of a path by their names, all in one call.
std::vector<std::string> texts_of(const StateHandle& state) {
    std::vector<std::string> texts;
    for (const AnyState* each = state.state.get(); each->parent(); each = each->parent().get())
        texts.push_back(each->parent()->text(*each->last_action()));
    std::reverse(texts.begin(), texts.end());
    return texts;
}

// Random moves from a state on, as many as wanted or as the game lasts.
StateHandle wander(const StateHandle& start, int plies, Rng& rng) {
    StatePtr state = start.state;
    for (int ply = 0; ply < plies; ++ply) {
        const std::vector<int> actions = state->legal_actions();
        if (actions.empty()) break;
        state = state->play(actions[static_cast<std::size_t>(rng.below(static_cast<int>(actions.size())))], state);
    }
    return {std::move(state)};
}

// A large integer for a message; beyond a few digits its size says more, and Python refuses to print the largest.
std::string shown_number(const nb::object& number) {
    const auto bits = nb::cast<u64>(number.attr("bit_length")());
    return bits > 128 ? "of " + std::to_string(bits) + " bits" : nb::str(number).c_str();
}

// Any Python integer (or object with __index__); numbers beyond 32 bits are out of every game's range.
int to_action(nb::handle number) {
    // True and False are numbers to Python, but nobody means a move by them.
    if (PyBool_Check(number.ptr()))
        throw IllegalMove("move " + nb::cast<std::string>(nb::repr(number)) +
                          " is no move: expected the number of an action");
    const nb::object index = nb::steal(PyNumber_Index(number.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0 || value != static_cast<int>(value))
        throw IllegalMove("move " + shown_number(index) + " is out of range: no game has that many actions");
    return static_cast<int>(value);
}

nb::object outcome_of(const StateHandle& state) {
    if (!state->over()) return nb::none();
    const Outcome outcome = state->outcome();
    nb::list rewards;
    for (int player = 0; player < outcome.num_players; ++player)
        rewards.append(outcome.rewards[static_cast<std::size_t>(player)]);
    const auto winner = outcome.winner();
    return nb::make_tuple(nb::tuple(rewards), winner ? nb::object(nb::int_(*winner)) : nb::none(),
                          nb::str(outcome.reason.data(), outcome.reason.size()));
}

nb::tuple cells_tuple(MoveCells cells) {
    if (cells.target < 0) return nb::make_tuple();
    return cells.origin < 0 ? nb::make_tuple(cells.target) : nb::make_tuple(cells.origin, cells.target);
}

using Planes = nb::ndarray<nb::numpy, float, nb::ndim<3>>;

Planes planes_of(const StateHandle& state, std::string_view name) {
    const auto encodings = state->game()->encodings();
    for (std::size_t i = 0; i < encodings.size(); ++i) {
        if (encodings[i].name != name) continue;
        const Shape shape = encodings[i].shape;
        const std::size_t sizes[] = {static_cast<std::size_t>(shape.planes), static_cast<std::size_t>(shape.rows),
                                     static_cast<std::size_t>(shape.columns)};
        auto data = std::make_unique<float[]>(sizes[0] * sizes[1] * sizes[2]);
        state->write_planes(static_cast<int>(i), data.get());
        const nb::capsule owner(data.get(), [](void* array) noexcept { delete[] static_cast<float*>(array); });
        return Planes(data.release(), 3, sizes, owner);
    }
    throw nb::value_error("no encoding of that name");
}

}  // namespace

void bind_states(nb::module_& module) {
    nb::class_<StateHandle>(module, "State")
        .def_prop_ro("to_move", [](const StateHandle& state) { return state->to_move(); })
        .def_prop_ro("over", [](const StateHandle& state) { return state->over(); })
        .def_prop_ro("outcome", &outcome_of,
                     nb::sig("def outcome(self) -> tuple[tuple[float, ...], int | None, str] | None"))
        .def_prop_ro(
            "legal_moves", [](const StateHandle& state) { return to_tuple(state->legal_actions()); },
            nb::sig("def legal_moves(self) -> tuple[int, ...]"))
        .def(
            "play",
            [](const StateHandle& state, nb::handle action) {
                return StateHandle{state->play(to_action(action), state.state)};
            },
            nb::arg("action").none(), nb::sig("def play(self, action: typing.SupportsIndex) -> State"))
        .def_prop_ro("key", [](const StateHandle& state) { return state->key(); })
        .def("equals", [](const StateHandle& a, const StateHandle& b) { return a->equals(*b.state); })
        .def(
            "text", [](const StateHandle& state, nb::handle action) { return state->text(to_action(action)); },
            nb::arg("action").none(), nb::sig("def text(self, action: typing.SupportsIndex) -> str"))
        .def(
            "label", [](const StateHandle& state, nb::handle action) { return state->label(to_action(action)); },
            nb::arg("action").none(), nb::sig("def label(self, action: typing.SupportsIndex) -> str"))
        .def("parse", [](const StateHandle& state, std::string_view text) { return state->parse_move(text); })
        .def_prop_ro("notation", [](const StateHandle& state) { return state->notation(); })
        .def_prop_ro("last_move", [](const StateHandle& state) { return state->last_action(); })
        .def_prop_ro(
            "history", [](const StateHandle& state) { return to_tuple(state->history()); },
            nb::sig("def history(self) -> tuple[int, ...]"))
        .def_prop_ro(
            "texts", [](const StateHandle& state) { return to_tuple(texts_of(state)); },
            nb::sig("def texts(self) -> tuple[str, ...]"))
        .def("wander", &wander, nb::arg("plies"), nb::arg("rng"))
        .def_prop_ro("root",
                     [](const StateHandle& state) {
                         const StatePtr* root = &state.state;
                         while ((*root)->parent()) root = &(*root)->parent();
                         return StateHandle{*root};
                     })
        // None: the path starts at the initial position.
        .def_prop_ro("root_notation",
                     [](const StateHandle& state) {
                         const AnyState& root = state->root();
                         return root.is_initial() ? std::nullopt : std::optional(root.notation());
                     })
        .def_prop_ro("parent",
                     [](const StateHandle& state) {
                         return state->parent() ? std::optional(StateHandle{state->parent()}) : std::nullopt;
                     })
        .def_prop_ro(
            "cells", [](const StateHandle& state) { return to_tuple(state->cells()); },
            nb::sig("def cells(self) -> tuple[int, ...]"))
        .def(
            "cells_of",
            [](const StateHandle& state, nb::handle action) {
                return cells_tuple(state->move_cells(to_action(action)));
            },
            nb::arg("action").none(), nb::sig("def cells_of(self, action: typing.SupportsIndex) -> tuple[int, ...]"))
        // The identity keeps the path; an image under another symmetry starts a new one.
        .def("transform",
             [](const StateHandle& state, int index) {
                 check_range("symmetry", index, 0, state->game()->num_symmetries() - 1);
                 return index == 0 ? state : StateHandle{state->transform(index)};
             })
        .def("planes", &planes_of, nb::arg("encoding"))
        .def_prop_ro(
            "eliminated", [](const StateHandle& state) { return to_tuple(state->eliminated()); },
            nb::sig("def eliminated(self) -> tuple[int, ...]"))
        .def("eliminate", [](const StateHandle& state, int player) { return StateHandle{state->eliminate(player)}; })
        .def_prop_ro(
            "details",
            [](const StateHandle& state) {
                nb::dict details;
                for (const auto& [name, numbers] : state->details())
                    details[nb::str(name.data(), name.size())] = to_tuple(numbers);
                return details;
            },
            nb::sig("def details(self) -> dict[str, tuple[int, ...]]"));

    module.def(
        "perft",
        [](const StateHandle& state, int depth) {
            check_range("perft depth", depth, 0, 200);
            return run_released(*state->game(), [&](const Poll& poll) { return state->perft(depth, poll); });
        },
        nb::arg("state"), nb::arg("depth"), "Number of move sequences of a given length.");
    module.def(
        "playouts",
        [](const StateHandle& state, u64 count, u64 seed) {
            const PlayoutTotals totals =
                run_released(*state->game(), [&](const Poll& poll) { return state->playouts(count, seed, poll); });
            return std::make_tuple(totals.plies, totals.checksum);
        },
        nb::arg("state"), nb::arg("count"), nb::arg("seed"), "Plies and checksum of random games played to the end.");
}

}  // namespace spielbaum
