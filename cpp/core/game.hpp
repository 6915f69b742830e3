// THE concept: what a type must offer to be a game here. Everything in search/, learn/ and bindings/ is written
// against this page and nothing else.
//
// A game is a *rules object* G (cheap to copy, immutable, holds parameters such as the board's size) and a value type
// G::State that holds all that the rules depend on. A player is 0, 1, ... num_players() - 1. No search may assume
// that players alternate: whose turn it is comes from to_move().
//
// Laws (checked for every game by cpp/tests/laws.hpp and, through Python, by spielbaum.testing.check_game):
//   - legal_moves() writes at most max_moves() moves, all different, and none exactly when over();
//   - move(s, action(s, m)) == m for every legal m, and move() answers nothing for any other action;
//   - key() depends on the position only (not on clocks, repeats or the path to it), and an incremental key equals
//     the key of the same position set up from its text;
//   - transform(., 0) is the identity, and transforming a state and an action commutes with play();
//   - parsing what notation() or move_text() printed gives back the same state or move;
//   - rewards of an outcome lie in [-1, 1] and sum to 0.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/move.hpp"
#include "core/outcome.hpp"
#include "core/path.hpp"
#include "core/rng.hpp"

namespace spielbaum {

struct Shape {
    int planes, rows, columns;
};

// Cells that a move touches on the drawn board: none (a pass), its target, or origin and target.
struct MoveCells {
    int origin = -1;
    int target = -1;
};

// A named way to write a state as feature planes. The first of a game's encodings is its default, "own": pieces of
// the side to move first, then the opponents' in turn order, then the empty cells. These first `partition` planes
// hold exactly one 1 on every cell of the board and none beside it.
struct Encoding {
    std::string_view name;
    Shape shape;
    int partition = 0;
};

namespace contract {

template <class G>
concept Values = std::copyable<G> && std::copyable<typename G::State> && std::equality_comparable<typename G::State>;

template <class G>
concept Turns = requires(const G game, const typename G::State state) {
    { game.num_players() } -> std::convertible_to<int>;
    { game.initial() } -> std::same_as<typename G::State>;
    { game.to_move(state) } -> std::convertible_to<int>;
    { game.over(state) } -> std::convertible_to<bool>;
    { game.outcome(state) } -> std::same_as<Outcome>;
};

template <class G>
concept Moves = requires(const G game, const typename G::State state, typename G::State next, Move move, Move* out) {
    { game.max_moves() } -> std::convertible_to<int>;
    { game.legal_moves(state, out) } -> std::same_as<int>;
    { game.play(next, move) } -> std::same_as<void>;
};

template <class G>
concept Keys = requires(const G game, const typename G::State state) {
    { game.key(state) } -> std::same_as<u64>;
};

template <class G>
concept Actions = requires(const G game, const typename G::State state, Move move, int action) {
    { game.num_actions() } -> std::convertible_to<int>;
    { game.action(state, move) } -> std::convertible_to<int>;
    { game.move(state, action) } -> std::same_as<std::optional<Move>>;
};

template <class G>
concept Symmetries = requires(const G game, const typename G::State state, int action, int index) {
    { game.num_symmetries() } -> std::convertible_to<int>;
    { game.transform(state, index) } -> std::same_as<typename G::State>;
    { game.transform_action(action, index) } -> std::convertible_to<int>;
};

template <class G>
concept Planes = requires(const G game, const typename G::State state, const Path& path, int index, float* out) {
    { game.encodings() } -> std::convertible_to<std::span<const Encoding>>;
    { game.write_planes(state, path, index, out) } -> std::same_as<void>;
};

template <class G>
concept Cells = requires(const G game, const typename G::State state, Move move, int cell) {
    { game.num_cells() } -> std::convertible_to<int>;
    { game.cell(state, cell) } -> std::convertible_to<int>;
    { game.move_cells(state, move) } -> std::same_as<MoveCells>;
};

template <class G>
concept Texts = requires(const G game, const typename G::State state, Move move, std::string_view text) {
    { game.move_text(state, move) } -> std::same_as<std::string>;
    { game.parse_move(state, text) } -> std::same_as<std::optional<Move>>;
    { game.notation(state) } -> std::same_as<std::string>;
    { game.parse_state(text) } -> std::same_as<typename G::State>;
};

}  // namespace contract

template <class G>
concept Game =
    contract::Values<G> && contract::Turns<G> && contract::Moves<G> && contract::Keys<G> && contract::Actions<G> &&
    contract::Symmetries<G> && contract::Planes<G> && contract::Cells<G> && contract::Texts<G>;

// `static_assert(fulfils_contract<MyGame>())` next to a game says in words which part of the concept it misses.
template <class G>
consteval bool fulfils_contract() {
    static_assert(contract::Values<G>, "a game and its State must be copyable, and a State comparable with ==");
    static_assert(contract::Turns<G>,
                  "a game needs num_players(), initial(), to_move(state), over(state) and outcome(state) -> Outcome");
    static_assert(contract::Moves<G>,
                  "a game needs max_moves(), legal_moves(state, Move* out) -> int, and play(State&, Move) -> void");
    static_assert(contract::Keys<G>, "a game needs key(state) -> u64");
    static_assert(contract::Actions<G>,
                  "a game needs num_actions(), action(state, move), and move(state, action) -> optional<Move>");
    static_assert(contract::Symmetries<G>,
                  "a game needs num_symmetries(), transform(state, i) -> State, and transform_action(action, i)");
    static_assert(contract::Planes<G>,
                  "a game needs encodings() -> span of Encoding, and write_planes(state, path, index, float* out)");
    static_assert(contract::Cells<G>,
                  "a game needs num_cells(), cell(state, i), and move_cells(state, move) -> MoveCells");
    static_assert(contract::Texts<G>,
                  "a game needs move_text(state, move), parse_move(state, text) -> optional<Move>, notation(state), "
                  "and parse_state(text) -> State");
    return Game<G>;
}

// ---- Capabilities: optional refinements that a game may offer and a search may ask for with `if constexpr`. ----

// A faster way to draw a uniformly random legal move than listing them all; for playouts.
template <class G>
concept DrawsRandomMove = requires(const G game, const typename G::State state, Rng& rng) {
    { game.random_move(state, rng) } -> std::same_as<Move>;
};

// Counts legal moves faster than listing them; for the last ply of perft.
template <class G>
concept CountsMoves = requires(const G game, const typename G::State state) {
    { game.count_moves(state) } -> std::same_as<int>;
};

// Positions may come again, and the rules count how often. `reversible_plies` says how many positions back an equal
// one could lie, `repeat_cycle` that it lies a multiple of so many plies back (the side to move must be the same);
// `set_repeats` stores the number of earlier occurrences (0, 1 or 2) in the state, `repeats` tells it, and a game ends
// when `reversible_plies` reaches `clock_limit`.
template <class G>
concept Repeats = requires(const G game, const typename G::State state, typename G::State next, int count) {
    { game.reversible_plies(state) } -> std::convertible_to<int>;
    { game.repeat_cycle() } -> std::convertible_to<int>;
    { game.clock_limit() } -> std::convertible_to<int>;
    { game.repeats(state) } -> std::convertible_to<int>;
    { game.set_repeats(next, count) } -> std::same_as<void>;
};

// The rules cannot vouch that no position comes again: they do not count repetitions, or it is left to somebody else's
// code which moves can never be taken back.
template <class G>
concept MayCycle = !Repeats<G> || requires { requires G::kMayCycle; };

// What the path keeps of a position. A game that counts repetitions only sometimes has a `path_key` that costs nothing
// when it does not.
template <Repeats G>
u64 path_key(const G& game, const typename G::State& state) {
    if constexpr (requires { game.path_key(state); })
        return game.path_key(state);
    else
        return game.key(state);
}

// A position is usually written as the moves that led to it (Connect Four: "4453"). `moves_notation` joins the texts
// of moves played from initial(); `split_moves` cuts a text into moves, or answers nothing if it is no move text.
template <class G>
concept WrittenAsMoves = requires(const G game, std::string_view text, std::span<const std::string> moves) {
    { game.moves_notation(moves) } -> std::same_as<std::string>;
    { game.split_moves(text) } -> std::same_as<std::optional<std::vector<std::string>>>;
};

// What people read of a move, where its text is made for programs (chess: "Nf3" for g1f3). No two legal moves of a
// position share a label, and `parse_move` reads labels as well.
template <class G>
concept HasLabels = requires(const G game, const typename G::State state, Move move) {
    { game.move_label(state, move) } -> std::same_as<std::string>;
};
template <Game G>
std::string label_of(const G& game, const typename G::State& state, Move move) {
    if constexpr (HasLabels<G>)
        return game.move_label(state, move);
    else
        return game.move_text(state, move);
}

// The name of a move: what makes it the same move in another position, for statistics that several positions share
// (AMAF, last good reply). The player is not part of it. `find_name` answers the legal move of that name, if there is
// one. Games whose actions say it all (a cell, a square to a square) need no names of their own.
template <class G>
concept HasNames = requires(const G game, const typename G::State state, Move move, int name) {
    { game.num_names() } -> std::convertible_to<int>;
    { game.name(state, move) } -> std::convertible_to<int>;
    { game.find_name(state, name) } -> std::same_as<std::optional<Move>>;
};
template <Game G>
int num_names(const G& game) {
    if constexpr (HasNames<G>)
        return game.num_names();
    else
        return game.num_actions();
}
template <Game G>
int name_of(const G& game, const typename G::State& state, Move move) {
    if constexpr (HasNames<G>)
        return game.name(state, move);
    else
        return game.action(state, move);
}
template <Game G>
std::optional<Move> find_name(const G& game, const typename G::State& state, int name) {
    if constexpr (HasNames<G>)
        return game.find_name(state, name);
    else
        return game.move(state, name);
}

// Every move puts a stone of its player on an empty cell, where it stays, and the names of moves are the numbers of
// these cells, below 64: `placed` is the set of a player's stones. What was played between two positions is then their
// difference.
template <class G>
concept PlacesStones = requires(const G game, const typename G::State state, int player) {
    { game.placed(state, player) } -> std::same_as<u64>;
};

// Some moves change so much that a position should not be judged before they are played out (captures): `noise` is 0
// for a quiet move, else the more the greater the change; `must_answer` says that standing still is no option (a
// check).
template <class G>
concept HasNoisyMoves = requires(const G game, const typename G::State state, Move move) {
    { game.noise(state, move) } -> std::convertible_to<int>;
    { game.must_answer(state) } -> std::convertible_to<bool>;
};

// What is plain about the moves of a position without looking further, as sets with a bit for each Move (so moves must
// be below 64). A move may both block and lose.
struct Tactics {
    u64 wins = 0;    // wins at once
    u64 blocks = 0;  // takes from the next player a move with which he would win at once
    u64 loses = 0;   // loses at once (or is put out), or opens to the next player a move that wins at once
};
template <class G>
concept HasTactics = requires(const G game, const typename G::State state) {
    { game.tactics(state) } -> std::same_as<Tactics>;
};

// How promising moves are at first sight, the higher the better and 0 for an ordinary one: for searches in which many
// moves are legal. `ranks` has room for all of them.
template <class G>
concept OrdersMoves = requires(const G game, const typename G::State state, const Move* moves, int count, int* ranks) {
    { game.order_moves(state, moves, count, ranks) } -> std::same_as<void>;
};

// The turn can be handed to any player who could move, as if those before him had passed; for searches in which not
// everybody moves. If the player could not, `hand_turn` is false and the state stays as it is.
template <class G>
concept HandsTurn = requires(const G game, typename G::State state, int player) {
    { game.hand_turn(state, player) } -> std::same_as<bool>;
};

// The least reward that a player can get; for games in which it is more than -1.
template <class G>
concept HasLeastReward = requires(const G game) {
    { game.least_reward() } -> std::same_as<double>;
};
template <class G>
double least_reward(const G& game) {
    if constexpr (HasLeastReward<G>)
        return game.least_reward();
    else
        return -1.0;
}

// What a table over a few cells looks at (n-tuple networks). A cell has one of so many contents, numbered from 0;
// `contents` lists the numbers of contents that a game can tell apart, the usual one first (Connect Four: 4, where an
// empty cell that a stone can reach is another content than one that it cannot, or 3). `changed_cells` writes the cells
// that differ between any two states. Symmetries move cells as they move the state; `cell_neighbours` are for random
// walks, at most kMaxNeighbours. Without any contents, a game has no such cells after all.
struct CellChange {
    std::uint16_t cell;
    std::uint8_t before, after;
};
inline constexpr int kMaxNeighbours = 8;
template <class G>
concept HasTupleCells = requires(const G game, const typename G::State state, int cell, int index, int contents,
                                 CellChange* out, int* neighbours) {
    { game.contents() } -> std::convertible_to<std::span<const int>>;
    { game.content(state, cell, contents) } -> std::convertible_to<int>;
    { game.changed_cells(state, state, contents, out) } -> std::same_as<int>;
    { game.transform_cell(cell, index) } -> std::convertible_to<int>;
    { game.cell_neighbours(cell, neighbours) } -> std::same_as<int>;
};

// Tuples that slide along the border need a board of squares whose cells are numbered row by row.
template <class G>
concept HasSquareCells = HasTupleCells<G> && requires(const G game) {
    { game.grid().rows } -> std::convertible_to<int>;
    { game.grid().columns } -> std::convertible_to<int>;
};

// Stones fall to the lowest empty cell of a column, so that most contents of a few cells cannot occur.
template <class G>
concept FillsColumns = HasSquareCells<G> && requires { requires G::kFillsColumns; };

// Actions lie on the board as planes do: action = (row * columns + column) * k + i.
template <class G>
concept HasPlaneActions = requires { requires G::kPlaneActions; };

// A player can be put out of a game that goes on for the others (disqualified: for an illegal move, too much time, a
// lost connection). `eliminate` is for a game that is not over and a player who is not out; it may end the game.
template <class G>
concept Eliminates = requires(const G game, const typename G::State state, typename G::State next, int player) {
    { game.eliminated(state, player) } -> std::convertible_to<bool>;
    { game.eliminate(next, player) } -> std::same_as<void>;
};

// What a position has besides its cells (supplies, the phase of the game): numbers under names, for people and programs
// outside.
using Details = std::vector<std::pair<std::string_view, std::vector<int>>>;
template <class G>
concept HasDetails = requires(const G game, const typename G::State state) {
    { game.details(state) } -> std::same_as<Details>;
};

// Rules that take many microseconds for a move, as an interpreter's do: what is done between two looks at the clock
// must be less.
template <class G>
concept HasSlowRules = requires { requires G::kSlowRules; };

// Published counts of perft look at moves alone and go on after a draw by rule (chess: by material or the clock).
template <class G>
concept PlaysOnAfterDraws = requires(const G game, const typename G::State state, Move* out) {
    { game.moves_despite_draws(state, out) } -> std::same_as<int>;
    { game.count_despite_draws(state) } -> std::same_as<int>;
};

// By convention of the published counts, a finished game counts as one leaf of perft at any depth below it.
template <class G>
concept CountsFinishedGames = requires { requires G::kPerftCountsFinishedGames; };

// Plays a move and keeps the path: the one place where `repeats` is set. One push for each call, so that a search that
// goes back to an earlier state pops once for each move it takes back.
template <Game G>
void advance(const G& game, typename G::State& state, Move move, Path& path) {
    if constexpr (Repeats<G>) {
        path.push(path_key(game, state));
        game.play(state, move);
        game.set_repeats(state, path.count(path_key(game, state), game.reversible_plies(state), game.repeat_cycle()));
    } else {
        game.play(state, move);
    }
}

}  // namespace spielbaum
