// Rewards of all visits of a node, over all ways that lead to it.
#pragma once

#include <span>

#include "search/mcts/backup/policy.hpp"

namespace spielbaum {

// A row has an element for each player. Rewards sum to 0, so those of the last player need no room: his place has the visits, so
// that a look at a child is a look at one place.
struct NodeValues {
    static constexpr Per kPer = Per::node;
    Fixed number = 0;
};

inline void add_value(Tree& tree, Tree::Index index, std::span<const Fixed> rewards) {
    NodeValues* const row = tree.row<NodeValues>(index);
    for (std::size_t i = 0; i + 1 < rewards.size(); ++i) add(row[i].number, rewards[i], tree.is_shared());
    add(row[rewards.size() - 1].number, Fixed{1}, tree.is_shared());
}

struct NodeValue {
    Fixed sum;
    std::uint32_t visits;
};
inline NodeValue value_of(const Tree& tree, Tree::Index index, int player) {
    const NodeValues* const row = tree.row<NodeValues>(index);
    const std::size_t last = tree.width<NodeValues>() - 1;
    const auto visits = static_cast<std::uint32_t>(peek(row[last].number));
    if (last == 1) return {player == 0 ? peek(row[0].number) : -peek(row[0].number), visits};
    Fixed sum = 0;
    if (static_cast<std::size_t>(player) < last)
        sum = peek(row[player].number);
    else
        for (std::size_t i = 0; i < last; ++i) sum -= peek(row[i].number);
    return {sum, visits};
}

struct ValuesBackup : BackupRule {
    static bool wanted(const TreeNeeds& needs, const auto&) { return needs.has<NodeValues>(); }

    template <Game G>
    class Policy : public BackupPolicy {
    public:
        explicit Policy(const auto& task) : num_players_(static_cast<std::size_t>(task.game.num_players())) {}
        void leaf(const Arrival<G>& ascent) { count(ascent, ascent.flight.leaf); }
        void step(const Ascent<G>& ascent) { count(ascent, ascent.step.node); }

    private:
        void count(const Arrival<G>& ascent, Tree::Index index) { add_value(ascent.tree, index, {ascent.rewards.data(), num_players_}); }

        std::size_t num_players_;
    };
};

}  // namespace spielbaum
