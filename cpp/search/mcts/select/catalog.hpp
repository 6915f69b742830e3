// All rules of selection: a new one is included and named here, and is an option from then on.
#pragma once

#include <variant>

#include "search/mcts/rules.hpp"
#include "search/mcts/select/amaf.hpp"
#include "search/mcts/select/grave.hpp"
#include "search/mcts/select/pn.hpp"
#include "search/mcts/select/puct.hpp"
#include "search/mcts/select/rave.hpp"
#include "search/mcts/select/ucb1_tuned.hpp"
#include "search/mcts/select/ucd.hpp"
#include "search/mcts/select/uct.hpp"

namespace spielbaum {

using SelectRules = RuleList<SelectUct, SelectUct1, SelectUct2, SelectUct3, SelectUcd, SelectUcb1Tuned, SelectAmaf,
                             SelectRave, SelectGrave, SelectPn, SelectPuct>;

namespace select_detail {
template <class... Rules>
std::variant<Rules...> one_of(RuleList<Rules...>);
}
using Selection = decltype(select_detail::one_of(SelectRules{}));

// The edge to go on by. Flat: a call of the scorer for each edge, or of the rule for each step, would cost a tenth of
// the search. Not a template of the game, for which it would be compiled again and again.
[[gnu::flatten, gnu::noinline]] inline Tree::Index select_edge(const Descent& descent, const Selection& selection,
                                                               double minimax_weight) {
    return std::visit([&](const auto& rule) { return best_edge(descent, rule, minimax_weight); }, selection);
}

}  // namespace spielbaum
