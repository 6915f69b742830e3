// The extension module, once for every level of processor that it is built for (SPIELBAUM_MODULE is its name). Its
// names are private: the public face is the Python package.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <pthread.h>

#include <cstdlib>

#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "core/rng.hpp"
#include "core/setting.hpp"

namespace spielbaum {

void bind_errors(nb::module_& module) {
    nb::exception<NotationError>(module, "NotationError", PyExc_ValueError);
    nb::exception<IllegalMove>(module, "IllegalMove", PyExc_ValueError);
    nb::exception<OptionError>(module, "OptionError", PyExc_ValueError);
}

namespace {

void bind_rng(nb::module_& module) {
    nb::class_<Rng>(module, "Rng", "The generator of random numbers of the core: a seed means the same everywhere.")
        .def(nb::init<u64>(), nb::arg("seed") = 0)
        .def("next", &Rng::next, "The next 64 random bits.")
        .def(
            "below",
            [](Rng& rng, int n) {
                if (n < 1) throw nb::value_error("Rng.below(n) needs n of at least 1");
                return rng.below(n);
            },
            nb::arg("n"), "A random number from 0 to n - 1.");
}

void bind_settings(nb::module_& module) {
    nb::class_<SettingInfo>(module, "SettingInfo", "An option of a search, as the core declares it.")
        .def_ro("name", &SettingInfo::name)
        .def_ro("initial", &SettingInfo::initial)
        .def_ro("help", &SettingInfo::help)
        .def_ro("low", &SettingInfo::low)
        .def_ro("high", &SettingInfo::high)
        .def_ro("choices", &SettingInfo::choices)
        .def_ro("other", &SettingInfo::other)
        .def_ro("values", &SettingInfo::values);
}

void find_signal_thread() {
    signal_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    pthread_atfork(nullptr, nullptr, [] { signal_thread = PyThread_get_thread_ident(); });
}

}  // namespace
}  // namespace spielbaum

// NB_MODULE pastes its name; a macro around it lets SPIELBAUM_MODULE expand first.
#define SPIELBAUM_DEFINE_MODULE(name) NB_MODULE(name, module)

SPIELBAUM_DEFINE_MODULE(SPIELBAUM_MODULE) {
    // A daemon thread that is at work when the program ends keeps its states, which is no leak; tests ask for the
    // check.
    nanobind::set_leak_warnings(std::getenv("SPIELBAUM_LEAK_WARNINGS") != nullptr);
#if defined(__AVX2__) && defined(__BMI2__)
    module.attr("PROCESSOR") = "x86-64-v3";
#else
    module.attr("PROCESSOR") = "baseline";
#endif
    spielbaum::find_signal_thread();
    spielbaum::bind_errors(module);
    spielbaum::bind_rng(module);
    spielbaum::bind_settings(module);
    spielbaum::bind_games(module);
    spielbaum::bind_states(module);
    spielbaum::bind_vectors(module);
    spielbaum::bind_ntuples(module);
    spielbaum::bind_solvers(module);
    spielbaum::bind_alphabeta(module);
    spielbaum::bind_mcts(module);
}
