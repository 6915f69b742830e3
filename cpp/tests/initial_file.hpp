// The file of a game that is made of one: the initial value of its option, from the maps of the package.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "core/option.hpp"

namespace spielbaum::testing {

template <class Family>
NamedFile initial_file() {
    if constexpr (ReadsFile<Family>) {
        static const std::string content = [] {
            std::ifstream file(std::string(SPIELBAUM_MAPS "/") + std::string(Family::kFile.initial) + ".map");
            return std::string(std::istreambuf_iterator<char>(file), {});
        }();
        return {Family::kFile.initial, content};
    } else {
        return {};
    }
}

}  // namespace spielbaum::testing
