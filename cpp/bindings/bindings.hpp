// What the bind_*.cpp files share: the Python-side state, and how long work is polled.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "bindings/any.hpp"

namespace spielbaum {

namespace nb = nanobind;

// Python's `_core.State`: a value that shares the immutable state with its successors.
struct StateHandle {
    StatePtr state;
    const AnyState* operator->() const { return state.get(); }
};

struct GameHandle {
    GamePtr game;
    const AnyGame* operator->() const { return game.get(); }
};

// Every 10 ms lets Python handle signals; Ctrl-C then ends the work as KeyboardInterrupt. Works with or without the
// GIL held by the caller.
class SignalPoll {
public:
    void operator()() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(10)) return;
        last_ = now;
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs `work(poll)` without the GIL, unless the game itself is written in Python.
template <class Work>
auto run_released(const AnyGame& game, Work&& work) {
    const Poll poll = SignalPoll{};
    if (!game.runs_without_python()) return work(poll);
    nb::gil_scoped_release release;
    return work(poll);
}

void bind_errors(nb::module_& module);
void bind_games(nb::module_& module);
void bind_states(nb::module_& module);

}  // namespace spielbaum
