// N-tuple networks and temporal-difference learning, with numbers that were worked out by hand.
#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

#include "check.hpp"
#include "eval/ntuple/evaluation.hpp"
#include "eval/ntuple/tuples.hpp"
#include "games/chess/chess.hpp"
#include "games/connect4.hpp"
#include "games/reversi.hpp"
#include "games/tictactoe.hpp"
#include "games/yavalath.hpp"
#include "learn/trainer.hpp"

using namespace spielbaum;

namespace {

bool near(double a, double b, double margin = 1e-6) { return std::abs(a - b) <= margin; }

template <Game G>
NTupleShape shape_of(const G& game, std::vector<Tuple> tuples, bool symmetries, int contents = 0) {
    NTupleShape shape;
    shape.num_cells = game.num_cells();
    shape.contents = contents == 0 ? game.contents()[0] : contents;
    shape.num_players = game.num_players();
    shape.tuples = std::move(tuples);
    shape.images = cell_images(game, symmetries);
    return shape;
}

// The worked example of S1, A.2: a1; b1 b2; c1 c2 c3; d2 d4. Cells are numbered row by row from the bottom.
void test_realisable_states() {
    const Tuple example{0, 1, 8, 2, 9, 16, 10, 24};
    CHECK(realisable_states(example, 6, 7, 3) == 2205.0);
    CHECK(realisable_states(example, 6, 7, 4) == 3150.0);
    CHECK(realisable_states({0}, 6, 7, 4) == 3.0);  // in the lowest row, empty is always reachable
    CHECK(realisable_states({7}, 6, 7, 4) == 4.0);
    // All states of three cells that random games reach are among them.
    const ClassicConnect4 game;
    const Tuple tuple{7, 14, 8};
    std::set<std::vector<int>> seen;
    Rng rng(5);
    for (int i = 0; i < 3000; ++i) {
        auto state = game.initial();
        while (!game.over(state)) {
            std::vector<int> contents;
            for (const int cell : tuple) contents.push_back(game.content(state, cell, 4));
            seen.insert(contents);
            game.play(state, game.random_move(state, rng));
        }
    }
    CHECK(static_cast<double>(seen.size()) == realisable_states(tuple, 6, 7, 4));
}

// The places that follow a game move by move are those of the position set up anew; images are worth the same.
template <Game G>
void test_positions(const G& game, bool symmetries, u64 seed) {
    Rng rng(seed);
    NTupleNetwork network(
        shape_of(game, random_tuples(tuple_cells_of(game), TupleKind::walk, {2, 3, 4, 5}, {}, rng), symmetries));
    for (float& weight : network.weights()) weight = static_cast<float>(rng.below(2001) - 1000) * 0x1p-10f;
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    for (int i = 0; i < 20; ++i) {
        auto state = game.initial();
        TuplePosition<G> followed(network, game.num_cells()), fresh(network, game.num_cells());
        followed.set(game, network, state);
        while (!game.over(state)) {
            auto next = state;
            game.play(next, random_move(game, state, rng, buffer.data()));
            followed.advance(game, network, state, next);
            fresh.set(game, network, next);
            for (std::size_t f = 0; f < network.num_features(); ++f) CHECK(followed.places()[f] == fresh.places()[f]);
            state = next;
            if (symmetries && !game.over(state)) {
                const auto image = game.transform(state, game.num_symmetries() - 1);
                // The weights are multiples of 2^-10, so that sums are exact in any order.
                for (int player = 0; player < game.num_players(); ++player)
                    CHECK(ntuple_sum(game, network, state, player) == ntuple_sum(game, network, image, player));
            }
        }
    }
}

// One tuple of two cells in tic-tac-toe: index = content(a1) + 3 content(b2), places are twice that (two tables).
void test_value_by_hand() {
    const TicTacToe game;
    NTupleShape shape = shape_of(game, {{0, 4}}, false);
    shape.k = 0.5;
    shape.bias = true;
    NTupleNetwork network(shape);
    CHECK(network.stride() == 2 && network.num_entries() == 10 && network.num_features() == 2);
    auto state = game.initial();
    game.play(state, 4);  // x takes b2: index 3, o to move: the second table
    network.weights()[2 * 3 + 1] = 0.75f;
    network.weights()[2 * 9 + 1] = 0.25f;  // the bias of o's table
    CHECK(ntuple_sum(game, network, state, 0) == 1.0f);
    CHECK(ntuple_sum(game, network, state, 1) == -1.0f);
    CHECK(near(ntuple_values(game, network, state)[0], std::tanh(0.5), 1e-12));
    CHECK(ntuple_score(game, network, state, 1) == -500);
    game.play(state, 0);  // o takes a1: index 2 + 3, where nothing is known
    CHECK(ntuple_sum(game, network, state, 0) == 0.0f);
}

// Without tanh the value is k * sum in training, and kept within [-1, 1] for those who ask.
void test_value_without_tanh() {
    const TicTacToe game;
    NTupleShape shape = shape_of(game, {{0}, {1}}, false);
    shape.k = 0.5;
    shape.squash = false;
    auto network = std::make_shared<NTupleNetwork>(shape);
    CHECK(network->value_of_sum(6.0f) == 3.0 && network->slope(0.75) == 0.5);
    CHECK(network->sum_of_value(0.25) == 0.5 && std::isinf(network->sum_of_value(-1.0)));
    const auto state = game.initial();
    // Each weight changes by alpha * error * k; the second step starts from 0.5 * (0.5 + 0.5).
    TdTrainer<TicTacToe> trainer(game, network, TdOptions{}, {});
    trainer.learn_value(state, {1.0}, 1.0);
    CHECK(network->weights()[0] == 0.5f && ntuple_values(game, *network, state)[0] == 0.5);
    trainer.learn_value(state, {1.0}, 1.0);
    CHECK(network->weights()[0] == 0.75f && ntuple_score(game, *network, state, 0) == 750);
    network->weights()[0] = 100.0f;
    CHECK(ntuple_values(game, *network, state)[0] == 1.0 && ntuple_values(game, *network, state)[1] == -1.0);
}

void test_drawn_weights() {
    std::vector<float> weights(10'000), again(10'000);
    Rng rng(4), same(4);
    NTupleNetwork::draw(weights, 0.25, rng);
    NTupleNetwork::draw(again, 0.25, same);
    CHECK(weights == again);
    const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
    CHECK(*least >= -0.25f && *least < -0.249f && *most <= 0.25f && *most > 0.249f);
}

// Walks that slide: every step leads to a neighbour that was not visited before.
void test_sliding_walks() {
    const ClassicConnect4 game;
    const TupleCells cells = tuple_cells_of(game);
    // From the corner a1, of eight directions: three go to b2, b1 or a2; those that slide go to b1 and a2 once more
    // each; three stay.
    std::vector<int> corner = cells.slides[0];
    std::sort(corner.begin(), corner.end());
    CHECK((corner == std::vector<int>{0, 0, 0, 1, 1, 7, 7, 8}));
    Rng rng(6);
    for (const Tuple& tuple : random_tuples(cells, TupleKind::slide, std::vector<int>(200, 8), {}, rng))
        for (std::size_t i = 0; i + 1 < tuple.size(); ++i) {
            const auto& around = cells.neighbours[tuple[i]];
            CHECK(std::find(around.begin(), around.end(), tuple[i + 1]) != around.end());
        }
    const auto refused = [&](const TupleCells& board, TupleKind kind, std::vector<int> lengths) {
        try {
            random_tuples(board, kind, lengths, {}, rng);
        } catch (const OptionError&) {
            return true;
        }
        return false;
    };
    CHECK(refused(cells, TupleKind::slide, {42}));                                           // none is ever found
    CHECK(refused(tuple_cells_of(TicTacToe{}), TupleKind::slide, std::vector<int>(10, 8)));  // there are nine
    CHECK(!refused(tuple_cells_of(TicTacToe{}), TupleKind::slide, std::vector<int>(9, 8)));
    CHECK(refused(tuple_cells_of(Yavalath(2)), TupleKind::slide, {4}));  // no board of squares
}

void test_tanh_and_schedules() {
    for (double x = -25.0; x < 25.0; x += 0.0137) CHECK(near(hyperbolic_tangent(x), std::tanh(x), 1e-14));
    CHECK(hyperbolic_tangent(0.0) == 0.0);
    const Schedule sigmoid{ScheduleKind::sigmoid, 0.95, 0.1, 2e6, 1e7};
    CHECK(near(sigmoid.value(2'000'000), 0.525));
    CHECK(near(sigmoid.value(0), 0.1 + 0.85 / (1.0 + std::exp(-4.0))));
    const Schedule exponent{ScheduleKind::exponential, 0.01, 0.001, 0, 1e7};
    CHECK(near(exponent.value(0), 0.01) && near(exponent.value(5'000'000), std::sqrt(1e-5), 1e-9) &&
          near(exponent.value(20'000'000), 0.001));
    const Schedule linear{ScheduleKind::linear, 1.0, 0.0, 0, 100};
    CHECK(near(linear.value(25), 0.75));
    const Schedule step{ScheduleKind::step, 1.0, 0.0, 10, 100};
    CHECK(step.value(9) == 1.0 && step.value(10) == 0.0);
}

// A supervised step towards 1 from sum 0: each weight changes by alpha * 1 * k * (1 - 0); then the step control halves
// it.
void test_learning_step() {
    const TicTacToe game;
    auto network = std::make_shared<NTupleNetwork>(shape_of(game, {{0}, {1}}, false));
    TdOptions options;
    options.control = StepControl::tcl;
    options.count_uses = true;
    TdTrainer<TicTacToe> trainer(game, network, options, {});
    const auto state = game.initial();
    trainer.learn_value(state, {1.0}, 0.25);
    CHECK(network->weights()[0] == 0.25f && network->weights()[6] == 0.25f && network->weights()[1] == 0.0f);
    CHECK(near(ntuple_values(game, *network, state)[0], std::tanh(0.5)));
    // Back towards -1: r = (-1 - v)(1 - v^2), the first rate is |1| / 1 = 1.
    const double v = std::tanh(0.5), r = (-1.0 - v) * (1.0 - v * v);
    trainer.learn_value(state, {-1.0}, 0.25);
    CHECK(near(network->weights()[0], 0.25 + 0.25 * r));
    // Now the sum of changes is 1 + r, that of their sizes 1 - r.
    const double w = 0.25 + 0.25 * r, u = std::tanh(2 * w), q = (1.0 - u) * (1.0 - u * u);
    trainer.learn_value(state, {1.0}, 0.25);
    CHECK(near(network->weights()[0], w + 0.25 * std::abs(1.0 + r) / (1.0 - r) * q));
    CHECK(trainer.memory().uses[0] == 3 && trainer.memory().uses[1] == 0);
}

void test_traces() {
    const auto list = [](const Traces& traces) {
        std::vector<std::pair<std::uint32_t, float>> found;
        traces.for_each([&](std::uint32_t weight, float trace) { found.emplace_back(weight, trace); },
                        [](std::uint32_t) {});
        return found;
    };
    using Found = std::vector<std::pair<std::uint32_t, float>>;
    for (const bool replacing : {false, true}) {
        Traces traces(0.5, replacing);
        traces.begin_step();
        traces.use(7, 1.0f);
        traces.use(8, 1.0f);
        traces.use(7, 1.0f);  // an image of the position uses the same entry
        CHECK((list(traces) == Found{{7, 2.0f}, {8, 1.0f}}));
        traces.begin_step();
        traces.use(7, 1.0f);
        traces.use(9, 0.25f);
        CHECK((list(traces) == Found{{8, 0.5f}, {7, replacing ? 1.0f : 2.0f}, {9, 0.25f}}));
        traces.clear();
        CHECK(list(traces).empty());
        for (std::uint32_t step = 0; step < 40; ++step) {
            traces.begin_step();
            for (std::uint32_t i = 0; i < 200; ++i) traces.use(1000 * step + i, 1.0f);
        }
        CHECK(list(traces).size() == 200 * 7);  // 0.5^6 is the last power above 0.01
    }
}

// Two trainings with the same seed are equal bit by bit, and so is one that is interrupted.
void test_reproducible(const TdOptions& options) {
    const Connect4<u64, AnySize> game(AnySize(4, 5, 4));
    Rng rng(3);
    const auto tuples = random_tuples(tuple_cells_of(game), TupleKind::walk, {4, 4, 5}, {}, rng);
    const auto trained = [&](u64 pause) {
        auto network = std::make_shared<NTupleNetwork>(shape_of(game, tuples, true));
        TdTrainer<Connect4<u64, AnySize>> trainer(game, network, options, [](const auto&) { return 0.5; });
        const auto yes = [] { return true; };
        CHECK(trainer.train(0, pause, 1, yes) == pause);
        CHECK(trainer.train(pause, 300, 1, yes) == 300);
        return std::vector<float>(network->weights().begin(), network->weights().end());
    };
    const auto once = trained(0);
    CHECK(once == trained(0));
    CHECK(once == trained(137));
    CHECK(std::count(once.begin(), once.end(), 0.0f) < static_cast<std::ptrdiff_t>(once.size()));
}

// A table of the whole board learns only positions that go on, and at last all of them.
void test_tictactoe_uses() {
    const TicTacToe game;
    NTupleShape shape = shape_of(game, {{0, 1, 2, 3, 4, 5, 6, 7, 8}}, false);
    shape.table_per_player = false;
    auto network = std::make_shared<NTupleNetwork>(shape);
    TdOptions options;
    options.alpha = {ScheduleKind::constant, 0.1, 0.1, 0, 1};
    options.epsilon = {ScheduleKind::constant, 0.5, 0.5, 0, 1};
    options.count_uses = true;
    TdTrainer<TicTacToe> trainer(game, network, options, {});
    trainer.train(0, 60'000, 1, [] { return true; });
    int used = 0;
    for (std::size_t i = 0; i < network->weights().size(); ++i) used += trainer.memory().uses[i] > 0;
    CHECK(used > 4'300 && used <= 4'520);
}

// Three players: one output for each, and looking ahead; two threads leave a sane network.
void test_other_games() {
    const Yavalath game(3);
    Rng rng(9);
    auto network = std::make_shared<NTupleNetwork>(
        shape_of(game, random_tuples(tuple_cells_of(game), TupleKind::walk, {3, 3, 4}, {}, rng), true));
    CHECK(network->num_outputs() == 3 && network->stride() == 9);
    TdOptions options;
    options.alpha = {ScheduleKind::constant, 0.01, 0.01, 0, 1};
    options.epsilon = {ScheduleKind::constant, 0.2, 0.2, 0, 1};
    options.lambda = 0.5;
    TdTrainer<Yavalath> trainer(game, network, options, {});
    CHECK(trainer.train(0, 20, 2, [] { return true; }) == 20);
    for (const float weight : network->weights()) CHECK(std::isfinite(weight));
    const auto worths = trainer.worths(20, 2);
    CHECK(worths.size() == 3 && worths[0] > 0.0);
    trainer.replace(0, {30, 31, 32});
    CHECK(trainer.worths(20, 2)[0] == 0.0);
}

// Each player wants his own pieces where they began, and pawns, which never come back, twice as much: a knight goes out
// and comes back, and the third occurrence of the start ends the game after eight plies.
void test_repetition(int look_ahead) {
    const Chess game;
    std::vector<Tuple> cells;
    for (int cell = 0; cell < game.num_cells(); ++cell) cells.push_back({static_cast<std::uint16_t>(cell)});
    NTupleShape shape = shape_of(game, cells, false);
    shape.bias = true;  // with all pieces at home, the value is that of a draw
    NTupleNetwork network(shape);
    for (int player = 0; player < 2; ++player) {
        const float sign = player == 0 ? 1.0f : -1.0f;
        // His moves are judged by positions with this player to move.
        const std::size_t column = network.column(0, (player + 1 + look_ahead) % 2);
        float total = 0.0f;
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            const int content = game.content(game.initial(), static_cast<int>(cell), 13);
            if (content == 0 || (content > 6) != (player == 1)) continue;
            const float weight = content % 6 == 1 ? 2.0f : 1.0f;
            network.weights()[network.offset(cell) + static_cast<std::size_t>(content * network.stride()) + column] =
                sign * weight;
            total += weight;
        }
        network.weights()[network.starts().back() + column] = -sign * total;
    }
    TdOptions options;
    options.alpha = options.epsilon = {ScheduleKind::constant, 0, 0, 0, 1};
    options.look_ahead = look_ahead;
    TdMemory memory(network, options);
    const Oracle<Chess> none;
    TdWorker<Chess> worker(game, network, memory, options, none);
    for (u64 number = 0; number < 4; ++number) CHECK(worker.play(number) == 8);
}

}  // namespace

int main() {
    test_realisable_states();
    test_positions(TicTacToe{}, true, 1);
    test_positions(ClassicConnect4{}, true, 2);
    test_positions(Connect4<u128, AnySize>(AnySize(9, 10, 4)), true, 3);
    test_positions(Reversi<8>{}, true, 4);
    test_positions(Yavalath(2, true), false, 5);
    test_positions(Yavalath(3), true, 6);
    test_positions(Chess{}, false, 7);
    test_repetition(0);
    test_repetition(1);
    test_value_by_hand();
    test_value_without_tanh();
    test_drawn_weights();
    test_sliding_walks();
    test_tanh_and_schedules();
    test_learning_step();
    test_traces();
    TdOptions options;
    options.alpha = {ScheduleKind::exponential, 0.05, 0.01, 0, 300};
    options.epsilon = {ScheduleKind::sigmoid, 0.9, 0.1, 100, 300};
    test_reproducible(options);
    options.lambda = 0.7;
    options.replacing = options.resetting = true;
    options.control = StepControl::tcl_exp;
    test_reproducible(options);
    options.look_ahead = 1;
    options.cut = 8;
    test_reproducible(options);
    test_tictactoe_uses();
    test_other_games();
    return spielbaum::testing::finish();
}
