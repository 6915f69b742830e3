// All rules of playouts: a new one is included and named here, and is an option from then on.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "search/mcts/playout/gdk.hpp"
#include "search/mcts/playout/lgr.hpp"
#include "search/mcts/playout/mast.hpp"
#include "search/mcts/playout/nst.hpp"
#include "search/mcts/playout/random.hpp"
#include "search/mcts/rules.hpp"

namespace spielbaum {

using PlayoutRules = RuleList<RandomPlayout, LastGoodReply, KnowledgePlayout, MoveAverages, NGrams>;

namespace playout_detail {
template <class G, class... Rules>
std::variant<typename Rules::template Policy<G>...> one_of(RuleList<Rules...>);
}  // namespace playout_detail

// The rules that know moves by their names.
inline std::vector<std::string_view> playouts_by_name() {
    return PlayoutRules::names_where([]<class Rule>(std::type_identity<Rule>) { return Rule::kByName; });
}

template <Game G>
using Playout = decltype(playout_detail::one_of<G>(PlayoutRules{}));

}  // namespace spielbaum
