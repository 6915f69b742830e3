// Two threads train one network without locks: every game is played once, and the network stays sane.
#include <cmath>
#include <memory>

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
    for (const double lambda : {0.0, 0.6}) {
        auto network = std::make_shared<NTupleNetwork>(shape);
        TdOptions options;
        options.alpha = {ScheduleKind::constant, 0.02, 0.02, 0, 1};
        options.epsilon = {ScheduleKind::constant, 0.2, 0.2, 0, 1};
        options.lambda = lambda;
        options.control = StepControl::tcl_exp;
        options.count_uses = true;
        TdTrainer<ClassicConnect4> trainer(game, network, options, {});
        CHECK(trainer.train(0, 400, 2, [] { return true; }) == 400);
        double total = 0.0;
        for (const float weight : network->weights()) {
            CHECK(std::isfinite(weight));
            total += std::abs(static_cast<double>(weight));
        }
        CHECK(total > 1.0);
        // A stop ends all threads, and no game is lost between them.
        int asked = 0;
        const u64 reached = trainer.train(400, 1'000'000, 2, [&] { return ++asked < 4; });
        CHECK(reached > 400 && reached < 100'000);
    }
    return testing::finish();
}
