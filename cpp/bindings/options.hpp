// Options of searches as Python sees them: a list of what is declared, and an object that takes values by name.
#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "core/setting.hpp"

namespace spielbaum {

template <class Options>
void bind_options(nb::module_& module, const char* name, const char* list) {
    nb::class_<Options>(module, name)
        .def(nb::init<>())
        .def(
            "set",
            [](Options& options, std::string_view option, const SettingValue& value) { options.set(option, value); },
            nb::arg("name"), nb::arg("value"));
    module.def(list, &Options::list);
}

// The rules of a game written in Python run under one lock, and more threads would only wait for it.
inline void check_threads(const AnyGame& game, int threads) {
    if (threads > 1 && !game.runs_without_python())
        throw OptionError("option threads=" + std::to_string(threads) +
                          ": the game is written in Python, and its rules run in one thread");
}

}  // namespace spielbaum
