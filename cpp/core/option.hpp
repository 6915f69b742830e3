// Options of a game ("rows", "swap", ...): declared once, next to the game; texts, help and checks derive from it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/errors.hpp"

namespace spielbaum {

struct OptionDeclaration {
    std::string_view name;
    int initial;
    int low, high;
    bool on_off;  // shown as on/off instead of 1/0
    std::string_view help;
    std::span<const std::string_view> names{};  // of the values from 0 on, where these are shown instead of numbers
};

// Values in the order of the declarations.
using OptionValues = std::span<const int>;

// An option whose value names a file that the game is made of; to find the file and read it is left to others.
struct FileOption {
    std::string_view name, initial, help;
};
struct NamedFile {
    std::string_view name, content;
};

// A family of games is with(values, use). One with a file (its kFile) is with(values, file, use).
template <class Family>
concept ReadsFile = requires { Family::kFile; };

template <class Family, class Use>
auto make_with(OptionValues values, [[maybe_unused]] const NamedFile& file, Use&& use) {
    if constexpr (ReadsFile<Family>)
        return Family::with(values, file, use);
    else
        return Family::with(values, use);
}

// The value that a name stands for; a sentence that lists the names if it stands for none.
template <class Rule, std::size_t N>
Rule rule_of(std::string_view option, std::string_view name, const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == name) return static_cast<Rule>(i);
    std::string expected;
    for (const std::string_view known : names) expected += (expected.empty() ? "" : ", ") + std::string(known);
    throw OptionError("option " + std::string(option) + "=" + std::string(name) + ": expected one of " + expected);
}

}  // namespace spielbaum
