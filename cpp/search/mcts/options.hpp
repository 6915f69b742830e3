// All options of a Monte-Carlo tree search: those of its rules, each declared beside the rule, and those of the search.
#pragma once

#include "eval/choice.hpp"
#include "search/mcts/played.hpp"
#include "search/mcts/playout/catalog.hpp"
#include "search/mcts/select/catalog.hpp"
#include "search/mcts/settings.hpp"

namespace spielbaum {

// The rules by their places in the catalogs.
struct RuleChoice {
    static constexpr std::string_view kSelect = "rule that picks the next move to try, with N visits of the node and n of the move";
    static constexpr std::string_view kPlayout = "rule of playouts";

    int select = SelectRules::place_of<SelectRave>();
    int playout = PlayoutRules::place_of<LastGoodReply>();
    static constexpr auto options() {
        return std::tuple(choice("select", &RuleChoice::select, Names(SelectRules::kNames), SelectRules::help<kSelect>()),
                          choice("playout", &RuleChoice::playout, Names(PlayoutRules::kNames), PlayoutRules::help<kPlayout>()));
    }
};

namespace options_detail {
// The order is that in which options are listed and written.
template <class... Selects, class... Playouts>
auto all(RuleList<Selects...>, RuleList<Playouts...>)
    -> SettingsOf<RuleChoice, typename Selects::Settings..., LeafSettings, PriorSettings, RootSettings, NetworkSettings, GraphSettings,
                  AmafSettings, typename Playouts::Settings..., SearchSettings>;
}  // namespace options_detail

struct MctsOptions : decltype(options_detail::all(SelectRules{}, PlayoutRules{})) {
    NetworkPtr network;  // evaluates in place of the game's own evaluation, where there is one

    EvaluationSpec evaluation() const { return {eval, network}; }

    // `exploring`: with the exploration term, or without it, as final=select decides.
    Selection selection(bool exploring = true) const {
        return SelectRules::with<Selection>(select, [&]<class Rule>(std::type_identity<Rule>) {
            typename Rule::Settings settings = *this;
            if (!exploring) settings.c = 0.0;
            return Rule(settings);
        });
    }
    template <Game G>
    Playout<G> playout_of(const G& game) const {
        return PlayoutRules::with<Playout<G>>(playout, [&]<class Rule>(std::type_identity<Rule>) {
            return typename Rule::template Policy<G>(game, static_cast<const typename Rule::Settings&>(*this));
        });
    }
};

// What the tree must hold for a selection, in a game with so many players.
inline TreeNeeds needs_of(const Selection& selection, const MctsOptions& options, int num_players) {
    TreeNeeds needs = std::visit([](const auto& rule) { return rule.kNeeds; }, selection);
    needs.values = std::min(needs.values, num_players);
    needs.minimax = options.minimax > 0;
    std::visit([&](const auto& rule) { if constexpr (requires { rule.depths(); }) needs.depths = rule.depths().numbers(); }, selection);
    return needs;
}

}  // namespace spielbaum
