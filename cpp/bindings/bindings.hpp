// What the bind_*.cpp files share: the Python-side state, and how long work is polled.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>

#include "bindings/any_game.hpp"
#include "search/control.hpp"

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

// Shared with Python's StopToken: a search may still look at it when the token is gone.
struct StopFlag {
    std::shared_ptr<std::atomic<bool>> flag = std::make_shared<std::atomic<bool>>(false);
};

// A number of Python's must not reach a kernel unchecked.
inline void check_range(const char* name, int value, int low, int high) {
    if (value < low || value > high)
        throw nb::value_error((std::string(name) + " " + std::to_string(value) + ": expected a number from " +
                               std::to_string(low) + " to " + std::to_string(high))
                                  .c_str());
}

// Python's number of the thread in which it handles signals: its main one or, in a forked process, the one that forked.
inline unsigned long signal_thread = 0;

// Every 10 ms lets Python handle signals; Ctrl-C then ends the work as KeyboardInterrupt. Works with or without the
// GIL held by the caller. Python handles signals in its main thread only; the work of other threads must not ask for
// the GIL, which ends the process if the interpreter has been shut down meanwhile. Made at every step of a search, so
// it asks Python nothing until it is due.
class SignalPoll {
public:
    void operator()() {
        if (!due_here_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(10)) return;
        last_ = now;
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

private:
    bool due_here_ = PyThread_get_thread_ident() == signal_thread;
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

// Of games written in Python (python_game.cpp).
GamePtr make_python_game(const nb::object& game);
nb::object python_value(const AnyState& state);

void bind_errors(nb::module_& module);
void bind_games(nb::module_& module);
void bind_states(nb::module_& module);
void bind_vectors(nb::module_& module);
void bind_solvers(nb::module_& module);
void bind_alphabeta(nb::module_& module);
void bind_mcts(nb::module_& module);
void bind_ntuples(nb::module_& module);

}  // namespace spielbaum
