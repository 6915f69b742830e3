// Statistics of the graph below a move, to chosen depths: UCD (Saffidine, Cazenave and Mehat 2012).
//
// With n(e) and m(e) the visits of an edge and their mean, and n', m' those that ended at its child (its first
// playout):
//   m_0(e) = m(e),   m_d(e) = (m' n' + sum over the child's edges f of m_{d-1}(f) n(f)) / (n' + sum of n(f))
//   n_0(e) = n(e),   n_d(e) = n' + sum over the child's edges f of n_{d-1}(f)
// A move is worth m_{d1} + c sqrt(ln p / n_{d3}), where p is the sum of n_{d2} over all moves of the node. Depths (0,
// 0, 0) are UCT1, (1, 0, 0) is UCT2, and d1 without limit is UCT3. From depth 1 on, the numbers belong to the child:
// they are kept there, and brought up to date in all nodes above when something changes.
#pragma once

#include <algorithm>
#include <mutex>
#include <variant>
#include <vector>

#include "search/mcts/backup/policy.hpp"

namespace spielbaum {

struct UcdNumber {
    static constexpr Per kPer = Per::node;
    float number = 0.0f;
};

// Where the numbers of a node are: the sum and the count of the visits that ended there, means for depth 1 to d1 (one
// if d1 has no limit), counts for depth 1 to d2 or d3. Sums and means are those of the first player.
struct UcdDepths {
    static constexpr int kAll = -1;  // of d1: means are those of the whole graph below

    int d1 = 0, d2 = 0, d3 = 0;

    int means() const { return d1 == kAll ? 1 : d1; }
    int counts() const { return std::max(d2, d3); }
    int numbers() const { return 2 + means() + counts(); }

    static float* depths_of(Tree& tree, Tree::Index node) { return &tree.row<UcdNumber>(node)->number; }
    static const float* depths_of(const Tree& tree, Tree::Index node) { return &tree.row<UcdNumber>(node)->number; }

    double mean(const Tree& tree, Tree::Index child) const { return mean_at(tree, child, means()); }
    double mean_at(const Tree& tree, Tree::Index node, int depth) const {
        return static_cast<double>(peek(depths_of(tree, node)[1 + depth]));
    }
    double count(const Tree& tree, const Edge& edge, int depth) const {
        return depth == 0 ? peek(edge.visits)
                          : static_cast<double>(peek(depths_of(tree, edge.child)[1 + means() + depth]));
    }
};

// Brings the numbers up to date after an iteration.
class UcdUpdate {
public:
    explicit UcdUpdate(UcdDepths depths) : depths_(depths) {}

    // `path`: the nodes of the iteration from the leaf up to the root; `reward`: the first player's.
    void operator()(Tree& tree, const std::vector<Tree::Index>& path, double reward) {
        float* const own = UcdDepths::depths_of(tree, path.front());
        put(own[0], own[0] + static_cast<float>(reward));
        put(own[1], own[1] + 1.0f);
        if (depths_.d1 == UcdDepths::kAll) update_upwards(tree, path);
        const int means = depths_.d1 == UcdDepths::kAll ? 0 : depths_.d1;
        // What is new at one depth in a node is new at the next depth in its parents. On the path all depths change.
        nodes_ = path;
        for (int depth = 1; depth <= std::max(means, depths_.counts()); ++depth) {
            for (const Tree::Index node : nodes_) {
                if (depth <= means) update_mean(tree, node, depth, depth - 1);
                if (depth <= depths_.counts()) update_count(tree, node, depth);
            }
            replace_by_parents(tree);
            nodes_.insert(nodes_.end(), path.begin(), path.end());
            remove_doubles();
        }
    }

private:
    // Layer by layer, from the leaf to the root and beside the path; where nothing changes, nothing changes above.
    void update_upwards(Tree& tree, const std::vector<Tree::Index>& path) {
        nodes_.clear();
        for (const Tree::Index node : path) {
            nodes_.push_back(node);
            remove_doubles();
            std::erase_if(nodes_, [&](Tree::Index each) { return !update_mean(tree, each, 1, 1); });
            replace_by_parents(tree);
            remove_doubles();
        }
    }

    // Whether it has changed.
    bool update_mean(Tree& tree, Tree::Index index, int depth, int depth_below) {
        float* const numbers = UcdDepths::depths_of(tree, index);
        const Node& node = tree.node(index);
        double sum = static_cast<double>(numbers[0]), count = static_cast<double>(numbers[1]);
        for (Tree::Index i = node.first_edge; i < node.first_edge + see(node.opened); ++i) {
            const Edge& edge = tree.edge(i);
            const double visits = peek(edge.visits);
            const double edge_sum = (node.to_move == 0 ? 1.0 : -1.0) * to_real(peek(edge.sum));
            sum += depth_below == 0 ? edge_sum : visits * depths_.mean_at(tree, edge.child, depth_below);
            count += visits;
        }
        const float mean = count == 0.0 ? 0.0f : static_cast<float>(sum / count);
        float& known = numbers[1 + depth];
        if (peek(known) == mean) return false;
        put(known, mean);
        return true;
    }
    void update_count(Tree& tree, Tree::Index index, int depth) {
        float* const numbers = UcdDepths::depths_of(tree, index);
        const Node& node = tree.node(index);
        double count = static_cast<double>(numbers[1]);
        for (Tree::Index i = node.first_edge; i < node.first_edge + see(node.opened); ++i)
            count += depths_.count(tree, tree.edge(i), depth - 1);
        put(numbers[1 + depths_.means() + depth], static_cast<float>(count));
    }

    void replace_by_parents(const Tree& tree) {
        parents_.clear();
        for (const Tree::Index node : nodes_)
            tree.for_each_parent(node, [&](Tree::Index parent) { parents_.push_back(parent); });
        std::swap(nodes_, parents_);
    }
    void remove_doubles() {
        std::sort(nodes_.begin(), nodes_.end());
        nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    }

    UcdDepths depths_;
    std::vector<Tree::Index> nodes_, parents_;
};

struct UcdBackup : BackupRule {
    static bool wanted(const TreeNeeds& needs, const auto&) { return needs.has<UcdNumber>(); }

    template <Game G>
    class Policy : public BackupPolicy {
    public:
        explicit Policy(const auto& task) : update_(depths_of(task.selection)) {}
        void arrived(const Arrival<G>& ascent) {
            path_.assign(1, ascent.flight.leaf);
            for (auto step = ascent.flight.steps.rbegin(); step != ascent.flight.steps.rend(); ++step)
                path_.push_back(step->node);
            update_(ascent.tree, path_, ascent.flight.rewards[0]);
        }

    private:
        static UcdDepths depths_of(const auto& selection) {
            UcdDepths depths;
            std::visit(
                [&](const auto& rule) {
                    if constexpr (requires { rule.depths(); }) depths = rule.depths();
                },
                selection);
            return depths;
        }

        UcdUpdate update_;
        std::vector<Tree::Index> path_;  // from the leaf to the root
    };
};

}  // namespace spielbaum
