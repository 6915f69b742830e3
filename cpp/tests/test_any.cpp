// The type-erased boundary without Python, so that the sanitizers see it: paths, errors, and threads.
#include <thread>

#include "bindings/any_alphabeta.hpp"
#include "bindings/any_mcts.hpp"
#include "bindings/any_ntuple.hpp"
#include "bindings/any_solver.hpp"
#include "bindings/typed_game.hpp"
#include "check.hpp"
#include "games/catalog.hpp"
#include "initial_file.hpp"

using namespace spielbaum;

namespace {

// A game without its searches, which would take long to compile and are tested elsewhere.
template <Game G>
class RulesOnly final : public TypedGame<G> {
public:
    using TypedGame<G>::TypedGame;
    MctsPtr make_mcts(const MctsOptions&, u64) const override { return nullptr; }
    AlphaBetaPtr make_alphabeta(const AlphaBetaOptions&) const override { return nullptr; }
    NTuplePtr make_ntuple(const NTupleOptions&) const override { return nullptr; }
    std::optional<SolverFacts> solver() const override { return std::nullopt; }
    SolverPtr make_solver(const SolverOptions&) const override { return nullptr; }
};

template <class Family>
GamePtr make(std::initializer_list<int> values) {
    const std::vector<int> options(values);
    return make_with<Family>(options, testing::initial_file<Family>(), [](auto rules) -> GamePtr {
        return std::make_shared<RulesOnly<decltype(rules)>>(std::move(rules));
    });
}

StatePtr play_random(StatePtr state, u64 seed, int plies) {
    Rng rng(seed);
    for (int i = 0; i < plies && !state->over(); ++i) {
        const std::vector<int> actions = state->legal_actions();
        state = state->play(actions[static_cast<std::size_t>(rng.below(static_cast<int>(actions.size())))], state);
    }
    return state;
}

void check_paths() {
    const GamePtr game = make<ChessFamily>({});
    const StatePtr end = play_random(game->initial(), 1, 100000);
    CHECK(end->over());
    StatePtr replayed = game->initial();
    for (const int action : end->history()) replayed = replayed->play(action, replayed);
    CHECK(replayed->equals(*end));
    CHECK(replayed->notation() == end->notation());
    CHECK(end->root().is_initial() && !end->is_initial());
    CHECK(!game->parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 7")->is_initial());
}

void check_errors() {
    const GamePtr game = make<Connect4Family>({6, 7, 4});
    const StatePtr start = game->initial();
    CHECK_THROWS(start->play(7, start), IllegalMove);
    CHECK_THROWS(start->play(-1, start), IllegalMove);
    CHECK_THROWS(start->parse_move("h1"), IllegalMove);
    CHECK_THROWS(game->parse("8"), NotationError);
    CHECK_THROWS(game->parse("1111111"), NotationError);
    CHECK_THROWS(game->parse("12121212"), NotationError);  // goes on after the end
    CHECK(game->parse("1212121")->over());
    CHECK(game->parse("D1,D2;C1,E1")->notation() == "4435");
    CHECK(game->parse(" 44 ")->last_action() == 3);
    CHECK_THROWS(make<Connect4Family>({6, 7, 1}), OptionError);
    CHECK_THROWS(make<Connect4Family>({16, 16, 4}), OptionError);
    CHECK_THROWS((make<ReversiFamily>({5, 0})), OptionError);
    CHECK_THROWS((make<YavalathFamily>({3, 1})), OptionError);
}

void check_elimination() {
    const StatePtr start = make<ReversiXtFamily>({0})->initial();
    CHECK(start->eliminated().empty());
    const StatePtr end = start->eliminate(1);
    CHECK(end->over() && end->eliminated() == std::vector<int>{1} && end->parent() == nullptr);
    CHECK(end->outcome().rewards[0] == 1.0);
    CHECK_THROWS(start->eliminate(2), IllegalMove);
    CHECK_THROWS(end->eliminate(0), IllegalMove);
    CHECK_THROWS(make<TicTacToeFamily>({})->initial()->eliminate(0), IllegalMove);
}

// A path far longer than any stack, and siblings that are let go of by two threads at once.
void check_release() {
    struct Walk {  // a game of passes: Reversi positions do not repeat, so a path is made by hand
        static StatePtr long_path(const GamePtr& game, int plies) {
            StatePtr state = game->initial();
            const int action = state->legal_actions()[0];
            const StatePtr fixed = state;
            for (int i = 0; i < plies; ++i) state = fixed->play(action, state);
            return state;
        }
    };
    const GamePtr game = make<ReversiFamily>({8, 0});
    CHECK(Walk::long_path(game, 300000)->history().size() == 300000);
    for (int round = 0; round < 50; ++round) {
        const StatePtr trunk = play_random(make<YavalathFamily>({2, 0})->initial(), 5, 10);
        StatePtr left = trunk, right = trunk;
        std::vector<std::thread> threads;
        threads.emplace_back([state = std::move(left)]() mutable { state = play_random(state, 1, 30); });
        threads.emplace_back([state = std::move(right)]() mutable { state = play_random(state, 2, 30); });
        for (std::thread& thread : threads) thread.join();
    }
}

}  // namespace

int main() {
    check_paths();
    check_errors();
    check_elimination();
    check_release();
    return testing::finish();
}
