// UCD: means and visits of the graph below a move, to chosen depths.
#pragma once

#include "search/mcts/backup/ucd.hpp"
#include "search/mcts/select/score.hpp"

namespace spielbaum {

struct UcdSettings {
    double c = kExploration;
    int d1 = 1, d2 = 0, d3 = 0;
    static constexpr auto options() {
        using S = UcdSettings;
        return std::tuple(exploration(&S::c),
                          setting("d1", &S::d1, {UcdDepths::kAll, 8}, "ucd: depth of means; -1: all that lies below"),
                          setting("d2", &S::d2, {0, 8}, "ucd: depth of the visits of all moves together"),
                          setting("d3", &S::d3, {0, 8}, "ucd: depth of the visits of a move"));
    }
};

// Means and counts of the graph below, to chosen depths (Saffidine, Cazenave and Mehat 2012; UCT3 of Childs et al. is
// that with means of the whole graph below).
class SelectUcd {
public:
    static constexpr std::string_view kName = "ucd",
                                      kHelp = "means and visits of what lies below, to depths d1, d2, d3";
    static constexpr bool kOwnMean = true;
    using Settings = UcdSettings;
    using Backup = UcdBackup;

    SelectUcd(double c, UcdDepths depths) : c_(c), depths_(depths) {}
    explicit SelectUcd(const Settings& settings) : SelectUcd(settings.c, {settings.d1, settings.d2, settings.d3}) {}
    const UcdDepths& depths() const { return depths_; }
    TreeNeeds needs(GameSize) const {
        return TreeNeeds{.graph = true, .parents = true}.with<UcdNumber>(static_cast<std::size_t>(depths_.numbers()));
    }

    auto scorer(const Descent& at) const {
        const Tree& tree = at.tree;
        const Node& node = at.node();
        double all = 0.0;
        if (depths_.d2 == 0)
            all = peek(node.visits);
        else
            for (Tree::Index i = node.first_edge; i < node.first_edge + see(node.opened); ++i)
                all += depths_.count(tree, tree.edge(i), depths_.d2);
        return [this, &tree, sign = node.to_move == 0 ? 1.0 : -1.0,
                weight = c_ * std::sqrt(natural_log(std::max(all, 1.0)))](Tree::Index, const Edge& edge,
                                                                          const Seen& seen, double mean) {
            const double value = depths_.d1 == 0 ? mean : sign * depths_.mean(tree, edge.child);
            const double count = depths_.d3 == 0 ? seen.visits : depths_.count(tree, edge, depths_.d3);
            return value + weight / std::sqrt(count);
        };
    }

private:
    double c_;
    UcdDepths depths_;
};

struct SelectUct3 : SelectUcd {
    static constexpr std::string_view kName = "uct3", kHelp = "the same with the mean of all that lies below";
    using Settings = ExplorationSettings;
    explicit SelectUct3(const Settings& settings) : SelectUcd(settings.c, {UcdDepths::kAll, 0, 0}) {}
};

}  // namespace spielbaum
