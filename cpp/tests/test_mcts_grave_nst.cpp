// GRAVE and NST: formulas by hand, and against the rules that they generalise. Whole searches are in test_mcts.cpp, for
// to compile one more of them takes longer than all that is here.
#include <cmath>

#include "check.hpp"
#include "games/connect4.hpp"
#include "games/tictactoe.hpp"
#include "search/mcts/search.hpp"

using namespace spielbaum;

namespace {

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

// A root with 100 visits, its child with 40 and a grandchild with 10, one move after the other. Names are 0 to 4.
struct Line {
    static constexpr std::size_t kNames = 5;
    Tree tree{1 << 20, TreeNeeds{}.with<GraveStatistics>(2 * kNames).with<AmafStatistics>()};
    Tree::Index root, child, grandchild;
    std::vector<Step> steps;

    Line() {
        root = tree.add_node(0);
        child = tree.add_node(1);
        grandchild = tree.add_node(0);
        for (const Tree::Index node : {root, child, grandchild}) tree.give_edges(node, tree.add_edges(2), 2, 2);
        tree.node(root).visits = 100;
        tree.node(child).visits = 40;
        tree.node(grandchild).visits = 10;
        for (std::uint16_t i = 0; i < 2; ++i) tree.edge(edge(grandchild) + i).name = static_cast<std::uint16_t>(3 + i);
        tree.edge(edge(grandchild)).visits = 4;
        tree.edge(edge(grandchild)).sum = to_fixed(2.0);  // mean 0.5
        // Move 3 of player 0: mean 0.2 of 60 playouts below the root, -0.1 of 30 below the child, 0.6 of 5 below the
        // grandchild.
        statistics(root, 0, 3) = {to_fixed(12.0), 60};
        statistics(child, 0, 3) = {to_fixed(-3.0), 30};
        statistics(grandchild, 0, 3) = {to_fixed(3.0), 5};
        // The other player's move of that name is another move.
        statistics(root, 1, 3) = statistics(child, 1, 3) = statistics(grandchild, 1, 3) = {to_fixed(-9.0), 9};
        steps = {{root, edge(root)}, {child, edge(child)}};
    }
    Tree::Index edge(Tree::Index node) const { return tree.node(node).first_edge; }
    GraveStatistics& statistics(Tree::Index node, std::size_t player, std::size_t name) {
        return tree.row<GraveStatistics>(node)[player * kNames + name];
    }

    template <class Rule>
    double score(const Rule& rule, Tree::Index i) const {
        const Edge& each = tree.edge(edge(grandchild) + i);
        return rule.scorer(Descent{tree, steps, grandchild})(edge(grandchild) + i, each, Seen(each), Seen(each).mean());
    }
};

void check_references() {
    const Line line;
    const auto reference = [&](int ref, std::size_t depth) {
        const Tree::Index nodes[] = {line.root, line.child, line.grandchild};
        return SelectGrave({.ref = ref}, {2, Line::kNames})
            .reference({line.tree, std::span(line.steps).first(depth), nodes[depth]});
    };
    CHECK(reference(0, 2) == line.grandchild && reference(10, 2) == line.grandchild);
    CHECK(reference(11, 2) == line.child && reference(40, 2) == line.child);
    CHECK(reference(41, 2) == line.root && reference(100, 2) == line.root);
    CHECK(reference(101, 2) == line.root);  // nobody has enough
    CHECK(reference(40, 1) == line.child && reference(41, 1) == line.root && reference(1000, 0) == line.root);
}

void check_grave_by_hand() {
    Line line;
    const auto score = [&](int ref, double bias, Tree::Index i) {
        return line.score(SelectGrave({.c = 0.0, .ref = ref, .bias = bias}, {2, Line::kNames}), i);
    };
    // beta = 5 / (5 + 4) without bias; 30 / (30 + 4 + 0.02 * 120) = 0.824176; 60 / (60 + 4 + 0.02 * 240) = 0.872093.
    CHECK(near(score(0, 0.0, 0), 4.0 / 9 * 0.5 + 5.0 / 9 * 0.6));
    CHECK(near(score(20, 0.02, 0), 0.175824 * 0.5 - 0.824176 * 0.1));
    CHECK(near(score(50, 0.02, 0), 0.127907 * 0.5 + 0.872093 * 0.2));
    // No playout has move 4: its mean alone, which is 0.
    CHECK(near(score(0, 0.02, 1), 0.0));
    // Exploration as in uct: sqrt(ln 10 / 4) = 0.758714.
    CHECK(near(line.score(SelectGrave({.c = 0.4, .ref = 20, .bias = 0.02}, {2, Line::kNames}), 0),
               0.175824 * 0.5 - 0.824176 * 0.1 + 0.4 * 0.758714));
    // With ref = 0 it is RAVE with silver's beta, k = 1 / bias, where both have seen the same.
    for (Tree::Index i = 0; i < 2; ++i) {
        const GraveStatistics& own = line.statistics(line.grandchild, 0, 3 + i);
        line.tree.at<AmafStatistics>(line.edge(line.grandchild) + i) = {own.sum, own.visits};
        line.tree.edge(line.edge(line.grandchild) + i).visits = 4;
        const SelectRave rave({.c = 0.3, .rave_k = 50.0, .beta = BetaRule::silver});
        CHECK(near(line.score(rave, i),
                   line.score(SelectGrave({.c = 0.3, .ref = 0, .bias = 0.02}, {2, Line::kNames}), i)));
    }
}

// What one iteration leaves behind at its nodes.
void check_grave_backup() {
    struct Task {
        TicTacToe game;
        MctsOptions options;
    };
    for (const bool tree_moves : {true, false}) {
        Task task;
        task.options.set("tree_moves", tree_moves);
        GraveBackup::Policy<TicTacToe> backup(task);
        const auto names = static_cast<std::size_t>(num_names(task.game));
        Tree tree(1 << 20, TreeNeeds{}.with<GraveStatistics>(2 * names));
        const Tree::Index root = tree.add_node(0), child = tree.add_node(1), leaf = tree.add_node(0);
        for (const Tree::Index node : {root, child}) tree.give_edges(node, tree.add_edges(1), 1, 1);
        tree.edge(tree.node(root).first_edge).name = 4;
        tree.edge(tree.node(child).first_edge).name = 0;
        Flight<TicTacToe> flight(TicTacToe::initial());
        flight.steps = {{root, tree.node(root).first_edge}, {child, tree.node(child).first_edge}};
        flight.leaf = leaf;
        flight.trace = {{0, 1}, {8, 0}, {2, 1}, {8, 0}};  // the first was made in the tree, and a move may come twice
        flight.before_playout = 1;
        FixedRewards rewards{to_fixed(1.0), to_fixed(-1.0)};
        const Arrival<TicTacToe> arrival{task.game, tree, flight, rewards};
        backup.leaf(arrival);
        for (std::size_t i = 2; i-- > 0;) {
            const Step step = flight.steps[i];
            backup.step(Ascent<TicTacToe>{arrival, step, tree.node(step.node), tree.edge(step.edge), leaf,
                                          rewards[tree.node(step.node).to_move]});
        }
        const auto seen = [&](Tree::Index node, std::size_t player, std::size_t name) {
            const GraveStatistics& each = tree.row<GraveStatistics>(node)[player * names + name];
            CHECK(each.sum == (player == 0 ? 1 : -1) * static_cast<Fixed>(each.visits) * to_fixed(1.0));
            return each.visits;
        };
        for (const Tree::Index node : {root, child}) {
            CHECK(seen(node, 0, 8) == 1 && seen(node, 1, 2) == 1 && seen(node, 1, 8) == 0 && seen(node, 0, 2) == 0);
            CHECK(seen(node, 1, 0) == (tree_moves ? 1u : 0u));
        }
        CHECK(seen(root, 0, 4) == (tree_moves ? 1u : 0u) && seen(child, 0, 4) == 0);
        // A part of the tree that is kept has its rows.
        tree.link(root, tree.node(root).first_edge, child);
        Tree kept(1 << 20, tree.needs());
        kept.take_from(tree, child);
        CHECK(kept.row<GraveStatistics>(1)[8].visits == 1 &&
              kept.row<GraveStatistics>(1)[names + 2].sum == to_fixed(-1.0));
    }
}

using Grams = NGrams::Policy<ClassicConnect4>;
using Trace = std::vector<PlayedMove>;

void check_grams_by_hand() {
    constexpr std::uint8_t white = 0, black = 1;
    const Rewards white_wins{1.0, -1.0}, black_wins{-1.0, 1.0};
    const Trace won{{1, white}, {2, black}, {3, white}}, lost{{4, white}, {2, black}, {3, white}};
    Grams grams(ClassicConnect4{}, {.nst_n = 3, .nst_k = 2});
    for (int i = 0; i < 3; ++i) grams.learn(won, 0, white_wins);
    grams.learn(lost, 0, black_wins);
    // Alone, 3 has 3 - 1 in 4; after 2 the same; after 1 and 2 it has won 3 of 3, after 4 and 2 it has lost the only
    // time.
    const PlayedMove three{3, white};
    CHECK(near(grams.worth(Trace{}, three, 0.0), 0.5));
    CHECK(near(grams.worth(Trace{{2, black}}, three, 0.0), 0.5));
    CHECK(near(grams.worth(Trace{{1, white}, {2, black}}, three, 0.0), (0.5 + 0.5 + 1.0) / 3));
    CHECK(near(grams.worth(Trace{{4, white}, {2, black}}, three, 0.0), 0.5));  // seen once, and two are asked for
    CHECK(near(grams.worth(Trace{{2, white}}, three, 0.0), 0.5));              // another player's 2
    CHECK(near(grams.worth(Trace{{1, white}}, {2, black}, 0.0), (-0.5 - 1.0) / 2));
    CHECK(grams.worth(Trace{{2, black}}, {9, white}, 0.25) == 0.25);
    grams.learn(lost, 0, black_wins);
    CHECK(near(grams.worth(Trace{{4, white}, {2, black}}, three, 0.0), (0.2 + 0.2 - 1.0) / 3));
    // Moves in the tree are what others follow on, and are not counted themselves.
    Grams within(ClassicConnect4{}, {.nst_n = 3, .nst_k = 1});
    within.learn(won, 2, white_wins);
    CHECK(within.worth(Trace{}, {1, white}, 0.25) == 0.25 && within.worth(Trace{{1, white}}, {2, black}, 0.25) == 0.25);
    CHECK(near(within.worth(Trace{{1, white}, {2, black}}, three, 0.25), 1.0) && within.moves_before() == 2);
    within.forget_all();
    CHECK(within.worth(Trace{{1, white}, {2, black}}, three, 0.25) == 0.25);
}

// Without random moves the best is played, and what was never seen comes first.
void check_greedy() {
    const ClassicConnect4 game;
    const auto state = game.initial();
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    Grams grams(game, {.nst_n = 2, .nst_epsilon = 0.0});
    Rng rng(1);
    const int count = game.legal_moves(state, buffer.data());
    const std::vector<Move> legal(buffer.begin(), buffer.begin() + count);
    const auto name = [&](std::size_t i) { return static_cast<std::uint16_t>(name_of(game, state, legal[i])); };
    for (std::size_t i = 0; i < legal.size(); ++i) {
        if (i != 3) grams.learn(Trace{{name(i), 0}}, 0, Rewards{0.9, -0.9});
    }
    for (int i = 0; i < 20; ++i) CHECK(grams.choose(game, state, {}, rng, buffer.data()) == legal[3]);
    grams.learn(Trace{{name(3), 0}}, 0, Rewards{-1.0, 1.0});
    grams.learn(Trace{{name(5), 0}}, 0, Rewards{1.0, -1.0});
    for (int i = 0; i < 20; ++i) CHECK(grams.choose(game, state, {}, rng, buffer.data()) == legal[5]);
    int others = 0;
    Grams curious(game, {.nst_n = 1, .nst_epsilon = 1.0});
    curious.learn(Trace{{name(5), 0}}, 0, Rewards{1.0, -1.0});
    for (int i = 0; i < 700; ++i) others += curious.choose(game, state, {}, rng, buffer.data()) != legal[5];
    CHECK(others > 500 && others < 680);
}

}  // namespace

int main() {
    check_references();
    check_grave_by_hand();
    check_grave_backup();
    check_grams_by_hand();
    check_greedy();
    return testing::finish();
}
