// Monte-Carlo tree search: the laws of the whole, for every game and rule. With the argument "threads": those of
// several threads on one tree.
#include <cmath>

#include "check.hpp"
#include "eval/connect4_eval.hpp"
#include "games/catalog.hpp"
#include "mcts_threads.hpp"
#include "search/mcts/search.hpp"

using namespace spielbaum;

namespace {

bool near(double a, double b) { return std::abs(a - b) < 1e-6; }

template <Game G>
MctsResult run(const G& game, const typename G::State& state, const MctsOptions& options, u64 iterations,
               u64 seed = 1) {
    Mcts<G> search(game, options, seed);
    SearchControl control({iterations}, nullptr, {}, 64);
    return search.search(state, {}, control);
}

using Changes = std::vector<std::pair<std::string_view, SettingValue>>;

// The names of options and their values, as a spec has them.
MctsOptions with(std::string_view select, std::string_view playout, const Changes& changes = {}) {
    MctsOptions options;
    options.set("select", std::string(select));
    options.set("playout", std::string(playout));
    options.set("c", 0.8);
    options.memory = 8;
    for (const auto& [name, value] : changes) options.set(name, value);
    return options;
}

// Every rule of selection with every playout, and options of either.
std::vector<MctsOptions> all_rules(int num_players) {
    using namespace std::string_literals;
    std::vector<MctsOptions> rules;
    for (const auto select : SelectRules::kNames)
        for (const auto playout : PlayoutRules::kNames)
            if (num_players == 2 || (select != "uct3" && select != "ucd")) rules.push_back(with(select, playout));
    rules.push_back(with("uct", "lgr", {{"context", 2}, {"first_reply", true}}));
    rules.push_back(with("uct1", "lgr", {{"forget", true}}));
    rules.push_back(with("uct1", "random", {{"symmetry", true}}));
    rules.push_back(with("uct2", "gdk", {{"symmetry", true}}));
    rules.push_back(with("amaf", "lgr", {{"tree_moves", false}, {"first_reply", true}}));
    rules.push_back(with("rave", "random", {{"beta", "silver"s}}));
    rules.push_back(with("rave", "random", {{"cut", 4}}));
    rules.push_back(with("puct", "random", {{"fpu", "parent"s}, {"prior", "eval"s}}));
    rules.push_back(with("puct", "random", {{"fpu", "loss"s}, {"noise", 0.25}, {"c", 40.0}}));
    rules.push_back(with("puct", "random", {{"root", "gumbel"s}}));
    if (num_players > 2) return rules;
    rules.push_back(with("ucd", "random", {{"d1", 2}, {"d2", 1}, {"d3", 3}}));
    rules.push_back(with("uct", "random", {{"minimax", 0.3}, {"cut", 6}}));
    rules.push_back(with("puct", "random", {{"minimax", 0.3}}));
    return rules;
}

// For every rule: visits add up, equal seeds give equal trees, other seeds other ones.
template <Game G>
void check_laws(const G& game, u64 iterations) {
    for (MctsOptions options : all_rules(game.num_players())) {
        options.solver = false;
        const MctsResult first = run(game, game.initial(), options, iterations),
                         again = run(game, game.initial(), options, iterations);
        const MctsResult other = run(game, game.initial(), options, iterations, 2);
        u64 visits = 0;
        bool same = true;
        CHECK(first.iterations == iterations && first.moves.size() == again.moves.size());
        for (std::size_t i = 0; i < first.moves.size(); ++i) {
            visits += first.moves[i].visits;
            CHECK(first.moves[i].move == again.moves[i].move && first.moves[i].visits == again.moves[i].visits);
            CHECK(first.moves[i].value() == again.moves[i].value() && std::abs(first.moves[i].value()) <= 1.0);
            same = same && first.moves[i].visits == other.moves[i].visits &&
                   first.moves[i].value() == other.moves[i].value();
        }
        CHECK(visits == iterations || (options.symmetry && visits > iterations));
        // Few random games of chess, or evaluations of nothing, may well come out alike.
        CHECK(!same || iterations < 100 || options.cut != LeafSettings::kNoCut);
        CHECK(first.moves.front().line.front() == first.moves.front().move);
    }
}

void check_proofs() {
    const MctsOptions options = with("uct", "random", {{"memory", 16}, {"c", 1.4}});
    const MctsResult drawn = run(TicTacToe{}, TicTacToe::initial(), options, 100000);
    CHECK(drawn.proof == Proof::draw && drawn.value == 0.0 && drawn.iterations < 100000);
    // After opposite corners and the centre, o must not take a corner.
    const auto state = TicTacToe::parse_state("..x/.o./x.. o");
    const MctsResult forked = run(TicTacToe{}, state, options, 100000);
    CHECK(forked.proof == Proof::draw);
    for (const MctsMove& move : forked.moves)
        CHECK((move.move % 2 == 0) == (move.proof == Proof::loss) || move.proof == Proof::unknown);
    CHECK(forked.moves.front().move % 2 == 1);  // corners lose, edges draw
}

// The kept tree is the one that the game has come to, and a search goes on in it.
void check_reuse() {
    const ClassicConnect4 game;
    const MctsOptions options = with("rave", "random", {{"memory", 64}});
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
    MctsOptions options = with("uct", "random", {{"solver", false}, {"memory", 64}});
    const ClassicConnect4 game;
    const std::size_t tree = run(game, game.initial(), options, 5000).nodes;
    options.set("select", std::string("uct2"));
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
        const auto larger = std::max(visits[column], visits[6 - column]),
                   smaller = std::min(visits[column], visits[6 - column]);
        CHECK(larger - smaller <= larger / 10 + 50);  // one of the two was opened before the other
    }
}

// UCD with depths 0 is UCT1, and with means of depth 1 UCT2: the same trees.
void check_ucd_contains_uct() {
    const auto visits = [](std::string_view select, int d1) {
        const MctsOptions options = with(select, "random", {{"d1", d1}, {"solver", false}});
        std::vector<std::uint32_t> found(7);
        for (const MctsMove& move : run(ClassicConnect4{}, ClassicConnect4::initial(), options, 3000).moves)
            found[move.move] = move.visits;
        return found;
    };
    CHECK(visits("ucd", 0) == visits("uct1", 0));
    CHECK(visits("ucd", 1) == visits("uct2", 0));
    CHECK(visits("uct3", 0) == visits("ucd", UcdDepths::kAll));
    CHECK(visits("uct3", 0) != visits("uct2", 0));
}

void check_memory() {
    for (const std::string_view select : {"uct", "uct2", "uct3", "rave", "puct"}) {
        const MctsOptions options = with(select, "random", {{"memory", 1}});
        const MctsResult result = run(ClassicConnect4{}, ClassicConnect4::initial(), options, 30000);
        CHECK(result.full && result.bytes <= options.memory.bytes / 2 && result.iterations == 30000);
    }
}

// A search whose leaves are evaluated from outside by what the game's evaluation would say, one at a time, is the
// search that does it itself; with many leaves in flight it is another one, and all of them come back.
void check_batches() {
    using Search = Mcts<ClassicConnect4, Connect4Evaluations>;
    const ClassicConnect4 game;
    const MctsOptions options = with("puct", "random", {{"cut", 0}, {"c", 1.5}});
    Search plain(game, options, 1);
    SearchControl control({400}, nullptr, {}, 64);
    const MctsResult expected = plain.search(game.initial(), {}, control);
    for (const int batch : {1, 16}) {
        Search search(game, options, 1);
        search.begin(game.initial(), {}, 401);
        SearchControl unlimited({}, nullptr, {});
        while (!search.done()) {
            const int waiting = search.collect(batch, unlimited);
            CHECK(waiting >= 1 && waiting <= batch);
            std::vector<Rewards> values;
            for (int i = 0; i < waiting; ++i) {
                const double value = score_to_value(Connect4Evaluations(EvaluationSpec{})(game, search.leaf_state(i)));
                values.push_back({value, -value});
            }
            if (batch == 16 && waiting > 3) {  // somebody fails: the next attempt finds everything as it was
                search.cancel();
                CHECK(search.collect(batch, unlimited) == waiting);
            }
            search.apply(values, std::vector<std::vector<float>>(static_cast<std::size_t>(waiting),
                                                                 std::vector<float>(7, 0.0f)));
        }
        const MctsResult found = search.finish();
        u64 visits = 0;
        CHECK(found.moves.size() == 7);
        for (std::size_t i = 0; i < 7; ++i) {
            visits += found.moves[i].visits;
            if (batch > 1) continue;
            CHECK(found.moves[i].move == expected.moves[i].move && found.moves[i].visits == expected.moves[i].visits);
            CHECK(found.moves[i].value() == expected.moves[i].value() && near(found.moves[i].prior, 1.0 / 7));
        }
        CHECK(visits == 400 && found.iterations == 401);
    }
}

// final=select takes the move with the best score of the selection rule without exploration, which need not be the most
// visited nor the one with the best mean.
void check_final_selection() {
    for (const std::string_view select : {"uct", "uct2", "amaf", "rave", "pn"}) {
        const MctsOptions options = with(select, "random", {{"final", std::string("select")}, {"solver", false}});
        int others = 0;
        for (u64 seed = 1; seed <= 20; ++seed) {
            Mcts<ClassicConnect4> search(ClassicConnect4{}, options, seed);
            SearchControl control({100}, nullptr, {}, 64);
            const MctsResult found = search.search(ClassicConnect4::initial(), {}, control);
            const MctsMove& best = found.moves.front();
            for (const MctsMove& move : found.moves) {
                CHECK(move.score <= best.score);
                others += move.visits > best.visits || move.mean > best.mean;
                if (select == "uct") CHECK(near(move.score, move.mean));
            }
        }
        CHECK(others > 0);
    }
}

// Sequences of one move that are drawn by temperature are MAST, in every choice of a whole search.
void check_single_moves_are_mast() {
    const auto visits = [](std::string_view playout, int n) {
        const MctsOptions options =
            with("uct", playout, {{"memory", 16}, {"mast_t", 0.7}, {"nst_t", 0.7}, {"nst_n", n}});
        std::vector<std::pair<u64, double>> found(16);
        for (const MctsMove& move : run(ClassicConnect4{}, ClassicConnect4::initial(), options, 2000, 3).moves)
            found[move.move] = {move.visits, move.mean};
        return found;
    };
    CHECK(visits("mast", 1) == visits("nst", 1));
    CHECK(visits("nst", 1) != visits("nst", 2) && visits("nst", 2) != visits("nst", 3));
}

}  // namespace

int main(int count, char** words) {
    if (count > 1 && std::string_view(words[1]) == "threads") {
        testing::check_threads();
        return testing::finish();
    }
    check_final_selection();
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
    check_ucd_contains_uct();
    check_memory();
    check_batches();
    check_single_moves_are_mast();
    return testing::finish();
}
