// UCT in a tree, and in a graph of positions.
#pragma once

#include "search/mcts/backup/values.hpp"
#include "search/mcts/select/score.hpp"

namespace spielbaum {

// mean + c sqrt(ln N / n) (Kocsis and Szepesvari 2006).
struct SelectUct {
    static constexpr std::string_view kName = "uct", kHelp = "mean + c sqrt(ln N / n)";
    using Settings = ExplorationSettings;
    using Backup = NoBackup;

    double c;
    explicit SelectUct(const Settings& settings) : c(settings.c) {}
    TreeNeeds needs(GameSize) const { return {}; }
    auto scorer(const Descent& at) const {
        return [weight = c * Tables::root_log(peek(at.node().visits))](Tree::Index, const Edge&, const Seen& seen,
                                                                       double mean) {
            return mean + weight * Tables::inverse_root(seen.visits);
        };
    }
};

// The same in a graph, where edges that lead to equal positions share a node: N counts all visits of the node, n those
// of the edge (UCT1 of Childs, Brodeur and Kocsis 2008).
struct SelectUct1 : SelectUct {
    static constexpr std::string_view kName = "uct1", kHelp = "uct where equal positions share a node";
    using SelectUct::SelectUct;
    TreeNeeds needs(GameSize) const { return {.graph = true}; }
};

// UCT2 of the same authors: the mean is that of the child, over all ways that lead to it.
struct SelectUct2 {
    static constexpr std::string_view kName = "uct2", kHelp = "the same with the mean of the shared node";
    static constexpr bool kOwnMean = true;
    using Settings = ExplorationSettings;
    using Backup = ValuesBackup;

    double c;
    explicit SelectUct2(const Settings& settings) : c(settings.c) {}
    TreeNeeds needs(GameSize game) const { return TreeNeeds{.graph = true}.with<NodeValues>(game.players); }
    auto scorer(const Descent& at) const {
        return [values = ValuesOf(at.tree, at.node().to_move), weight = c * Tables::root_log(peek(at.node().visits))](
                   Tree::Index, const Edge& edge, const Seen& seen, double) {
            const NodeValue value = values(edge.child);
            return mean_of(value.sum, value.visits) + weight * Tables::inverse_root(seen.visits);
        };
    }
};

}  // namespace spielbaum
