// Options of a game ("rows", "swap", ...): declared once, next to the game; texts, help and checks derive from it.
#pragma once

#include <span>
#include <string_view>

namespace spielbaum {

struct OptionDeclaration {
    std::string_view name;
    int initial;
    int low, high;
    bool on_off;  // shown as on/off instead of 1/0
    std::string_view help;
};

// Values in the order of the declarations.
using OptionValues = std::span<const int>;

}  // namespace spielbaum
