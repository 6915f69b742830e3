// Games that are stepped together play, show and end as single ones do.
#include <memory>

#include "check.hpp"
#include "core/vector_game.hpp"
#include "games/catalog.hpp"
#include "initial_file.hpp"

using namespace spielbaum;

namespace {

constexpr std::size_t kGames = 5;
constexpr int kSteps = 400;
constexpr float kUntouched = -7.0f;

// What a vector shows, with a row more than it needs, which it may not touch.
struct Rows {
    template <Game G>
    explicit Rows(const G& game)
        : size(static_cast<std::size_t>(shape(game).planes * shape(game).rows * shape(game).columns)),
          actions(static_cast<std::size_t>(game.num_actions())),
          players(static_cast<std::size_t>(game.num_players())),
          planes((kGames + 1) * size, kUntouched),
          rewards((kGames + 1) * players, kUntouched),
          to_move(kGames + 1, -7),
          legal(std::make_unique<bool[]>((kGames + 1) * actions)),
          over(std::make_unique<bool[]>(kGames + 1)) {}

    template <Game G>
    static Shape shape(const G& game) {
        return std::span(game.encodings())[0].shape;
    }
    VectorArrays arrays() { return {planes.data(), legal.get(), rewards.data(), over.get(), to_move.data()}; }

    std::size_t size, actions, players;
    std::vector<float> planes, rewards;
    std::vector<std::int32_t> to_move;
    std::unique_ptr<bool[]> legal, over;
};

template <Game G>
bool shows(const G& game, const typename G::State& state, const Path& path, const Rows& rows, std::size_t row) {
    std::vector<float> planes(rows.size);
    game.write_planes(state, path, 0, planes.data());
    bool same = rows.to_move[row] == game.to_move(state);
    for (std::size_t i = 0; i < rows.size; ++i) same = same && rows.planes[row * rows.size + i] == planes[i];
    for (std::size_t action = 0; action < rows.actions; ++action)
        same =
            same && rows.legal[row * rows.actions + action] == game.move(state, static_cast<int>(action)).has_value();
    return same;
}

template <Game G>
void check_vector(const G& game) {
    Rows rows(game);
    VectorGame<G> games(game, kGames, 0);
    games.reset(rows.arrays(), [] {});
    std::vector<typename G::State> states(kGames, game.initial());
    std::vector<Path> paths(kGames);
    std::vector<std::int32_t> actions(kGames);
    Rng rng(7);
    int ended = 0;
    bool same = true, rewarded = true;
    for (int step = 0; step < kSteps; ++step) {
        games.draw(rng, actions.data());
        games.step(actions.data(), rows.arrays(), [] {});
        for (std::size_t i = 0; i < kGames; ++i) {
            advance(game, states[i], *game.move(states[i], actions[i]), paths[i]);
            const bool over = game.over(states[i]);
            rewarded = rewarded && rows.over[i] == over;
            for (std::size_t player = 0; player < rows.players; ++player)
                rewarded = rewarded && rows.rewards[i * rows.players + player] ==
                                           (over ? static_cast<float>(game.outcome(states[i]).rewards[player]) : 0.0f);
            if (over) {
                ++ended;
                states[i] = game.initial();
                paths[i] = Path{};
            }
            same = same && games.state(i) == states[i] && shows(game, states[i], paths[i], rows, i);
        }
    }
    CHECK(same);
    CHECK(rewarded);
    CHECK(ended > 0);
    CHECK(rows.planes.back() == kUntouched && rows.rewards.back() == kUntouched && rows.to_move.back() == -7);
    CHECK(!rows.legal[kGames * rows.actions] && !rows.over[kGames]);
    // An illegal action in the last game leaves the others where they are.
    games.draw(rng, actions.data());
    actions.back() = game.num_actions();
    CHECK_THROWS(games.step(actions.data(), rows.arrays(), [] {}), IllegalMove);
    CHECK(games.state(0) == states[0] && shows(game, states[0], paths[0], rows, 0));
}

template <class Family>
void check_family() {
    std::vector<int> usual;
    for (const OptionDeclaration& option : Family::kOptions) usual.push_back(option.initial);
    make_with<Family>(usual, testing::initial_file<Family>(), [](auto game) { check_vector(game); });
}

}  // namespace

int main() {
    for_each_family([]<class Family>() { check_family<Family>(); });
    make_with<Connect4Family>(std::vector<int>{9, 10, 5}, {}, [](auto game) { check_vector(game); });
    make_with<YavalathFamily>(std::vector<int>{3, 0}, {}, [](auto game) { check_vector(game); });
    return testing::finish();
}
