// Two threads train one network without locks, to the same weights as one thread.
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "check.hpp"
#include "eval/ntuple/tuples.hpp"
#include "games/connect4.hpp"
#include "learn/trainer.hpp"

using namespace spielbaum;

int main() {
    const ClassicConnect4 game;
    Rng rng(2);
    NTupleShape shape;
    shape.num_cells = game.num_cells();
    shape.contents = 4;
    shape.tuples = random_tuples(tuple_cells_of(game), TupleKind::walk, {4, 4, 4, 5, 5}, {}, rng);
    shape.images = cell_images(game, true);
    for (const double lambda : {0.0, 0.6})
        for (const int look_ahead : {0, 1}) {
            TdOptions options;
            options.alpha = {ScheduleKind::constant, 0.02, 0.02, 0, 1};
            options.epsilon = {ScheduleKind::constant, 0.2, 0.2, 0, 1};
            options.lambda = lambda;
            options.look_ahead = look_ahead;
            options.control = StepControl::tcl_exp;
            options.count_uses = true;
            auto alone = std::make_shared<NTupleNetwork>(shape), network = std::make_shared<NTupleNetwork>(shape);
            TdTrainer<ClassicConnect4> single(game, alone, options, {}), trainer(game, network, options, {});
            CHECK(single.train(0, 400, 1, [] { return true; }) == 400);
            CHECK(trainer.train(0, 400, 2, [] { return true; }) == 400);
            CHECK(std::ranges::equal(alone->weights(), network->weights()));
            CHECK(std::equal(single.memory().uses.data(), single.memory().uses.data() + single.memory().uses.size(),
                             trainer.memory().uses.data()));
            CHECK(std::ranges::any_of(network->weights(), [](float weight) { return std::abs(weight) > 0.01f; }));
            // A stop ends both, after the same game.
            int asked = 0;
            const u64 reached = trainer.train(400, 1'000'000, 2, [&] { return ++asked < 4; });
            CHECK(reached > 400 && reached < 100'000);
            single.train(400, reached, 1, [] { return true; });
            CHECK(std::ranges::equal(alone->weights(), network->weights()));
            // So does a failure, which is passed on.
            bool told = false;
            try {
                trainer.train(reached, 1'000'000, 2, []() -> bool { throw std::runtime_error("no more"); });
            } catch (const std::runtime_error& error) {
                told = std::string_view(error.what()) == "no more";
            }
            CHECK(told);
        }
    return testing::finish();
}
