// All rules of playouts: a new one is included and named here, and is an option from then on.
#pragma once

#include <variant>

#include "search/mcts/playout/gdk.hpp"
#include "search/mcts/playout/lgr.hpp"
#include "search/mcts/playout/mast.hpp"
#include "search/mcts/playout/random.hpp"
#include "search/mcts/rules.hpp"

namespace spielbaum {

using PlayoutRules = RuleList<RandomPlayout, LastGoodReply, KnowledgePlayout, MoveAverages>;

namespace playout_detail {
template <class G, class... Rules>
std::variant<typename Rules::template Policy<G>...> one_of(RuleList<Rules...>);
}
template <Game G>
using Playout = decltype(playout_detail::one_of<G>(PlayoutRules{}));

}  // namespace spielbaum
