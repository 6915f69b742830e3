// The parts of a Monte-Carlo tree search that can be chosen, by the names that a spec uses.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/bits.hpp"
#include "core/errors.hpp"

namespace spielbaum {

enum class SelectRule : std::uint8_t { uct, uct1, uct2, ucb1_tuned, amaf, rave, pn };
inline constexpr std::array<std::string_view, 7> kSelectNames{"uct", "uct1", "uct2", "ucb1-tuned", "amaf", "rave", "pn"};

enum class PlayoutRule : std::uint8_t { random, lgr, gdk, mast };
inline constexpr std::array<std::string_view, 4> kPlayoutNames{"random", "lgr", "gdk", "mast"};

enum class FinalRule : std::uint8_t { visits, value };
inline constexpr std::array<std::string_view, 2> kFinalNames{"visits", "value"};

// How the weight of AMAF values falls with the visits n of a move: `gelly` is sqrt(k / (3 n + k)), `silver` is
// m / (n + m + n m / k) with m playouts that contain the move (Silver 2009, with a bias of 1 / (2 sqrt(k))).
enum class BetaRule : std::uint8_t { gelly, silver };
inline constexpr std::array<std::string_view, 2> kBetaNames{"gelly", "silver"};

struct MctsOptions {
    SelectRule select = SelectRule::uct;
    PlayoutRule playout = PlayoutRule::random;
    FinalRule final = FinalRule::visits;
    BetaRule beta = BetaRule::gelly;
    double c = 0.8;          // weight of exploration
    double alpha = 0.5;      // weight of AMAF values with select=amaf
    double rave_k = 50.0;    // visits at which AMAF values and others weigh the same
    double cpn = 1.0;        // pn: weight of the rank by proof numbers
    int k = 0;               // plies that alpha-beta looks ahead when a playout ends within them; 0: it does not
    bool symmetry = false;   // uct1, uct2: positions that are symmetric are one node
    bool tree_moves = true;  // AMAF also counts moves made in the tree, not only those of the playout
    bool forget = false;     // LGR: a reply that lost is forgotten
    bool keep = true;        // LGR, MAST: what was learnt is kept for the next move
    bool first_reply = false;  // LGR: the playout's first move counts as a reply to the last move in the tree
    int context = 1;         // LGR: moves to which a reply answers, 1 or 2
    double mast_t = 1.0;     // MAST: temperature
    bool solver = true;      // proven results are kept and used
    bool reuse = true;       // the tree is kept for the next move
    std::size_t memory = std::size_t{512} << 20;
};

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
