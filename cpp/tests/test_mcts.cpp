// Monte-Carlo tree search: every rule against numbers worked out by hand, and the laws of the whole.
#include <cmath>

#include "check.hpp"
#include "games/catalog.hpp"
#include "search/mcts/search.hpp"

using namespace spielbaum;

namespace {

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

// A node with two edges: 4 visits of mean 0.5, 6 visits of mean -0.25.
struct SmallTree {
    Tree tree{1 << 16, {.amaf = true, .squares = true}};
    Tree::Index index;

    SmallTree() {
        tree.clear();
        index = tree.add_node(0, 0);
        tree.add_edges(index, 2);
        Node& node = tree.node(index);
        node.visits = 10;
        node.opened = 2;
        Edge& first = tree.edge(node.first_edge);
        Edge& second = tree.edge(node.first_edge + 1);
        first.visits = 4;
        first.sum = to_fixed(2.0);
        second.visits = 6;
        second.sum = to_fixed(-1.5);
        tree.amaf(node.first_edge) = {to_fixed(4.0), 20};  // mean 0.2
        tree.squares(node.first_edge) = to_fixed(4.0);
    }
    const Node& node() const { return tree.node(index); }
    Edge& edge(Tree::Index i) { return tree.edge(node().first_edge + i); }

    template <class Rule>
    double score(const Rule& rule, Tree::Index i) const {
        const Edge& edge = tree.edge(node().first_edge + i);
        return rule.scorer(tree, node())(node().first_edge + i, edge, edge.mean());
    }
};

void check_formulas() {
    SmallTree small;
    // ln 10 = 2.302585; sqrt(ln 10 / 4) = 0.758714, sqrt(ln 10 / 6) = 0.619487.
    CHECK(near(small.score(SelectUct{0.8}, 0), 0.5 + 0.8 * 0.758714));
    CHECK(near(small.score(SelectUct{0.8}, 1), -0.25 + 0.8 * 0.619487));
    CHECK(near(small.score(SelectAmaf{0.4, 0.5}, 0), 0.25 + 0.1 + 0.4 * 0.758714));
    CHECK(near(small.score(SelectAmaf{0.4, 0.5}, 1), -0.125 + 0.4 * 0.619487));  // no playout has the move: 0
    // beta = sqrt(50 / (3 * 4 + 50)) = 0.898027.
    const SelectRave gelly{0.2, 50.0, BetaRule::gelly};
    CHECK(near(gelly.beta(4, 20), 0.898027));
    CHECK(near(small.score(gelly, 0), 0.101973 * 0.5 + 0.898027 * 0.2 + 0.2 * 0.758714));
    // beta = 20 / (4 + 20 + 4 * 20 / 50) = 0.78125.
    const SelectRave silver{0.2, 50.0, BetaRule::silver};
    CHECK(near(silver.beta(4, 20), 0.78125) && silver.beta(4, 0) == 0.0);
    // The variance, 4 / 4 - 0.5^2 = 0.75, and sqrt(2 ln 10 / 4) = 1.072983 are more than 1.
    CHECK(near(small.score(SelectUcb1Tuned{1.0}, 0), 0.5 + 0.758714));
    // With 100 of 200 visits and a mean of 0.9: ln 200 / 100 = 0.0529832, 0.19 + sqrt(0.1059663) = 0.515525.
    small.tree.node(small.index).visits = 200;
    small.edge(0).visits = 100;
    small.edge(0).sum = to_fixed(90.0);
    small.tree.squares(small.node().first_edge) = to_fixed(100.0);
    CHECK(near(small.score(SelectUcb1Tuned{1.0}, 0), 0.9 + std::sqrt(0.0529832 * 0.515525)));
}

// A graph in which a second way leads to the child of the first edge: 10 visits in all, with a mean of 0.2 for player 0.
void check_graph_formulas() {
    Tree tree(1 << 20, {.graph = true, .values = 2});
    const Tree::Index parent = tree.add_node(0, 11), child = tree.add_node(1, 12);
    CHECK(tree.find_node(12) == child && tree.find_node(11) == parent && tree.find_node(13) == Tree::kNone);
    tree.add_edges(parent, 1);
    tree.node(parent).visits = 10;
    tree.node(parent).opened = 1;
    Edge& edge = tree.edge(tree.node(parent).first_edge);
    edge.visits = 4;
    edge.sum = to_fixed(2.0);
    edge.child = child;
    tree.node(child).visits = 10;
    tree.value(child, 0) = to_fixed(2.0);
    tree.value(child, 1) = to_fixed(-2.0);
    const auto score = [&](const auto& rule) {
        return rule.scorer(tree, tree.node(parent))(tree.node(parent).first_edge, edge, edge.mean());
    };
    CHECK(near(score(SelectUct1{{0.8}}), 0.5 + 0.8 * 0.758714));
    CHECK(near(score(SelectUct2{0.8}), 0.2 + 0.8 * 0.758714));
    // A node keeps its slot while the table grows.
    for (u64 key = 100; key < 3000; ++key) tree.add_node(0, key);
    CHECK(tree.find_node(12) == child && tree.num_nodes() == 2902);
}

// Three moves with proof numbers 2, 5, 2 and disproof numbers 3, 1, 4, each visited once with mean 0, and N = 1, so that only
// ranks count: 1, 2, 1 of 2 for the prover, 2, 1, 3 of 3 for the other player.
void check_proof_number_ranks() {
    for (const int to_move : {0, 1}) {
        Tree tree(1 << 16, {.proof_numbers = true});
        tree.set_prover(0);
        const Tree::Index parent = tree.add_node(to_move, 0);
        tree.add_edges(parent, 3);
        tree.node(parent).visits = 1;
        tree.node(parent).opened = 3;
        const std::array<ProofNumbers, 3> numbers{{{2, 3}, {5, 1}, {2, 4}}};
        for (Tree::Index i = 0; i < 3; ++i) {
            Edge& edge = tree.edge(tree.node(parent).first_edge + i);
            edge.visits = 1;
            edge.child = tree.add_node(1 - to_move, 0);
            tree.proof_numbers(edge.child) = numbers[i];
        }
        const SelectPn rule(0.8, 1.0);
        const std::array<double, 3> expected = to_move == 0 ? std::array{0.5, 0.0, 0.5} : std::array{1.0 / 3, 2.0 / 3, 0.0};
        const auto score = rule.scorer(tree, tree.node(parent));
        for (Tree::Index i = 0; i < 3; ++i) {
            const Tree::Index index = tree.node(parent).first_edge + i;
            CHECK(near(score(index, tree.edge(index), 0.0), expected[i]));
        }
    }
    CHECK(ProofNumbers::sum(ProofNumbers::kInfinite, 3) == ProofNumbers::kInfinite && ProofNumbers::sum(2, 3) == 5);
}

void check_choice_with_proofs() {
    SmallTree small;
    const SelectUct rule{0.8};
    const auto chosen = [&] { return best_edge(small.tree, small.node(), rule) - small.node().first_edge; };
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
    for (double x = 0.001; x < 1e9; x *= 1.37) CHECK(std::abs(natural_log(x) - std::log(x)) < 1e-13 * (1 + std::abs(std::log(x))));
    for (double x = -30.0; x < 30.0; x += 0.37) CHECK(std::abs(exponential(x) / std::exp(x) - 1.0) < 1e-13);
    CHECK(natural_log(1.0) == 0.0 && exponential(0.0) == 1.0);
}

// The three playouts of S0's figure 10, as its text tells them: black wins the first, white the second, black the third.
void check_last_good_reply() {
    enum : std::uint16_t { A, B, C, D, E, F, G };
    constexpr std::uint8_t white = 1, black = 0;
    const Rewards black_wins{1.0, -1.0}, white_wins{-1.0, 1.0};
    for (const bool forget : {false, true}) {
        MctsOptions options;
        options.forget = forget;
        LastGoodReply<ClassicConnect4> replies(ClassicConnect4{}, options);
        using Trace = std::vector<PlayedMove>;
        replies.learn(Trace{{A, white}, {E, black}, {D, white}, {E, black}, {B, white}, {C, black}}, black_wins);
        CHECK(replies.reply_to({A, white}) == E && replies.reply_to({D, white}) == E && replies.reply_to({B, white}) == C);
        CHECK(!replies.reply_to({E, black}) && !replies.reply_to({C, black}));
        // Black answers D by E and B by C as it has learnt, and loses.
        replies.learn(Trace{{D, white}, {E, black}, {B, white}, {C, black}, {G, white}, {F, black}, {B, white}}, white_wins);
        CHECK(replies.reply_to({E, black}) == B && replies.reply_to({C, black}) == G && replies.reply_to({F, black}) == B);
        CHECK(replies.reply_to({D, white}) == (forget ? std::nullopt : std::optional<int>(E)));
        CHECK(replies.reply_to({A, white}) == E);
        // Both use what they know, A -> E and F -> B; black wins, and its reply to B is overwritten.
        replies.learn(Trace{{A, white}, {E, black}, {C, white}, {F, black}, {B, white}, {D, black}}, black_wins);
        CHECK(replies.reply_to({B, white}) == D && replies.reply_to({A, white}) == E);
        CHECK(replies.reply_to({F, black}) == (forget ? std::nullopt : std::optional<int>(B)));
        replies.learn(Trace{{A, white}, {G, black}}, Rewards{});  // nobody learns from a draw
        CHECK(replies.reply_to({A, white}) == E);
    }
}

template <Game G>
MctsResult run(const G& game, const typename G::State& state, const MctsOptions& options, u64 iterations, u64 seed = 1) {
    Mcts<G> search(game, options, seed);
    SearchControl control({iterations}, nullptr, {}, 64);
    return search.search(state, {}, control);
}

std::vector<MctsOptions> all_rules() {
    std::vector<MctsOptions> rules;
    for (const auto select : {SelectRule::uct, SelectRule::uct1, SelectRule::uct2, SelectRule::ucb1_tuned, SelectRule::amaf, SelectRule::rave, SelectRule::pn})
        for (const auto playout : {PlayoutRule::random, PlayoutRule::lgr, PlayoutRule::gdk, PlayoutRule::mast}) {
            MctsOptions options;
            options.select = select;
            options.playout = playout;
            options.memory = 8 << 20;
            rules.push_back(options);
        }
    rules.back().context = 2;
    rules.back().first_reply = true;
    rules[4].symmetry = rules[8].symmetry = rules[10].symmetry = true;
    rules[1].context = 2;
    rules[5].first_reply = rules[5].forget = true;
    rules[17].tree_moves = false;
    rules[21].beta = BetaRule::silver;
    return rules;
}

// For every rule: visits add up, equal seeds give equal trees, other seeds other ones.
template <Game G>
void check_laws(const G& game, u64 iterations) {
    for (MctsOptions options : all_rules()) {
        options.solver = false;
        const MctsResult first = run(game, game.initial(), options, iterations), again = run(game, game.initial(), options, iterations);
        const MctsResult other = run(game, game.initial(), options, iterations, 2);
        u64 visits = 0;
        bool same = true;
        CHECK(first.iterations == iterations && first.moves.size() == again.moves.size());
        for (std::size_t i = 0; i < first.moves.size(); ++i) {
            visits += first.moves[i].visits;
            CHECK(first.moves[i].move == again.moves[i].move && first.moves[i].visits == again.moves[i].visits);
            CHECK(first.moves[i].value == again.moves[i].value && std::abs(first.moves[i].value) <= 1.0);
            same = same && first.moves[i].visits == other.moves[i].visits && first.moves[i].value == other.moves[i].value;
        }
        CHECK((visits == iterations || (options.symmetry && visits > iterations)) && !same);
        CHECK(first.moves.front().line.front() == first.moves.front().move);
    }
}

void check_proofs() {
    MctsOptions options;
    options.memory = 16 << 20;
    options.c = 1.4;
    const MctsResult drawn = run(TicTacToe{}, TicTacToe::initial(), options, 100000);
    CHECK(drawn.proof == Proof::draw && drawn.value == 0.0 && drawn.iterations < 100000);
    // After opposite corners and the centre, o must not take a corner.
    const auto state = TicTacToe::parse_state("..x/.o./x.. o");
    const MctsResult forked = run(TicTacToe{}, state, options, 100000);
    CHECK(forked.proof == Proof::draw);
    for (const MctsMove& move : forked.moves) CHECK((move.move % 2 == 0) == (move.proof == Proof::loss) || move.proof == Proof::unknown);
    CHECK(forked.moves.front().move % 2 == 1);  // corners lose, edges draw
}

// The kept tree is the one that the game has come to, and a search goes on in it.
void check_reuse() {
    const ClassicConnect4 game;
    MctsOptions options;
    options.memory = 64 << 20;
    options.select = SelectRule::rave;
    Mcts<ClassicConnect4> search(game, options, 5);
    auto state = game.initial();
    SearchControl control({5000}, nullptr, {}, 64);
    const MctsResult first = search.search(state, {}, control);
    CHECK(first.kept == 0);
    game.play(state, first.moves[0].move);
    game.play(state, first.moves[0].line[1]);
    SearchControl more({100}, nullptr, {}, 64);
    const MctsResult second = search.search(state, {}, more);
    CHECK(second.kept > 100 && second.kept < first.moves[0].visits);
    u64 visits = 0;
    for (const MctsMove& move : second.moves) visits += move.visits;
    CHECK(visits == second.kept + 100 - 1);  // the first visit of the node was its own playout
    // A position from elsewhere starts anew.
    SearchControl third({100}, nullptr, {}, 64);
    CHECK(search.search(game.initial(), {}, third).kept == 0);
}

// Transpositions and symmetric positions share nodes; mirrored moves then know the same.
void check_graph() {
    MctsOptions options;
    options.solver = false;
    options.memory = 64 << 20;
    const ClassicConnect4 game;
    const std::size_t tree = run(game, game.initial(), options, 5000).nodes;
    options.select = SelectRule::uct2;
    const std::size_t graph = run(game, game.initial(), options, 5000).nodes;
    options.symmetry = true;
    const MctsResult merged = run(game, game.initial(), options, 5000);
    CHECK(graph < tree && merged.nodes < graph);
    std::array<u64, 7> visits{};
    for (const MctsMove& move : merged.moves) {
        visits[move.move] = move.visits;
        auto state = game.initial();
        for (const Move each : move.line) {
            CHECK(game.move(state, each).has_value());
            game.play(state, each);
        }
    }
    for (std::size_t column = 0; column < 3; ++column) {
        const auto larger = std::max(visits[column], visits[6 - column]), smaller = std::min(visits[column], visits[6 - column]);
        CHECK(larger - smaller <= larger / 10 + 50);  // one of the two was opened before the other
    }
}

void check_memory() {
    MctsOptions options;
    options.memory = 1 << 20;
    const MctsResult result = run(ClassicConnect4{}, ClassicConnect4::initial(), options, 50000);
    CHECK(result.full && result.bytes <= options.memory / 2 && result.iterations == 50000);
}

}  // namespace

int main() {
    check_formulas();
    check_graph_formulas();
    check_proof_number_ranks();
    check_choice_with_proofs();
    check_logarithm_and_exponential();
    check_last_good_reply();
    check_laws(TicTacToe{}, 500);
    check_laws(ClassicConnect4{}, 500);
    check_laws(Connect4<u128, AnySize>(AnySize(7, 9, 4)), 100);
    check_laws(Reversi<6>{}, 200);
    check_laws(Yavalath(2, true), 300);
    check_laws(Yavalath(3, false), 300);
    check_laws(Chess{}, 40);
    check_proofs();
    check_reuse();
    check_graph();
    check_memory();
    return testing::finish();
}
