// The catalog of games and their creation.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "games/catalog.hpp"

namespace spielbaum {

namespace {

struct FamilyInfo {
    std::string_view name, summary;
    std::vector<OptionDeclaration> options;
    std::optional<FileOption> file;
};

std::vector<FamilyInfo> catalog() {
    std::vector<FamilyInfo> infos;
    for_each_family([&]<class Family>() {
        FamilyInfo info{
            Family::kName, Family::kSummary, {Family::kOptions.begin(), Family::kOptions.end()}, std::nullopt};
        if constexpr (ReadsFile<Family>) info.file = Family::kFile;
        infos.push_back(std::move(info));
    });
    return infos;
}

GameHandle make_game(std::string_view name, const std::vector<int>& values, std::string_view file_name,
                     std::string_view file_content) {
    GamePtr game;
    for_each_family([&]<class Family>() {
        if (Family::kName == name && Family::kOptions.size() == values.size())
            game = instantiate<Family>(values, {file_name, file_content});
    });
    if (!game) throw OptionError("no game named '" + std::string(name) + "' with that number of options");
    return {game};
}

}  // namespace

void bind_games(nb::module_& module) {
    nb::class_<OptionDeclaration>(module, "OptionDeclaration")
        .def_ro("name", &OptionDeclaration::name)
        .def_ro("initial", &OptionDeclaration::initial)
        .def_ro("low", &OptionDeclaration::low)
        .def_ro("high", &OptionDeclaration::high)
        .def_ro("on_off", &OptionDeclaration::on_off)
        .def_ro("help", &OptionDeclaration::help)
        .def_prop_ro("names", [](const OptionDeclaration& option) {
            return std::vector<std::string_view>(option.names.begin(), option.names.end());
        });
    nb::class_<FileOption>(module, "FileOption")
        .def_ro("name", &FileOption::name)
        .def_ro("initial", &FileOption::initial)
        .def_ro("help", &FileOption::help);
    nb::class_<FamilyInfo>(module, "FamilyInfo")
        .def_ro("name", &FamilyInfo::name)
        .def_ro("summary", &FamilyInfo::summary)
        .def_ro("options", &FamilyInfo::options)
        .def_ro("file", &FamilyInfo::file);
    nb::class_<Encoding>(module, "Encoding")
        .def_ro("name", &Encoding::name)
        .def_ro("partition", &Encoding::partition)
        .def_prop_ro("shape", [](const Encoding& encoding) {
            return std::make_tuple(encoding.shape.planes, encoding.shape.rows, encoding.shape.columns);
        });
    nb::class_<SolverFacts>(module, "SolverFacts")
        .def_ro("takes_order", &SolverFacts::takes_order)
        .def_ro("easy_nodes", &SolverFacts::easy_nodes)
        .def_ro("easy_cells", &SolverFacts::easy_cells)
        .def_ro("growth", &SolverFacts::growth);

    nb::class_<GameHandle>(module, "Game")
        .def_prop_ro("num_players", [](const GameHandle& game) { return game->num_players(); })
        .def_prop_ro("num_actions", [](const GameHandle& game) { return game->num_actions(); })
        .def_prop_ro("max_moves", [](const GameHandle& game) { return game->max_moves(); })
        .def_prop_ro("num_symmetries", [](const GameHandle& game) { return game->num_symmetries(); })
        .def_prop_ro("has_plane_actions", [](const GameHandle& game) { return game->has_plane_actions(); })
        .def_prop_ro("eliminates", [](const GameHandle& game) { return game->eliminates(); })
        .def_prop_ro("solver", [](const GameHandle& game) { return game->solver(); })
        .def_prop_ro("encodings",
                     [](const GameHandle& game) {
                         const auto encodings = game->encodings();
                         return std::vector<Encoding>(encodings.begin(), encodings.end());
                     })
        .def("symmetry_actions",
             [](const GameHandle& game, int index) {
                 check_range("symmetry", index, 0, game->num_symmetries() - 1);
                 std::vector<int> images;
                 for (int action = 0; action < game->num_actions(); ++action)
                     images.push_back(game->transform_action(action, index));
                 return images;
             })
        .def("initial", [](const GameHandle& game) { return StateHandle{game->initial()}; })
        .def("state", [](const GameHandle& game, std::string_view text) { return StateHandle{game->parse(text)}; });

    module.def("catalog", &catalog, "The native games with their options.");
    module.def("make_game", &make_game, nb::arg("name"), nb::arg("values"), nb::arg("file_name") = "",
               nb::arg("file_content") = "");
    module.def(
        "python_game", [](const nb::object& game) { return GameHandle{make_python_game(game)}; }, nb::arg("game"),
        "Wraps a game written in Python.");
    module.def(
        "python_value", [](const StateHandle& state) { return python_value(*state.state); }, nb::arg("state"),
        "The user's own state inside a state of a Python game, else None.");
}

}  // namespace spielbaum
