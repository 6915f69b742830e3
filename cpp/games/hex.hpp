// Hex (Hein 1942, Nash 1948) on a rhombus of 3 x 3 to 13 x 13 hexagons: whoever joins the two edges of his own by a
// chain of his stones wins. The first player (x) joins top and bottom, the second (o) left and right. Exactly one of
// them succeeds, so there are no draws.
//
// Cells and actions are numbered along the rows from the top, letters for columns and numbers for rows (here size 4). A
// cell touches those beside it, the two above it to the right and the two below it to the left:
//
//        a   b   c   d
//      1   0   1   2   3
//        2   4   5   6   7
//          3   8   9  10  11
//            4  12  13  14  15
//
// A set of cells is three words, with bit i of all 192 for cell i. A state holds for each player the stones, and those
// of them that are joined to his first edge (top or left). A stone joins that set once and stays, so that all the
// floods of a game together look at each stone once; the game is over when the set touches the last edge (bottom or
// right).
//
// Swap (the pie rule): as his first move the second player may take the first stone over. It is mirrored at the
// diagonal from a1, which exchanges the edges of the players, and changes its colour; the first player moves next. That
// is worth the same as changing sides, and every player keeps his edges, his number and his colour throughout the game.
#pragma once

#include <algorithm>
#include <array>

#include "core/game.hpp"
#include "core/option.hpp"
#include "core/zobrist.hpp"
#include "games/board_text.hpp"
#include "games/square_board.hpp"
#include "games/stone_planes.hpp"

namespace spielbaum {

struct HexCells {
    std::array<u64, 3> words{};

    constexpr bool has(int cell) const { return contains(words[static_cast<std::size_t>(cell) / 64], cell % 64); }
    constexpr void add(int cell) { words[static_cast<std::size_t>(cell) / 64] |= bit<u64>(cell % 64); }
    constexpr void remove(int cell) { words[static_cast<std::size_t>(cell) / 64] &= ~bit<u64>(cell % 64); }
    constexpr bool meets(const HexCells& other) const {
        return ((words[0] & other.words[0]) | (words[1] & other.words[1]) | (words[2] & other.words[2])) != 0;
    }
    template <class Visit>
    constexpr void for_each(Visit&& visit) const {
        for (int i = 0; i < 3; ++i)
            for (u64 rest = words[static_cast<std::size_t>(i)]; rest != 0;) visit(64 * i + pop_lowest(rest));
    }
    bool operator==(const HexCells&) const = default;
};

// What depends on the size alone.
struct HexBoard {
    static constexpr int kLeast = 3, kMost = 13, kMostCells = kMost * kMost;

    int size = 0;
    HexCells cells;
    std::array<HexCells, 2> first_edge, last_edge;  // by player
    std::array<HexCells, kMostCells> around;
    std::array<std::uint8_t, kMostCells> centre_first;  // the order of moves, in which searches find good ones early

    explicit HexBoard(int n = kLeast) : size(n), around{}, centre_first{} {
        for (int cell = 0; cell < n * n; ++cell) {
            const int row = cell / n, column = cell % n;
            cells.add(cell);
            if (row == 0) first_edge[0].add(cell);
            if (row == n - 1) last_edge[0].add(cell);
            if (column == 0) first_edge[1].add(cell);
            if (column == n - 1) last_edge[1].add(cell);
            constexpr std::array<std::array<int, 2>, 6> kSteps{{{0, -1}, {0, 1}, {-1, 0}, {-1, 1}, {1, -1}, {1, 0}}};
            for (const auto& [down, right] : kSteps)
                if (row + down >= 0 && row + down < n && column + right >= 0 && column + right < n)
                    around[static_cast<std::size_t>(cell)].add(cell + down * n + right);
            centre_first[static_cast<std::size_t>(cell)] = static_cast<std::uint8_t>(cell);
        }
        // Twice the distance, so that it is a whole number also where the centre lies between cells.
        const auto distance = [n](int cell) {
            const int down = 2 * (cell / n) - (n - 1), right = 2 * (cell % n) - (n - 1);
            return down * down + right * right + down * right;
        };
        std::sort(centre_first.begin(), centre_first.begin() + n * n, [&](std::uint8_t a, std::uint8_t b) {
            return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
        });
    }

    static const HexBoard& of(int size) {
        static const auto boards = [] {
            std::array<HexBoard, kMost - kLeast + 1> made;
            for (int n = kLeast; n <= kMost; ++n) made[static_cast<std::size_t>(n - kLeast)] = HexBoard(n);
            return made;
        }();
        return boards[static_cast<std::size_t>(size - kLeast)];
    }
};

class Hex {
public:
    static constexpr std::uint8_t kNobody = 2;

    struct State {
        std::array<HexCells, 2> stones{};  // by player
        std::array<HexCells, 2> joined{};  // those that are joined to the player's first edge
        u64 key = 0;                       // Zobrist key of the stones alone
        std::uint8_t count = 0;            // stones on the board
        std::uint8_t to_move = 0;
        std::uint8_t winner = kNobody;
        bool operator==(const State&) const = default;
    };

    explicit Hex(int size = 11, bool swap = false) : swap_(swap) {
        if (size < HexBoard::kLeast || size > HexBoard::kMost)
            throw OptionError("hex with size=" + std::to_string(size) + ": it must be from 3 to 13");
        board_ = &HexBoard::of(size);
        encodings_ = {{{"own", {4, size, size}, 3}}};
    }

    // ---- turns ----
    static constexpr int num_players() { return 2; }
    static constexpr State initial() { return {}; }
    static constexpr int to_move(const State& state) { return state.to_move; }
    static constexpr bool over(const State& state) { return state.winner != kNobody; }
    static Outcome outcome(const State& state) { return Outcome::win(state.winner, 2, "edges joined"); }

    // ---- moves: a move is its cell, or the swap, which comes after all cells ----
    int max_moves() const { return num_cells(); }
    int legal_moves(const State& state, Move* out) const {
        if (over(state)) return 0;
        int count = 0;
        const HexCells empty = empty_cells(state);
        for (int i = 0; i < num_cells(); ++i) {
            const std::uint8_t cell = board_->centre_first[static_cast<std::size_t>(i)];
            if (empty.has(cell)) out[count++] = cell;
        }
        if (may_swap(state)) out[count++] = swap_move();
        return count;
    }
    int count_moves(const State& state) const {
        return over(state) ? 0 : num_cells() - state.count + (may_swap(state) ? 1 : 0);
    }
    Move random_move(const State& state, Rng& rng) const {
        int rank = rng.below(count_moves(state));
        const HexCells empty = empty_cells(state);
        for (int i = 0; i < 3; ++i) {
            const u64 word = empty.words[static_cast<std::size_t>(i)];
            const u64 counts = running_counts(word);
            const int here = static_cast<int>(counts >> 56);
            if (rank < here) return static_cast<Move>(64 * i + select(word, counts, rank));
            rank -= here;
        }
        return swap_move();
    }
    void play(State& state, Move move) const {
        if (move == swap_move()) return take_over_first_stone(state);
        put(state, state.to_move, move);
        join(state, state.to_move, move);
        state.to_move ^= 1;
    }

    // ---- key ----
    static constexpr u64 key(const State& state) { return state.key ^ (state.to_move != 0 ? kTurnKey : 0); }

    // ---- actions ----
    int num_actions() const { return num_cells() + (swap_ ? 1 : 0); }
    static constexpr int action(const State&, Move move) { return move; }
    std::optional<Move> move(const State& state, int action) const {
        if (action < 0 || action >= num_actions() || over(state)) return std::nullopt;
        const bool legal = action == swap_move() ? may_swap(state) : empty_cells(state).has(action);
        return legal ? std::optional(static_cast<Move>(action)) : std::nullopt;
    }

    // ---- symmetries: half a turn. (A reflection exchanges the edges of the players.) ----
    static constexpr int num_symmetries() { return 2; }
    int transform_action(int action, int index) const {
        return action == swap_move() ? action : transform_cell(action, index);
    }
    State transform(const State& state, int index) const {
        if (index == 0) return state;
        State image;
        image.to_move = state.to_move;
        for (int player = 0; player < 2; ++player)
            state.stones[static_cast<std::size_t>(player)].for_each(
                [&](int cell) { put(image, player, transform_cell(cell, index)); });
        join_all(image);
        return image;
    }

    // ---- planes and cells: a fourth plane is full of ones when the side to move joins left and right ----
    std::span<const Encoding> encodings() const { return encodings_; }
    void write_planes(const State& state, const Path&, int, float* out) const {
        write_stone_planes(encodings_[0].shape, 2, state.to_move, out,
                           [&](int row, int column) { return cell(state, row * size() + column) - 1; });
        std::fill_n(out + 3 * num_cells(), num_cells(), static_cast<float>(state.to_move));
    }
    int num_cells() const { return size() * size(); }
    static constexpr int cell(const State& state, int cell) {
        return state.stones[0].has(cell) ? 1 : state.stones[1].has(cell) ? 2 : 0;
    }
    MoveCells move_cells(const State&, Move move) const { return {-1, move == swap_move() ? -1 : move}; }

    // ---- cells of tuples: empty, first, second ----
    static constexpr std::array<int, 1> kContents{3};
    static constexpr std::span<const int> contents() { return kContents; }
    static constexpr int content(const State& state, int cell, int) { return Hex::cell(state, cell); }
    static int changed_cells(const State& before, const State& after, int, CellChange* out) {
        HexCells changed;
        for (std::size_t i = 0; i < 3; ++i)
            changed.words[i] = (before.stones[0].words[i] ^ after.stones[0].words[i]) |
                               (before.stones[1].words[i] ^ after.stones[1].words[i]);
        int count = 0;
        changed.for_each([&](int index) {
            out[count++] = {static_cast<std::uint16_t>(index), static_cast<std::uint8_t>(cell(before, index)),
                            static_cast<std::uint8_t>(cell(after, index))};
        });
        return count;
    }
    int transform_cell(int cell, int index) const { return index == 0 ? cell : num_cells() - 1 - cell; }
    int cell_neighbours(int cell, int* out) const {
        int count = 0;
        board_->around[static_cast<std::size_t>(cell)].for_each([&](int other) { out[count++] = other; });
        return count;
    }

    // ---- text ----
    std::string move_text(const State&, Move move) const {
        return move == swap_move() ? "swap" : cell_name(move % size(), move / size());
    }
    std::optional<Move> parse_move(const State& state, std::string_view text) const {
        if (text == "swap") return move(state, swap_move());
        const auto place = parse_cell_name(text, size(), size());
        return place ? move(state, place->row * size() + place->column) : std::nullopt;
    }
    static std::string moves_notation(std::span<const std::string> moves) { return spielbaum::join(moves, " "); }
    static std::optional<std::vector<std::string>> split_moves(std::string_view text) { return split_cell_names(text); }
    std::string notation(const State& state) const {
        return write_board_text(
            size(), [&](int) { return size(); },
            [&](int row, int column) { return cell(state, row * size() + column) - 1; }, state.to_move);
    }
    State parse_state(std::string_view text) const {
        State state;
        const int side = read_board_text(
            text, size(), [&](int) { return size(); }, 2,
            [&](int row, int column, int player) { put(state, player, row * size() + column); });
        state.to_move = static_cast<std::uint8_t>(side);
        int ahead = 0;  // stones that x has more
        state.stones[0].for_each([&](int) { ++ahead; });
        state.stones[1].for_each([&](int) { --ahead; });
        const bool swapped = swap_ && ahead == side - 1 && state.count > 0;
        if (ahead != side && !swapped)
            throw NotationError("position " + quoted(text) + " has numbers of stones that do not fit the side to move");
        join_all(state);
        if (state.winner == side)
            throw NotationError("position " + quoted(text) + " has joined edges for the side to move");
        if (over(state) && !ends_with_last_stone(state))
            throw NotationError("position " + quoted(text) + " has joined edges that no last stone explains");
        return state;
    }

private:
    static constexpr auto kZobrist = zobrist_table<2 * HexBoard::kMostCells>(0x686578);
    static constexpr u64 kTurnKey = zobrist_table<1>(0x7475726E)[0];

    int size() const { return board_->size; }
    Move swap_move() const { return static_cast<Move>(num_cells()); }
    bool may_swap(const State& state) const { return swap_ && state.count == 1 && state.to_move == 1; }
    HexCells empty_cells(const State& state) const {
        HexCells empty = board_->cells;
        for (std::size_t i = 0; i < 3; ++i) empty.words[i] &= ~(state.stones[0].words[i] | state.stones[1].words[i]);
        return empty;
    }

    static void put(State& state, int player, int cell) {
        state.stones[static_cast<std::size_t>(player)].add(cell);
        state.key ^= kZobrist[static_cast<std::size_t>(player * HexBoard::kMostCells + cell)];
        ++state.count;
    }
    void take_over_first_stone(State& state) const {
        int cell = 0;
        state.stones[0].for_each([&](int first) { cell = first; });
        const int mirrored = cell % size() * size() + cell / size();
        state = initial();
        put(state, 1, mirrored);
        join(state, 1, mirrored);
    }

    // A new stone may join itself, and others through it, to the first edge.
    void join(State& state, int player, int cell) const {
        const auto mover = static_cast<std::size_t>(player);
        HexCells& joined = state.joined[mover];
        if (!board_->first_edge[mover].has(cell) && !board_->around[static_cast<std::size_t>(cell)].meets(joined))
            return;
        const HexCells& stones = state.stones[mover];
        std::array<std::uint8_t, HexBoard::kMostCells> waiting;
        int count = 0;
        const auto add = [&](int other) {
            joined.add(other);
            waiting[static_cast<std::size_t>(count++)] = static_cast<std::uint8_t>(other);
        };
        add(cell);
        while (count > 0) {
            HexCells next = board_->around[waiting[static_cast<std::size_t>(--count)]];
            for (std::size_t i = 0; i < 3; ++i) next.words[i] &= stones.words[i] & ~joined.words[i];
            next.for_each(add);
        }
        if (joined.meets(board_->last_edge[mover])) state.winner = static_cast<std::uint8_t>(player);
    }
    void join_all(State& state) const {
        for (int player = 0; player < 2; ++player)
            state.stones[static_cast<std::size_t>(player)].for_each([&](int cell) {
                if (!state.joined[static_cast<std::size_t>(player)].has(cell)) join(state, player, cell);
            });
    }
    // The game ends with the first chain from edge to edge, so there is a stone without which there was none.
    bool ends_with_last_stone(const State& state) const {
        bool found = false;
        state.stones[state.winner].for_each([&](int cell) {
            State before;
            before.stones[state.winner] = state.stones[state.winner];
            before.stones[state.winner].remove(cell);
            join_all(before);
            found = found || !over(before);
        });
        return found;
    }

    const HexBoard* board_;
    bool swap_;
    std::array<Encoding, 1> encodings_{};
};

static_assert(fulfils_contract<Hex>());

struct HexFamily {
    static constexpr std::string_view kName = "hex";
    static constexpr std::string_view kSummary =
        "a chain of stones from edge to edge wins; rhombus of hexagons, no draws";
    static constexpr std::array<OptionDeclaration, 2> kOptions{{
        {"size", 11, HexBoard::kLeast, HexBoard::kMost, false, "rows and columns"},
        {"swap", 0, 0, 1, true, "may the second player take over the first stone, mirrored?"},
    }};
    template <class Use>
    static auto with(OptionValues values, Use&& use) {
        return use(Hex(values[0], values[1] != 0));
    }
};

}  // namespace spielbaum
