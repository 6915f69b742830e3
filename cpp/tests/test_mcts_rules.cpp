// The rules of Monte-Carlo tree search against numbers worked out by hand.
#include <cmath>

#include "check.hpp"
#include "games/connect4.hpp"
#include "search/mcts/options.hpp"
#include "search/mcts/root.hpp"

using namespace spielbaum;

namespace {

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

// A node with two edges: 4 visits of mean 0.5, 6 visits of mean -0.25.
struct SmallTree {
    Tree tree{1 << 16, TreeNeeds{}.with<AmafStatistics>().with<Squares>()};
    Tree::Index index;

    SmallTree() {
        tree.clear();
        index = tree.add_node(0);
        tree.give_edges(index, tree.add_edges(2), 2, 2);
        Node& node = tree.node(index);
        node.visits = 10;
        Edge& first = tree.edge(node.first_edge);
        Edge& second = tree.edge(node.first_edge + 1);
        first.visits = 4;
        first.sum = to_fixed(2.0);
        second.visits = 6;
        second.sum = to_fixed(-1.5);
        tree.at<AmafStatistics>(node.first_edge) = {to_fixed(4.0), 20, 0, 0};  // mean 0.2
        tree.at<Squares>(node.first_edge).sum = to_fixed(4.0);
    }
    const Node& node() const { return tree.node(index); }
    Edge& edge(Tree::Index i) { return tree.edge(node().first_edge + i); }

    template <class Rule>
    double score(const Rule& rule, Tree::Index i) const {
        const Edge& edge = tree.edge(node().first_edge + i);
        return rule.scorer(Descent{tree, {}, index})(node().first_edge + i, edge, Seen(edge), Seen(edge).mean());
    }
};

void check_formulas() {
    SmallTree small;
    // ln 10 = 2.302585; sqrt(ln 10 / 4) = 0.758714, sqrt(ln 10 / 6) = 0.619487.
    CHECK(near(small.score(SelectUct({.c = 0.8}), 0), 0.5 + 0.8 * 0.758714));
    CHECK(near(small.score(SelectUct({.c = 0.8}), 1), -0.25 + 0.8 * 0.619487));
    CHECK(near(small.score(SelectAmaf({.c = 0.4, .alpha = 0.5}), 0), 0.25 + 0.1 + 0.4 * 0.758714));
    CHECK(near(small.score(SelectAmaf({.c = 0.4, .alpha = 0.5}), 1),
               -0.125 + 0.4 * 0.619487));  // no playout has the move: 0
    // beta = sqrt(50 / (3 * 4 + 50)) = 0.898027.
    const SelectRave gelly({.c = 0.2, .rave_k = 50.0, .beta = BetaRule::gelly});
    CHECK(near(gelly.beta(4, 20), 0.898027));
    CHECK(near(small.score(gelly, 0), 0.101973 * 0.5 + 0.898027 * 0.2 + 0.2 * 0.758714));
    // beta = 20 / (4 + 20 + 4 * 20 / 50) = 0.78125.
    const SelectRave silver({.c = 0.2, .rave_k = 50.0, .beta = BetaRule::silver});
    CHECK(near(silver.beta(4, 20), 0.78125) && silver.beta(4, 0) == 0.0);
    // beta = (50 - 4) / 50 = 0.92, and 0 from 50 visits on.
    const SelectRave helmbold({.c = 0.2, .rave_k = 50.0, .beta = BetaRule::helmbold});
    CHECK(near(helmbold.beta(4, 20), 0.92) && helmbold.beta(50, 20) == 0.0 && helmbold.beta(90, 20) == 0.0);
    CHECK(near(small.score(helmbold, 0), 0.08 * 0.5 + 0.92 * 0.2 + 0.2 * 0.758714));
    // What final=select decides by: the same without exploration.
    MctsOptions options;
    options.set("c", 0.8);
    options.set("select", std::string("rave"));
    options.set("rave_k", 50.0);
    const auto without_exploration = [&] {
        return std::visit([&](const auto& rule) { return small.score(rule, 0); }, options.selection({2, 49}, false));
    };
    CHECK(near(without_exploration(), 0.101973 * 0.5 + 0.898027 * 0.2));
    options.set("select", std::string("amaf"));
    options.set("alpha", 0.25);
    CHECK(near(without_exploration(), 0.75 * 0.5 + 0.25 * 0.2));
    options.set("select", std::string("uct"));
    CHECK(near(without_exploration(), 0.5));
    // The variance, 4 / 4 - 0.5^2 = 0.75, and sqrt(2 ln 10 / 4) = 1.072983 are more than 1.
    CHECK(near(small.score(SelectUcb1Tuned({.c = 1.0}), 0), 0.5 + 0.758714));
    // With 100 of 200 visits and a mean of 0.9: ln 200 / 100 = 0.0529832, 0.19 + sqrt(0.1059663) = 0.515525.
    small.tree.node(small.index).visits = 200;
    small.edge(0).visits = 100;
    small.edge(0).sum = to_fixed(90.0);
    small.tree.at<Squares>(small.node().first_edge).sum = to_fixed(100.0);
    CHECK(near(small.score(SelectUcb1Tuned({.c = 1.0}), 0), 0.9 + std::sqrt(0.0529832 * 0.515525)));
}

// Visits in flight count as lost: 2 more than 4 of mean 0.5 make 6 of mean 0.
void check_visits_in_flight() {
    SmallTree small;
    small.edge(0).in_flight = 2;
    CHECK(near(small.score(SelectUct({.c = 0.8}), 0), 0.0 + 0.8 * 0.619487));
}

// A graph in which a second way leads to the child of the first edge: 10 visits in all, with a mean of 0.2 for player
// 0.
void check_graph_formulas() {
    Tree tree(1 << 20, TreeNeeds{.graph = true}.with<NodeValues>(2));
    const Tree::Index parent = tree.node_of(11, 0), child = tree.node_of(12, 1);
    CHECK(tree.find_node(12) == child && tree.find_node(11) == parent && tree.find_node(13) == Tree::kNone);
    CHECK(tree.node_of(12, 1) == child);
    tree.give_edges(parent, tree.add_edges(1), 1, 1);
    tree.node(parent).visits = 10;
    Edge& edge = tree.edge(tree.node(parent).first_edge);
    edge.visits = 4;
    edge.sum = to_fixed(2.0);
    tree.link(parent, tree.node(parent).first_edge, child);
    const std::array<Fixed, 2> won{to_fixed(1.0), to_fixed(-1.0)}, lost{to_fixed(-1.0), to_fixed(1.0)};
    for (int i = 0; i < 6; ++i) add_value(tree, child, won);
    for (int i = 0; i < 4; ++i) add_value(tree, child, lost);
    const ValuesOf first(tree, 0), second(tree, 1);
    CHECK(first(child).sum == to_fixed(2.0) && second(child).sum == to_fixed(-2.0) && second(child).visits == 10);
    const auto score = [&](const auto& rule) {
        return rule.scorer(Descent{tree, {}, parent})(tree.node(parent).first_edge, edge, Seen(edge),
                                                      Seen(edge).mean());
    };
    CHECK(near(score(SelectUct1({.c = 0.8})), 0.5 + 0.8 * 0.758714));
    CHECK(near(score(SelectUct2({.c = 0.8})), 0.2 + 0.8 * 0.758714));
    // A node keeps its slot while the table grows.
    for (u64 key = 100; key < 3000; ++key) tree.node_of(key, 0);
    CHECK(tree.find_node(12) == child && tree.num_nodes() == 2902);
}

// Two moves of the root lead to a and b, and from both a move leads to c. Four iterations: a (won by player 0), b
// (lost), by a to c (won), by b to c (lost).
struct Diamond {
    UcdDepths depths;
    Tree tree;
    Tree::Index root, a, b, c;

    explicit Diamond(UcdDepths wanted)
        : depths(wanted),
          tree(1 << 20,
               TreeNeeds{.graph = true, .parents = true}.with<UcdNumber>(static_cast<std::size_t>(wanted.numbers()))) {
        root = tree.node_of(1, 0);
        a = tree.node_of(2, 1);
        b = tree.node_of(3, 1);
        c = tree.node_of(4, 0);
        tree.give_edges(root, tree.add_edges(2), 2, 2);
        tree.give_edges(a, tree.add_edges(1), 1, 1);
        tree.give_edges(b, tree.add_edges(1), 1, 1);
        tree.link(root, edge_of(root, 0), a);
        tree.link(root, edge_of(root, 1), b);
        tree.link(a, edge_of(a, 0), c);
        tree.link(b, edge_of(b, 0), c);
        iterate({a, root}, {edge_of(root, 0)}, 1.0);
        iterate({b, root}, {edge_of(root, 1)}, -1.0);
        iterate({c, a, root}, {edge_of(a, 0), edge_of(root, 0)}, 1.0);
        iterate({c, b, root}, {edge_of(b, 0), edge_of(root, 1)}, -1.0);
    }
    Tree::Index edge_of(Tree::Index node, Tree::Index i) const { return tree.node(node).first_edge + i; }
    void iterate(const std::vector<Tree::Index>& path, const std::vector<Tree::Index>& edges, double reward) {
        for (std::size_t i = 0; i < edges.size(); ++i) {
            ++tree.edge(edges[i]).visits;
            tree.edge(edges[i]).sum += to_fixed(tree.node(path[i + 1]).to_move == 0 ? reward : -reward);
        }
        for (const Tree::Index node : path) ++tree.node(node).visits;
        UcdUpdate update(depths);
        update(tree, path, reward);
    }
    double score(Tree::Index i) const {
        const SelectUcd rule(0.8, depths);
        const Edge& edge = tree.edge(edge_of(root, i));
        return rule.scorer(Descent{tree, {}, root})(edge_of(root, i), edge, Seen(edge), Seen(edge).mean());
    }
};

void check_ucd() {
    // sqrt(ln 4 / 2) = 0.832555. Means of the edges are 1 and -1 (UCT1), and so are those of the children, which have
    // seen two visits each (UCT2); but c was won once and lost once, so that a is worth (1 + 0) / 2 (UCT3).
    CHECK(near(Diamond({0, 0, 0}).score(0), 1.0 + 0.8 * 0.832555) &&
          near(Diamond({0, 0, 0}).score(1), -1.0 + 0.8 * 0.832555));
    CHECK(near(Diamond({1, 0, 0}).score(0), 1.0 + 0.8 * 0.832555) &&
          near(Diamond({1, 0, 0}).score(1), -1.0 + 0.8 * 0.832555));
    CHECK(near(Diamond({2, 0, 0}).score(0), 0.5 + 0.8 * 0.832555) &&
          near(Diamond({2, 0, 0}).score(1), -0.5 + 0.8 * 0.832555));
    const UcdDepths all{UcdDepths::kAll, 0, 0};
    CHECK(near(Diamond(all).score(0), 0.5 + 0.8 * 0.832555) && near(Diamond(all).score(1), -0.5 + 0.8 * 0.832555));
    // To depth 2 each move has 3 visits: the first of a or b, and both of c. sqrt(ln 4 / 3) = 0.679779, sqrt(ln 6 / 3)
    // = 0.772822.
    CHECK(near(Diamond({0, 0, 2}).score(0), 1.0 + 0.8 * 0.679779));
    CHECK(near(Diamond({0, 2, 2}).score(0), 1.0 + 0.8 * 0.772822));
    CHECK(near(Diamond({2, 2, 2}).score(1), -0.5 + 0.8 * 0.772822));
}

// Three moves with priors 0.5, 0.3, 0.2, the first two tried 3 times (mean 1/3) and once (mean -1); N = 5, sqrt 5
// = 2.236068.
void check_puct() {
    Tree tree(1 << 16, TreeNeeds{}.with<Prior>());
    const Tree::Index index = tree.add_node(0);
    tree.give_edges(index, tree.add_edges(3), 3, 3);
    const Tree::Index first = tree.node(index).first_edge;
    tree.node(index).visits = 5;
    tree.at<Prior>(first).share = 0.5f;
    tree.at<Prior>(first + 1).share = 0.3f;
    tree.at<Prior>(first + 2).share = 0.2f;
    tree.edge(first).visits = 3;
    tree.edge(first).sum = to_fixed(1.0);
    tree.edge(first + 1).visits = 1;
    tree.edge(first + 1).sum = to_fixed(-1.0);
    const auto score = [&](const SelectPuct& rule, Tree::Index i) {
        const Edge& edge = tree.edge(first + i);
        return rule.scorer(Descent{tree, {}, index})(first + i, edge, Seen(edge), Seen(edge).mean());
    };
    constexpr auto alphazero = PuctFormula::alphazero;
    const SelectPuct zero(PuctSettings{1.5, alphazero, FpuRule::zero, 0.25});
    CHECK(near(score(zero, 0), 1.0 / 3 + 1.5 * 0.5 * 2.236068 / 4));
    CHECK(near(score(zero, 1), -1.0 + 1.5 * 0.3 * 2.236068 / 2));
    CHECK(near(score(zero, 2), 0.0 + 1.5 * 0.2 * 2.236068));
    CHECK(near(score(SelectPuct(PuctSettings{1.5, alphazero, FpuRule::loss, 0.25}), 2), -1.0 + 1.5 * 0.2 * 2.236068));
    // (1 - 1) / 4 - 0.25 sqrt(0.5 + 0.3) = -0.223607.
    CHECK(near(score(SelectPuct(PuctSettings{1.5, alphazero, FpuRule::parent, 0.25}), 2),
               -0.223607 + 1.5 * 0.2 * 2.236068));
    // S3: P sqrt(N / (1 + n)) with n = 3, 1 and 0.
    const SelectPuct s3(PuctSettings{1.5, PuctFormula::s3, FpuRule::zero, 0.25});
    CHECK(near(score(s3, 0), 1.0 / 3 + 1.5 * 0.5 * 2.236068 / 2));
    CHECK(near(score(s3, 1), -1.0 + 1.5 * 0.3 * 2.236068 / 1.414214));
    CHECK(near(score(s3, 2), 0.0 + 1.5 * 0.2 * 2.236068));
}

// Means of 0.5 and -0.25 with evaluations of -0.3 and 0.9 that were backed up by minimax, at a weight of 0.25: 0.3 and
// 0.0375.
void check_implicit_minimax() {
    Tree tree(1 << 16, TreeNeeds{}.with<MinimaxValue>());
    const Tree::Index index = tree.add_node(0);
    tree.give_edges(index, tree.add_edges(2), 2, 2);
    const Tree::Index first = tree.node(index).first_edge;
    tree.node(index).visits = 1;  // ln 1 = 0: no exploration
    tree.edge(first).visits = tree.edge(first + 1).visits = 4;
    tree.edge(first).sum = to_fixed(2.0);
    tree.edge(first + 1).sum = to_fixed(-1.0);
    tree.at<MinimaxValue>(first).value = -0.3f;
    tree.at<MinimaxValue>(first + 1).value = 0.9f;
    const auto chosen = [&](double weight) {
        return best_edge(Descent{tree, {}, index}, SelectUct({.c = 0.8}), weight) - first;
    };
    CHECK(chosen(0.0) == 0 && chosen(0.25) == 0);
    // They are equal at 0.5 - 0.8 w = -0.25 + 1.15 w, w = 0.384615.
    CHECK(chosen(0.384) == 0 && chosen(0.385) == 1);
}

void check_gumbel() {
    // Two rounds for four moves and twelve iterations: four moves once, then two of them three times, then these again.
    CHECK((SequentialHalving::turns(4, 12) == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
    CHECK((SequentialHalving::turns(1, 3) == std::vector<std::uint32_t>{0, 1, 2}));
    CHECK((SequentialHalving::turns(3, 5) == std::vector<std::uint32_t>{0, 0, 0, 1, 1}));
    CHECK(SequentialHalving::turns(16, 100).size() == 100);

    Tree tree(1 << 16, TreeNeeds{}.with<Prior>());
    const Tree::Index index = tree.add_node(0);
    tree.give_edges(index, tree.add_edges(3), 3, 3);
    const Tree::Index first = tree.node(index).first_edge;
    tree.at<Prior>(first).share = 0.6f;
    tree.at<Prior>(first + 1).share = 0.2f;
    tree.at<Prior>(first + 2).share = 0.2f;
    Rng rng(1);
    const SequentialHalving halving(tree, tree.node(index), 2, 4, rng);
    // Two of three moves have a turn, then both again.
    std::array<int, 3> tried{};
    for (int i = 0; i < 4; ++i) {
        const Tree::Index edge = halving.next_edge(tree, tree.node(index)).value();
        ++tried[edge - first];
        ++tree.edge(edge).visits;
    }
    CHECK(std::count(tried.begin(), tried.end(), 2) == 2 && std::count(tried.begin(), tried.end(), 0) == 1);
    CHECK(!halving.next_edge(tree, tree.node(index)));
    // With means of 0.5 and -0.5 after one visit each, the third is taken to be worth (0.6 * 0.5 - 0.2 * 0.5) / 0.8 =
    // 0.25, and sigma(q) is 51 (q + 1) / 2.
    for (Tree::Index i = 0; i < 3; ++i) {
        tree.edge(first + i).visits = i < 2 ? 1 : 0;
        tree.edge(first + i).sum = to_fixed(i == 0 ? 0.5 : i == 1 ? -0.5 : 0.0);
    }
    const auto policy = halving.improved_policy(tree);
    CHECK(near(policy[0] + policy[1] + policy[2], 1.0));
    CHECK(near(std::log(policy[2] / policy[0]), std::log(0.2 / 0.6) - 51 * 0.25 / 2));
    CHECK(near(std::log(policy[1] / policy[0]), std::log(0.2 / 0.6) - 51 * 1.0 / 2));
    // The best of those that were tried most often, whatever the noise.
    CHECK(halving.final_edge(tree, tree.node(index)) == first);
    tree.edge(first).proof = Proof::loss;
    CHECK(halving.final_edge(tree, tree.node(index)) == first + 1);
}

// Shares sum to 1, have the mean 1 / n and the variance (n - 1) / (n^2 (n alpha + 1)).
void check_dirichlet() {
    Rng rng(3);
    for (const double alpha : {0.3, 1.0, 10.0}) {
        constexpr int kSamples = 20000;
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < kSamples; ++i) {
            const auto shares = dirichlet_sample(4, alpha, rng);
            CHECK(near(shares[0] + shares[1] + shares[2] + shares[3], 1.0));
            sum += shares[0];
            squares += shares[0] * shares[0];
        }
        const double mean = sum / kSamples, variance = squares / kSamples - mean * mean,
                     expected = 3.0 / (16.0 * (4.0 * alpha + 1.0));
        CHECK(std::abs(mean - 0.25) < 5 * std::sqrt(expected / kSamples) && std::abs(variance / expected - 1.0) < 0.06);
    }
}

// Visits of 1, 2 and 4 at temperature 1 are drawn in these proportions; at temperature 0.1 the last nearly always.
void check_temperature() {
    Rng rng(4);
    std::array<int, 3> drawn{};
    for (int i = 0; i < 7000; ++i) ++drawn[draw_by_power({1.0, 2.0, 4.0}, 1.0, rng)];
    CHECK(std::abs(drawn[0] - 1000) < 150 && std::abs(drawn[1] - 2000) < 190 && std::abs(drawn[2] - 4000) < 210);
    int last = 0;
    for (int i = 0; i < 1000; ++i) last += draw_by_power({1.0, 2.0, 4.0}, 0.1, rng) == 2;
    CHECK(last > 990);
    for (int i = 0; i < 100; ++i) CHECK(draw_by_power({0.0, 1.0, 0.0}, 1.0, rng) == 1);
}

// Three moves with proof numbers 2, 5, 2 and disproof numbers 3, 1, 4, each visited once with mean 0, and N = 1, so
// that only ranks count: 1, 2, 1 of 2 for the prover, 2, 1, 3 of 3 for the other player.
void check_proof_number_ranks() {
    for (const int to_move : {0, 1}) {
        Tree tree(1 << 16, TreeNeeds{}.with<ProofNumbers>());
        tree.set_prover(0);
        const Tree::Index parent = tree.add_node(to_move);
        tree.give_edges(parent, tree.add_edges(3), 3, 3);
        tree.node(parent).visits = 1;
        const std::array<ProofNumbers, 3> numbers{{{2, 3}, {5, 1}, {2, 4}}};
        for (Tree::Index i = 0; i < 3; ++i) {
            Edge& edge = tree.edge(tree.node(parent).first_edge + i);
            edge.visits = 1;
            edge.child = tree.add_node(1 - to_move);
            tree.at<ProofNumbers>(edge.child) = numbers[i];
        }
        const SelectPn rule({.c = 0.8, .cpn = 1.0});
        const std::array<double, 3> expected =
            to_move == 0 ? std::array{0.5, 0.0, 0.5} : std::array{1.0 / 3, 2.0 / 3, 0.0};
        const auto score = rule.scorer(Descent{tree, {}, parent});
        for (Tree::Index i = 0; i < 3; ++i) {
            const Tree::Index index = tree.node(parent).first_edge + i;
            CHECK(near(score(index, tree.edge(index), Seen(tree.edge(index)), 0.0), expected[i]));
        }
    }
    CHECK(ProofNumbers::sum(ProofNumbers::kInfinite, 3) == ProofNumbers::kInfinite && ProofNumbers::sum(2, 3) == 5);
}

void check_choice_with_proofs() {
    SmallTree small;
    const SelectUct rule({.c = 0.8});
    const auto chosen = [&] {
        return best_edge(Descent{small.tree, {}, small.index}, rule, 0.0) - small.node().first_edge;
    };
    CHECK(chosen() == 0);
    small.edge(0).proof = Proof::loss;
    CHECK(chosen() == 1);
    small.edge(1).proof = Proof::loss;
    CHECK(chosen() == 0);  // something must be chosen
    small.edge(1).proof = Proof::draw;
    CHECK(chosen() == 1);
    small.edge(0).proof = Proof::unknown;
    CHECK(chosen() == 0);  // nothing can be learnt from the draw
    small.edge(1).proof = Proof::win;
    CHECK(chosen() == 1);
}

void check_logarithm_and_exponential() {
    for (double x = 0.001; x < 1e9; x *= 1.37)
        CHECK(std::abs(natural_log(x) - std::log(x)) < 1e-13 * (1 + std::abs(std::log(x))));
    for (double x = -30.0; x < 30.0; x += 0.37) CHECK(std::abs(exponential(x) / std::exp(x) - 1.0) < 1e-13);
    CHECK(natural_log(1.0) == 0.0 && exponential(0.0) == 1.0);
}

// The three playouts of S0's figure 10, as its text tells them: black wins the first, white the second, black the
// third.
void check_last_good_reply() {
    enum : std::uint16_t { A, B, C, D, E, F, G };
    constexpr std::uint8_t white = 1, black = 0;
    const Rewards black_wins{1.0, -1.0}, white_wins{-1.0, 1.0};
    for (const bool forget : {false, true}) {
        LastGoodReply::Policy<ClassicConnect4> replies(ClassicConnect4{}, {.forget = forget});
        using Trace = std::vector<PlayedMove>;
        replies.learn(Trace{{A, white}, {E, black}, {D, white}, {E, black}, {B, white}, {C, black}}, 0, black_wins);
        CHECK(replies.reply_to({A, white}) == E && replies.reply_to({D, white}) == E &&
              replies.reply_to({B, white}) == C);
        CHECK(!replies.reply_to({E, black}) && !replies.reply_to({C, black}));
        // Black answers D by E and B by C as it has learnt, and loses.
        replies.learn(Trace{{D, white}, {E, black}, {B, white}, {C, black}, {G, white}, {F, black}, {B, white}}, 0,
                      white_wins);
        CHECK(replies.reply_to({E, black}) == B && replies.reply_to({C, black}) == G &&
              replies.reply_to({F, black}) == B);
        CHECK(replies.reply_to({D, white}) == (forget ? std::nullopt : std::optional<int>(E)));
        CHECK(replies.reply_to({A, white}) == E);
        // Both use what they know, A -> E and F -> B; black wins, and its reply to B is overwritten.
        replies.learn(Trace{{A, white}, {E, black}, {C, white}, {F, black}, {B, white}, {D, black}}, 0, black_wins);
        CHECK(replies.reply_to({B, white}) == D && replies.reply_to({A, white}) == E);
        CHECK(replies.reply_to({F, black}) == (forget ? std::nullopt : std::optional<int>(B)));
        replies.learn(Trace{{A, white}, {G, black}}, 0, Rewards{});  // nobody learns from a draw
        CHECK(replies.reply_to({A, white}) == E);
    }
}

}  // namespace

int main() {
    check_formulas();
    check_visits_in_flight();
    check_graph_formulas();
    check_ucd();
    check_puct();
    check_implicit_minimax();
    check_gumbel();
    check_dirichlet();
    check_temperature();
    check_proof_number_ranks();
    check_choice_with_proofs();
    check_logarithm_and_exponential();
    check_last_good_reply();
    return testing::finish();
}
