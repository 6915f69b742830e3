// ReversiXT against a naive program in random games on all maps, against the games of the course's referee, and its
// maps against damage. "test_reversixt GAMES MAPS SEED" plays so many random games, damages so many maps, and draws
// them by the seed.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>

#include "core/perft.hpp"
#include "games/reversi.hpp"
#include "games/reversixt/reversixt.hpp"
#include "laws.hpp"
#include "naive_reversixt.hpp"

using namespace spielbaum;
using testing::NaiveMove;
using testing::NaiveReversiXt;

// Counts what is allocated. Not inline, for a compiler that sees malloc() and delete side by side takes them for a
// mistake.
namespace {
std::size_t allocations = 0;
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> map_files() {
    std::vector<std::filesystem::path> files;
    for (const char* folder : {SPIELBAUM_MAPS, SPIELBAUM_TEST_DATA "/reversixt/maps"})
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().extension() == ".map") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

ReversiXt make_game(const std::string& text, ReversiXt::Rewards rewards = ReversiXt::Rewards::rank) {
    return ReversiXt(std::make_shared<const reversixt::Map>(reversixt::MapReader("test", text).read(), "test"),
                     rewards);
}

std::string shown(NaiveMove move) {
    return std::to_string(move.x) + "," + std::to_string(move.y) +
           (move.choice == 0 ? "" : "," + std::to_string(move.choice));
}

// Whether both have the same position and legal moves.
bool agrees(const ReversiXt& game, const ReversiXt::State& state, const NaiveReversiXt& naive,
            const std::vector<NaiveMove>& naive_moves, std::vector<Move>& moves) {
    if (game.over(state) != naive.over || static_cast<int>(state.phase) != naive.phase) return false;
    if (!naive.over && game.to_move(state) != naive.to_move) return false;
    for (int player = 0; player < naive.players; ++player) {
        const auto i = static_cast<std::size_t>(player);
        if (state.overrides[i] != naive.overrides_left[i] || state.bombs[i] != naive.bombs_left[i]) return false;
    }
    const std::string notation = game.notation(state);
    std::string board;
    for (const std::string& row : naive.board) board += (board.empty() ? "" : "/") + row;
    if (notation.substr(0, notation.find(' ')) != board) return false;
    moves.resize(static_cast<std::size_t>(game.max_moves()));
    moves.resize(static_cast<std::size_t>(game.legal_moves(state, moves.data())));
    return moves.size() == naive_moves.size() &&
           std::equal(moves.begin(), moves.end(), naive_moves.begin(),
                      [&](Move move, const NaiveMove& other) { return game.move_text(state, move) == shown(other); });
}

void compare_game(const ReversiXt& game, const std::string& text, Rng& rng) {
    NaiveReversiXt naive(text);
    auto state = game.initial();
    std::vector<Move> moves;
    while (true) {
        const std::vector<NaiveMove> naive_moves = naive.legal_moves();
        CHECK(agrees(game, state, naive, naive_moves, moves));
        if (naive.over || testing::failures > 0) break;
        if (rng.below(200) == 0) {
            const int player = rng.below(naive.players);
            if (naive.out[static_cast<std::size_t>(player)]) continue;
            naive.disqualify(player);
            game.eliminate(state, player);
            continue;
        }
        const int drawn = rng.below(static_cast<int>(moves.size()));
        game.play(state, moves[static_cast<std::size_t>(drawn)]);
        naive.play(naive_moves[static_cast<std::size_t>(drawn)]);
    }
    const auto counts = game.count_stones(state);
    for (int player = 0; player < naive.players; ++player)
        CHECK(counts[static_cast<std::size_t>(player)] == naive.stones(player));
}

// Large maps take a naive program seconds for a game, so they get fewer games.
void compare_games(int games, u64 seed) {
    Rng rng(seed);
    const auto files = map_files();
    CHECK(files.size() == 62);
    int played = 0;
    for (std::size_t round = 0; played < games; ++round)
        for (std::size_t i = 0; i < files.size(); ++i) {
            const std::string text = read_file(files[i]);
            const reversixt::MapText map = reversixt::MapReader("test", text).read();
            const std::size_t every = map.cells.size() > 1000 ? 40 : map.cells.size() > 300 ? 8 : 1;
            if ((round + i) % every != 0) continue;
            const ReversiXt game = make_game(text);
            compare_game(game, text, rng);
            ++played;
        }
    std::printf("%d random games agree with the naive program\n", played);
}

// "map|log|moves|stones of each player": see tests/data/reversixt/games.txt. The naive program plays the games as well,
// if there is time for it, and every position must be the same.
void replay_official_games(bool beside_naive) {
    std::ifstream file(SPIELBAUM_TEST_DATA "/reversixt/games.txt");
    int games = 0, plies = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const auto fields = split_fields(line, '|');
        const std::string text =
            read_file(std::filesystem::path(SPIELBAUM_MAPS) / std::filesystem::path(fields[0]).filename());
        const ReversiXt game = make_game(text);
        auto state = game.initial();
        std::optional<NaiveReversiXt> naive;
        if (beside_naive) naive.emplace(text);
        std::vector<Move> moves;
        for (const std::string_view entry : split_fields(fields[2], ' ')) {
            const int player = entry[0] - '1';
            const auto move = game.parse_move(state, entry.substr(2));
            if (entry[1] == '!') {
                CHECK(!move || game.to_move(state) != player);
                game.eliminate(state, player);
                if (naive) naive->disqualify(player);
                continue;
            }
            CHECK(game.to_move(state) == player && move.has_value());
            if (!move) break;
            if (naive) {
                const std::vector<NaiveMove> naive_moves = naive->legal_moves();
                CHECK(agrees(game, state, *naive, naive_moves, moves));
                const auto same = std::find(moves.begin(), moves.end(), *move) - moves.begin();
                naive->play(naive_moves.at(static_cast<std::size_t>(same)));
            }
            game.play(state, *move);
            ++plies;
        }
        CHECK(game.over(state) && (!naive || naive->over));
        const auto counts = game.count_stones(state);
        const auto expected = split_fields(fields[3], ',');
        CHECK(static_cast<int>(expected.size()) == game.num_players());
        for (std::size_t player = 0; player < expected.size(); ++player) {
            const bool out = game.eliminated(state, static_cast<int>(player));
            CHECK(out ? expected[player] == "D" : expected[player] == std::to_string(counts[player]));
        }
        ++games;
    }
    CHECK(games == 56);
    std::printf("%d games of the referee with %d moves replayed\n", games, plies);
}

// Maps with characters changed, put in or left out are read, or refused with line and column; what is read can be
// played.
void damage_maps(int count, u64 seed) {
    constexpr std::string_view kWritten = "0123456789-cibx<> \n\r\t.z\xff";
    Rng rng(seed);
    std::vector<std::string> texts;
    for (const auto& file : map_files()) {
        texts.push_back(read_file(file));
        if (texts.back().size() > 4000) texts.pop_back();
    }
    int read = 0, refused = 0;
    for (int i = 0; i < count; ++i) {
        std::string text = texts[static_cast<std::size_t>(rng.below(static_cast<int>(texts.size())))];
        for (int changes = 1 + rng.below(3); changes > 0; --changes) {
            const auto at = static_cast<std::size_t>(rng.below(static_cast<int>(text.size())));
            const char drawn = kWritten[static_cast<std::size_t>(rng.below(static_cast<int>(kWritten.size())))];
            switch (rng.below(8)) {
                case 0:
                    text.insert(at, 1, drawn);
                    break;
                case 1:
                    text.erase(at, 1);
                    break;
                case 2:
                    text.resize(std::max<std::size_t>(at, 1));
                    break;
                case 3:
                    text[at] = drawn;
                    break;
                default:  // most often, a cell or a number for another
                    if (text[at] > ' ') text[at] = kWritten[static_cast<std::size_t>(rng.below(15))];
            }
        }
        try {
            const ReversiXt game = make_game(text);
            ++read;
            compare_game(game, text, rng);
        } catch (const OptionError& error) {
            ++refused;
            const std::string message = error.what();
            CHECK(message.starts_with("reversixt with map=test: line ") ||
                  message.find("run together") != std::string::npos);
            CHECK(message.find('\n') == std::string::npos);
        }
    }
    CHECK(read > 0 && refused > 0);
    std::printf("%d damaged maps played, %d refused\n", read, refused);
}

void check_rewards() {
    const auto map = [](int players) { return std::to_string(players) + "\n0\n0 0\n1 4\n1 1 2 0\n"; };
    const ReversiXt three = make_game(map(3));
    auto state = three.initial();
    three.play(state, *three.parse_move(state, "3,0"));  // 1 1 1 1
    CHECK(three.over(state));
    CHECK((three.outcome(state).rewards == std::array<double, kMaxPlayers>{1.0, -0.5, -0.5}));
    CHECK(three.outcome(state).reason == "no moves left");
    const ReversiXt shares = make_game(map(2), ReversiXt::Rewards::stones);
    state = shares.initial();
    shares.eliminate(state, 0);
    CHECK(shares.over(state) && shares.outcome(state).reason == "last player left");
    CHECK((shares.outcome(state).rewards == std::array<double, kMaxPlayers>{-1.0, 1.0}));
    // Two of four are disqualified and share the last two places; who has more stones is first.
    const ReversiXt four = make_game("4\n0\n1 0\n1 7\n1 2 2 - 3 4 0\n");
    state = four.initial();
    CHECK(state.phase == ReversiXt::Phase::colouring && four.to_move(state) == 2);
    four.eliminate(state, 3);
    four.eliminate(state, 2);
    CHECK(state.phase == ReversiXt::Phase::bombing && four.to_move(state) == 0);
    four.play(state, *four.parse_move(state, "6,0,77"));
    four.play(state, *four.parse_move(state, "5,0"));
    CHECK(four.over(state));
    const auto rewards = four.outcome(state).rewards;
    CHECK(std::abs(rewards[0] - 1.0 / 3) < 1e-12 && rewards[1] == 1.0 && std::abs(rewards[2] + 2.0 / 3) < 1e-12 &&
          rewards[2] == rewards[3]);
}

// Nobody has more than at first and a bonus for each cell that has one; a map without bombs knows no reach of them.
void check_supplies() {
    const ReversiXt game = make_game("2\n1\n0 0\n1 5\n0 2 1 0 0\n");
    const std::string board = "02100 1 phase=1 last=2 ";
    CHECK(game.notation(game.parse_state(board + "overrides=1,0 bombs=0,0 out=-")) ==
          board + "overrides=1,0 bombs=0,0 out=-");
    for (const char* wrong : {"overrides=2,0 bombs=0,0 out=-", "overrides=1,0 bombs=0,1 out=-"})
        CHECK_THROWS(game.parse_state(board + wrong), NotationError);
}

// Whole games, from the list of moves to the rewards, and going back to a position: none of it allocates anything.
void check_allocations() {
    Rng rng(3);
    for (const char* name : {"map11", "map31", "map28"}) {
        const ReversiXt game =
            make_game(read_file(std::filesystem::path(SPIELBAUM_MAPS) / (std::string(name) + ".map")));
        std::vector<Move> moves(static_cast<std::size_t>(game.max_moves()));
        const auto start = game.initial();
        auto state = start, before = start;
        const std::size_t earlier = allocations;
        double sum = 0.0;
        for (int played = 0; played < 3; ++played) {
            for (state = start; !game.over(state); before = state) {
                const int count = game.legal_moves(state, moves.data());
                sum += static_cast<double>(game.key(state) & 1);
                if (played == 2 && rng.below(40) == 0 && !game.eliminated(state, game.to_move(state))) {
                    game.eliminate(state, game.to_move(state));
                    continue;
                }
                game.play(state, moves[static_cast<std::size_t>(rng.below(count))]);
            }
            for (const int stones : game.count_stones(state)) sum += stones;
        }
        CHECK(sum > 0.0 && allocations == earlier);
    }
}

void check_perft(int depth) {
    const ReversiXt game = make_game(read_file(SPIELBAUM_MAPS "/othello8x8.map"));
    ReversiFamily::with(std::array<int, 2>{8, 0}, [&](const auto& reversi) {
        for (int plies = 1; plies <= depth; ++plies)
            CHECK(perft(game, game.initial(), plies, [] {}) == perft(reversi, reversi.initial(), plies, [] {}));
    });
}

void check_all_laws(int positions) {
    for (const auto& file : map_files()) {
        const std::string text = read_file(file);
        const ReversiXt game = make_game(text);
        if (game.map().num_cells() <= 300) testing::check_laws(game, positions, 7);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int index, int otherwise) { return argc > index ? std::atoi(argv[index]) : otherwise; };
    const auto seed = static_cast<u64>(number(3, 1));
    replay_official_games(argc > 1);
    check_rewards();
    check_supplies();
    check_allocations();
    check_perft(6);
    compare_games(number(1, 150), seed);
    damage_maps(number(2, 200), seed + 1);
    if (argc == 1) check_all_laws(1);
    return testing::finish();
}
