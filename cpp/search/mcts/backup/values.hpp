// Rewards of all visits of a node, over all ways that lead to it.
#pragma once

#include <span>

#include "search/mcts/backup/policy.hpp"

namespace spielbaum {

// A row has an element for each player. Rewards sum to 0, so those of the last player need no room: his place has the
// visits, so that a look at a child is a look at one place.
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
// Of the nodes of a tree, to one player.
class ValuesOf {
public:
    ValuesOf(const Tree& tree, int player)
        : all_(tree.array<NodeValues>()), width_(tree.width<NodeValues>()), player_(static_cast<std::size_t>(player)) {}
    NodeValue operator()(Tree::Index index) const {
        const NodeValues* const row = all_ + index * width_;
        const std::size_t last = width_ - 1;
        const auto visits = static_cast<std::uint32_t>(peek(row[last].number));
        if (last == 1) return {player_ == 0 ? peek(row[0].number) : -peek(row[0].number), visits};
        if (player_ < last) return {peek(row[player_].number), visits};
        Fixed sum = 0;
        for (std::size_t i = 0; i < last; ++i) sum -= peek(row[i].number);
        return {sum, visits};
    }

private:
    const NodeValues* all_;
    std::size_t width_, player_;
};

struct ValuesBackup : BackupRule {
    static bool wanted(const TreeNeeds& needs, const auto&) { return needs.has<NodeValues>(); }

    template <Game G>
    class Policy : public BackupPolicy {
    public:
        explicit Policy(const auto& task) : num_players_(static_cast<std::size_t>(task.game.num_players())) {}
        void leaf(const Arrival<G>& ascent) { count(ascent, ascent.flight.leaf); }
        void step(const Ascent<G>& ascent) { count(ascent, ascent.step.node); }

    private:
        void count(const Arrival<G>& ascent, Tree::Index index) {
            add_value(ascent.tree, index, {ascent.rewards.data(), num_players_});
        }

        std::size_t num_players_;
    };
};

}  // namespace spielbaum
