// How fast ReversiXT is beside the naive program of its tests, on the same positions, in one thread:
//
//     g++ -std=c++20 -O3 -ffp-contract=off -Icpp -Icpp/tests benchmarks/reversixt_speed.cpp -o build/reversixt_speed
//     build/reversixt_speed src/spielbaum/games/maps map20 map17 map41
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>

#include "core/playout.hpp"
#include "games/reversixt/reversixt.hpp"
#include "naive_reversixt.hpp"

using namespace spielbaum;
using testing::NaiveReversiXt;

namespace {

constexpr double kSeconds = 2.0;  // for each number

// How often `work` can be done in a second; it returns how much it did.
template <class Work>
double per_second(Work&& work) {
    const std::clock_t start = std::clock();  // of this process: other programs may be running
    double done = 0.0, seconds = 0.0;
    while (seconds < kSeconds) {
        done += work();
        seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }
    return done / seconds;
}

void measure(const std::string& folder, const std::string& name) {
    std::ifstream file(folder + "/" + name + ".map", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const ReversiXt game(std::make_shared<const reversixt::Map>(reversixt::MapReader(name, text).read(), name));
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    Path path;
    Rng rng(1), naive_rng(1);
    const double playouts = per_second([&] {
        auto state = game.initial();
        random_playout(game, state, path, rng, buffer.data());
        return 1.0;
    });
    const NaiveReversiXt naive_start(text);
    const double naive_playouts = per_second([&] {
        NaiveReversiXt naive = naive_start;
        while (!naive.over) {
            const auto moves = naive.legal_moves();
            naive.play(moves[static_cast<std::size_t>(naive_rng.below(static_cast<int>(moves.size())))]);
        }
        return 1.0;
    });

    // Every seventh position of a game's first phase, the same for both.
    std::vector<ReversiXt::State> states;
    std::vector<NaiveReversiXt> naive_states;
    auto state = game.initial();
    NaiveReversiXt naive = naive_start;
    for (int ply = 0; state.phase == ReversiXt::Phase::colouring && !game.over(state); ++ply) {
        if (ply % 7 == 0) {
            states.push_back(state);
            naive_states.push_back(naive);
        }
        const auto moves = naive.legal_moves();
        const auto drawn = static_cast<std::size_t>(rng.below(static_cast<int>(moves.size())));
        game.legal_moves(state, buffer.data());
        game.play(state, buffer[drawn]);
        naive.play(moves[drawn]);
    }
    std::array<u64, reversixt::kMostCellWords> targets{};
    u64 sum = 0;
    const double generations = per_second([&] {
        for (const auto& each : states) {
            game.targets_of(each, each.to_move, targets.data());
            sum += targets[0] + static_cast<u64>(game.legal_moves(each, buffer.data()));
        }
        return static_cast<double>(states.size());
    });
    const double naive_generations = per_second([&] {
        for (const auto& each : naive_states) sum += each.legal_moves().size();
        return static_cast<double>(naive_states.size());
    });
    const double copies = per_second([&] {
        for (const auto& each : states) {
            state = each;
            sum += state.words.back();
        }
        return static_cast<double>(states.size());
    });
    std::printf("%-8s %8.0f %8.1f %6.0fx %10.0f %8.0f %6.0fx %10.0f %6zu  (%llu)\n", name.c_str(), playouts,
                naive_playouts, playouts / naive_playouts, generations, naive_generations,
                generations / naive_generations, copies, 8 * states[0].words.size(),
                static_cast<unsigned long long>(sum));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::printf("expected the folder of the maps and names of maps\n");
        return 2;
    }
    std::printf("map      playouts/s  naive           generated/s    naive           copies/s  bytes\n");
    for (int i = 2; i < argc; ++i) measure(argv[1], argv[i]);
}
