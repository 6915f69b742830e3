// Lists of rules, one of which is chosen by name when a search is made.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spielbaum {

namespace rules_detail {
template <class List, class... Rest>
struct Distinct;
}

template <class... Rules>
struct RuleList {
    static constexpr std::size_t kCount = sizeof...(Rules);
    static constexpr std::array<std::string_view, kCount> kNames{Rules::kName...};

    // `Before`, then the name and the help of every rule.
    template <const std::string_view& Before>
    static constexpr std::string_view help() {
        return {kHelp<Before>.data(), kHelp<Before>.size()};
    }

    template <class Rule>
    static constexpr int place_of() {
        int place = 0;
        (void)((std::is_same_v<Rules, Rule> || (++place, false)) || ...);
        return place;
    }

    // The names of the rules that pass a test, which gets each as a std::type_identity.
    template <class Test>
    static std::vector<std::string_view> names_where(Test&& test) {
        std::vector<std::string_view> names;
        ((test(std::type_identity<Rules>{}) ? names.push_back(Rules::kName) : void()), ...);
        return names;
    }

    // Calls `use` with the rule at a place, as a std::type_identity.
    template <class Result, class Use>
    static Result with(int place, Use&& use) {
        using Call = Result (*)(Use&);
        constexpr Call kCalls[] = {[](Use& each) -> Result { return each(std::type_identity<Rules>{}); }...};
        return kCalls[place](use);
    }

    // The same list with more rules behind it, each once.
    template <class... More>
    using With = typename rules_detail::Distinct<RuleList, More...>::Type;

private:
    template <const std::string_view& Before>
    static constexpr auto kHelp = [] {
        std::array<char, Before.size() + ((Rules::kName.size() + Rules::kHelp.size() + 4) + ...)> text{};
        std::size_t end = 0;
        const auto add = [&](std::string_view part) {
            for (const char letter : part) text[end++] = letter;
        };
        add(Before);
        ((add(end == Before.size() ? ": " : "; "), add(Rules::kName), add(", "), add(Rules::kHelp)), ...);
        return text;
    }();
};

namespace rules_detail {
template <class... Rules>
struct Distinct<RuleList<Rules...>> {
    using Type = RuleList<Rules...>;
};
template <class... Rules, class First, class... Rest>
struct Distinct<RuleList<Rules...>, First, Rest...> {
    using Type = typename Distinct<
        std::conditional_t<(std::is_same_v<Rules, First> || ...), RuleList<Rules...>, RuleList<Rules..., First>>,
        Rest...>::Type;
};
}  // namespace rules_detail

}  // namespace spielbaum
