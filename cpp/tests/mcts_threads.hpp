// Several threads on one tree: nothing is lost or counted twice, and what is proven is true. Built with the thread
// sanitizer, this is where it looks. A part of test_mcts.cpp, which compiles the same searches.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "check.hpp"
#include "games/connect4.hpp"
#include "games/tictactoe.hpp"
#include "search/mcts/search.hpp"

namespace spielbaum::testing {

template <Game G>
void check_counts(const G& game, std::string_view select, std::string_view playout, u64 iterations) {
    MctsOptions options;
    options.set("select", std::string(select));
    options.set("playout", std::string(playout));
    options.memory = 64;
    options.threads = 4;
    options.solver = false;
    Mcts<G> search(game, options, 1);
    SearchControl control({iterations}, nullptr, {}, 64);
    int reports = 0;
    const MctsResult found = search.search(game.initial(), {}, control, [&](const MctsResult& so_far) {
        ++reports;
        CHECK(so_far.iterations <= iterations);
    });
    u64 visits = 0;
    for (const MctsMove& move : found.moves) {
        visits += move.visits;
        CHECK(std::abs(move.mean) <= 1.0);
    }
    CHECK(found.iterations == iterations && visits == iterations);
    // Nothing is left in flight: the next search of the same tree begins with what this one has counted.
    SearchControl more({iterations}, nullptr, {}, 64);
    const MctsResult again = search.search(game.initial(), {}, more);
    CHECK(again.kept >= iterations && again.iterations == iterations);
    for (const MctsMove& move : again.moves) CHECK(std::abs(move.mean) <= 1.0);
}

inline void check_proof() {
    for (const std::string_view select : {"uct", "uct2", "pn", "puct"}) {
        MctsOptions options;
        options.set("select", std::string(select));
        options.set("c", 1.4);
        options.memory = 16;
        options.threads = 3;
        Mcts<TicTacToe> search(TicTacToe{}, options, 1);
        SearchControl control({200000}, nullptr, {}, 64);
        const MctsResult found = search.search(TicTacToe::initial(), {}, control);
        CHECK(found.proof == Proof::draw && found.value == 0.0);
    }
}

inline void check_full_memory() {
    MctsOptions options;
    options.memory = 1;
    options.threads = 4;
    Mcts<ClassicConnect4> search(ClassicConnect4{}, options, 1);
    SearchControl control({30000}, nullptr, {}, 64);
    const MctsResult found = search.search(ClassicConnect4::initial(), {}, control);
    CHECK(found.full && found.iterations == 30000);
}

inline void check_stop() {
    MctsOptions options;
    options.threads = 3;
    std::atomic<bool> stop = false;
    Mcts<ClassicConnect4> search(ClassicConnect4{}, options, 1);
    SearchControl control({}, &stop, {}, 64);
    std::jthread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop = true;
    });
    const MctsResult found = search.search(ClassicConnect4::initial(), {}, control);
    CHECK(found.iterations > 0 && found.moves.size() == 7);
}

inline void check_threads() {
    // uct3 and ucd look at the whole graph after every iteration, and are not for threads that share a tree.
    for (const auto select : SelectRules::kNames)
        if (select != "uct3" && select != "ucd") check_counts(ClassicConnect4{}, select, "random", 4000);
    check_counts(ClassicConnect4{}, "rave", "lgr", 4000);
    check_counts(ClassicConnect4{}, "uct", "mast", 4000);
    check_proof();
    check_full_memory();
    check_stop();
}

}  // namespace spielbaum::testing
