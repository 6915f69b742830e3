// Evaluations: equal under the symmetries of a board and under an exchange of colours, and right about plain facts.
#include <fstream>
#include <iterator>

#include "check.hpp"
#include "core/playout.hpp"
#include "eval/chess_eval.hpp"
#include "eval/connect4_eval.hpp"
#include "eval/reversi_eval.hpp"
#include "eval/reversixt_eval.hpp"
#include "eval/yavalath_eval.hpp"
#include "search/alphabeta/alphabeta.hpp"

using namespace spielbaum;

namespace {

template <Game G, class Evaluation>
void check_symmetries(const G& game, const Evaluation& evaluate, int games, u64 seed) {
    Rng rng(seed);
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    for (int i = 0; i < games; ++i) {
        auto state = game.initial();
        while (!game.over(state)) {
            const int value = evaluate(game, state);
            CHECK(value > -30000 && value < 30000);
            for (int index = 0; index < game.num_symmetries(); ++index)
                CHECK(evaluate(game, game.transform(state, index)) == value);
            game.play(state, random_move(game, state, rng, buffer.data()));
        }
    }
}

template <class Evaluation>
int yavalath_value(const char* cells) {
    const Yavalath game;
    auto state = game.initial();
    const auto moves = Yavalath::split_moves(cells);
    for (const std::string& move : *moves) game.play(state, *game.parse_move(state, move));
    return Evaluation{}(game, state);
}

// The board upside down with exchanged colours: the same position for the other side.
std::string exchanged(const std::string& fen) {
    const auto fields = split_fields(fen, ' ');
    const auto ranks = split_fields(fields[0], '/');
    std::string text;
    for (auto rank = ranks.rbegin(); rank != ranks.rend(); ++rank) {
        if (!text.empty()) text += '/';
        for (const char c : *rank)
            text += static_cast<char>(std::isupper(static_cast<unsigned char>(c)) ? std::tolower(c) : std::toupper(c));
    }
    return text + (fields[1] == "w" ? " b - - 0 1" : " w - - 0 1");
}

void check_chess() {
    const Chess game;
    const ChessEvaluation evaluate;
    const auto value = [&](const std::string& fen) { return evaluate(game, Chess::parse_state(fen)); };
    CHECK(value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1") == 10);  // the right to move
    CHECK(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1") > 800);
    CHECK(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b - - 0 1") < -800);
    Rng rng(4);
    for (int i = 0; i < 20; ++i) {
        auto state = Chess::initial();
        while (!Chess::over(state) && state.fullmove < 60) {
            const std::string fen = Chess::notation(state);
            const auto board = split_fields(fen, ' ');
            const std::string plain = std::string(board[0]) + ' ' + std::string(board[1]) + " - - 0 1";
            CHECK(value(plain) == value(exchanged(plain)));
            Chess::play(state, Chess::random_move(state, rng));
        }
    }
}

// What the evaluation claims to see without a search, a search confirms.
void check_yavalath_threats() {
    const Yavalath game;
    Rng rng(8);
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    AlphaBeta<Yavalath, NoEvaluation> search(game, {}, {});
    int wins = 0, losses = 0;
    for (int i = 0; i < 200; ++i) {
        auto state = game.initial();
        for (; !game.over(state); game.play(state, random_move(game, state, rng, buffer.data()))) {
            const int claimed = YavalathThreats{}(game, state);
            if (std::abs(claimed) < 10000) continue;
            Limits limits;
            limits.depth = 3;
            SearchControl control(limits, nullptr, {});
            const int found = search.search(state, {}, false, control).value;
            CHECK(std::abs(found) >= kWinBound && (found > 0) == (claimed > 0));
            ++(claimed > 0 ? wins : losses);
        }
    }
    CHECK(wins > 50 && losses > 50);
}

// Values of all players are those of a race: they sum to 0 and keep within the bounds of rewards, in both phases, and
// also when somebody is out.
template <Game G, class Evaluation>
void check_values(const G& game, const Evaluation& evaluation, int games, u64 seed) {
    Rng rng(seed);
    std::vector<Move> buffer(static_cast<std::size_t>(game.max_moves()));
    for (int i = 0; i < games; ++i) {
        auto state = game.initial();
        for (int ply = 0; !game.over(state); ++ply) {
            const Values values = values_of(evaluation, game, state);
            double sum = 0.0;
            for (int player = 0; player < game.num_players(); ++player) {
                const double value = values[static_cast<std::size_t>(player)];
                CHECK(value >= -1.0 && value <= 1.0);
                sum += value;
                if constexpr (Eliminates<G>)
                    if (game.eliminated(state, player)) CHECK(value < 0.0);
            }
            CHECK(std::abs(sum) < 1e-9);
            if constexpr (Eliminates<G>)
                if (ply == 20 && game.num_players() > 2) game.eliminate(state, rng.below(game.num_players()));
            if (!game.over(state)) game.play(state, random_move(game, state, rng, buffer.data()));
        }
    }
}

void check_reversixt() {
    for (const char* name : {"map20", "map31", "map3", "map12", "map48"}) {
        std::ifstream file(std::string(SPIELBAUM_MAPS "/") + name + ".map");
        const std::string text(std::istreambuf_iterator<char>(file), {});
        const ReversiXt game(std::make_shared<const reversixt::Map>(reversixt::MapReader(name, text).read(), name));
        check_values(game, ReversiXtEvaluation{}, 2, 11);
    }
}

}  // namespace

int main() {
    check_symmetries(ClassicConnect4{}, Connect4Evaluation{}, 20, 1);
    check_symmetries(Connect4<u128, AnySize>(AnySize(7, 9, 5)), Connect4Evaluation{}, 5, 2);
    check_symmetries(Reversi<8>{}, ReversiEvaluation{}, 5, 3);
    check_symmetries(Reversi<6>{}, ReversiEvaluation{}, 5, 4);
    check_symmetries(Reversi<10>{}, ReversiEvaluation{}, 2, 5);
    check_symmetries(Reversi<8>{}, ReversiWeights{}, 5, 8);
    check_symmetries(Reversi<6>{}, ReversiWeights{}, 5, 9);
    // Black has d3, d4, d5 and e4, white e5: 2 + 1 + 1 + 1 - 1, and white is to move.
    const Reversi<8> reversi;
    auto opened = reversi.initial();
    reversi.play(opened, *reversi.parse_move(opened, "d3"));
    CHECK(ReversiWeights{}(reversi, opened) == -4);
    check_symmetries(Yavalath{}, YavalathPatterns{}, 20, 6);
    // The side to move is the first player again; the second player's stones lie apart on the edge.
    CHECK(yavalath_value<YavalathPatterns>("e4 a1 e7 i5") == 20);                // X__X
    CHECK(yavalath_value<YavalathPatterns>("e4 a1 e5 i5") == 5);                 // XX
    CHECK(yavalath_value<YavalathPatterns>("e4 a1 e6 i5") == 5);                 // X_X
    CHECK(yavalath_value<YavalathPatterns>("e4 a1 e5 i5 e7 a5") == 41 + 5 + 5);  // XX_X, which holds an XX and an X_X
    check_symmetries(Yavalath{}, YavalathThreats{}, 20, 7);
    check_yavalath_threats();
    check_values(Yavalath(3), YavalathThreats{}, 20, 9);
    check_values(Yavalath(3), YavalathPatterns{}, 20, 10);
    check_reversixt();
    check_chess();
    return testing::finish();
}
