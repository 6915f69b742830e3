// All options of a Monte-Carlo tree search: those of its rules, each declared beside the rule, and those of the search.
#pragma once

#include "eval/choice.hpp"
#include "search/mcts/backup/catalog.hpp"
#include "search/mcts/playout/catalog.hpp"
#include "search/mcts/select/catalog.hpp"
#include "search/mcts/settings.hpp"

namespace spielbaum {

// The rules by their places in the catalogs.
struct RuleChoice {
    static constexpr std::string_view kSelect =
        "rule that picks the next move to try, with N visits of the node and n of the move";
    static constexpr std::string_view kPlayout = "rule of playouts";

    int select = SelectRules::place_of<SelectRave>();
    int playout = PlayoutRules::place_of<LastGoodReply>();
    static constexpr auto options() {
        return std::tuple(
            choice("select", &RuleChoice::select, Names(SelectRules::kNames), SelectRules::help<kSelect>()),
            choice("playout", &RuleChoice::playout, Names(PlayoutRules::kNames), PlayoutRules::help<kPlayout>()));
    }
};

namespace options_detail {
// The order is that in which options are listed and written.
template <class... Selects, class... Backups, class... Playouts>
auto all(RuleList<Selects...>, RuleList<Backups...>, RuleList<Playouts...>)
    -> SettingsOf<RuleChoice, typename Selects::Settings..., LeafSettings, PriorSettings, RootSettings, NetworkSettings,
                  GraphSettings, typename Backups::Settings..., typename Playouts::Settings..., SearchSettings>;
}  // namespace options_detail

struct MctsOptions : decltype(options_detail::all(SelectRules{}, BackupRules{}, PlayoutRules{})) {
    NetworkPtr network;  // evaluates in place of the game's own evaluation, where there is one

    EvaluationSpec evaluation() const { return {eval, network}; }

    // Rules of selection that work on a graph of positions, and those whose means are not those of the edges alone.
    static std::vector<std::string_view> rules_with_graphs() {
        return SelectRules::names_where([]<class Rule>(std::type_identity<Rule>) {
            MctsOptions options;
            options.select = SelectRules::place_of<Rule>();
            return options.needs(options.selection({2, 1}), {2, 1}).graph;
        });
    }
    static std::vector<std::string_view> rules_with_own_means() {
        return SelectRules::names_where(
            []<class Rule>(std::type_identity<Rule>) { return requires { Rule::kOwnMean; }; });
    }

    // Options that only some rules have have no effect with others.
    static std::vector<SettingInfo> list() {
        std::vector<SettingInfo> infos =
            decltype(options_detail::all(SelectRules{}, BackupRules{}, PlayoutRules{}))::list();
        for (SettingInfo& info : infos) {
            mark(info, "select", SelectRules{});
            mark(info, "playout", PlayoutRules{});
        }
        return infos;
    }

    // `exploring`: with the exploration term, or without it, as final=select decides.
    Selection selection(GameSize game, bool exploring = true) const {
        return SelectRules::with<Selection>(select, [&]<class Rule>(std::type_identity<Rule>) {
            typename Rule::Settings settings = *this;
            if (!exploring) settings.c = 0.0;
            if constexpr (std::is_constructible_v<Rule, const typename Rule::Settings&, GameSize>)
                return Rule(settings, game);
            else
                return Rule(settings);
        });
    }
    // What the tree must hold for a selection, and for rules of backing up that the options ask for.
    TreeNeeds needs(const Selection& chosen, GameSize game) const {
        TreeNeeds all = std::visit([&](const auto& rule) { return rule.needs(game); }, chosen);
        [&]<class... Rules>(RuleList<Rules...>) { (Rules::ask(all, *this), ...); }(BackupRules{});
        return all;
    }
    template <Game G>
    Playout<G> playout_of(const G& game) const {
        return PlayoutRules::with<Playout<G>>(playout, [&]<class Rule>(std::type_identity<Rule>) {
            return typename Rule::template Policy<G>(game, static_cast<const typename Rule::Settings&>(*this));
        });
    }

private:
    template <class Rule>
    static bool has(std::string_view option) {
        if constexpr (requires { typename Rule::Backup; })
            if (setting_detail::declares<typename Rule::Backup::Settings>(option)) return true;
        return setting_detail::declares<typename Rule::Settings>(option);
    }
    template <class... Rules>
    static void mark(SettingInfo & info, std::string_view choice, RuleList<Rules...>) {
        std::vector<SettingValue> users;
        ((has<Rules>(info.name) ? users.push_back(std::string(Rules::kName)) : void()), ...);
        if (users.empty() || users.size() == sizeof...(Rules)) return;
        info.other = choice;
        info.values = std::move(users);
    }
};

}  // namespace spielbaum
