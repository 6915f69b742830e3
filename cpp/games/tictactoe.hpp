// Tic-tac-toe. The smallest game here, and the one to read first: it shows the whole contract on one page.
//
// Cells and actions, letters for columns and numbers for rows from the bottom:
//
//      3 | 6 7 8
//      2 | 3 4 5
//      1 | 0 1 2
//          a b c
//
// A set of cells is a 9-bit number with bit i for cell i; a position is one such set for each player.
#pragma once

#include <array>

#include "core/game.hpp"
#include "core/option.hpp"
#include "games/board_text.hpp"
#include "games/square_board.hpp"
#include "games/stone_planes.hpp"

namespace spielbaum {

class TicTacToe {
public:
    struct State {
        std::array<std::uint16_t, 2> stones{};
        std::uint8_t count = 0;  // stones on the board; its parity is the side to move
        bool won = false;        // by the player who moved last
        bool operator==(const State&) const = default;
    };

    // ---- turns ----
    static constexpr int num_players() { return 2; }
    static constexpr State initial() { return {}; }
    static constexpr int to_move(const State& state) { return state.count & 1; }
    static constexpr bool over(const State& state) { return state.won || state.count == 9; }
    static constexpr Outcome outcome(const State& state) {
        return state.won ? Outcome::win(1 - to_move(state), 2, "three in a row") : Outcome::draw(2, "board full");
    }

    // ---- moves: a move is its cell ----
    static constexpr int max_moves() { return 9; }
    static constexpr int legal_moves(const State& state, Move* out) {
        int count = 0;
        for (u64 empty = state.won ? 0 : empty_cells(state); empty != 0;)
            out[count++] = static_cast<Move>(pop_lowest(empty));
        return count;
    }
    static constexpr Move random_move(const State& state, Rng& rng) {
        return static_cast<Move>(random_bit(empty_cells(state), rng));
    }
    static constexpr void play(State& state, Move move) {
        std::uint16_t& own = state.stones[static_cast<std::size_t>(to_move(state))];
        own = static_cast<std::uint16_t>(own | (1u << move));
        state.won = kHasLine[own];
        ++state.count;
    }

    // ---- key: the whole position fits one word, so that no two positions share a key ----
    static constexpr u64 key(const State& state) {
        return mix(0x7474740000000000ULL | static_cast<u64>(state.stones[0]) << 9 | state.stones[1]);
    }

    // ---- tactics ----
    static constexpr Tactics tactics(const State& state) {
        const auto own = state.stones[static_cast<std::size_t>(to_move(state))];
        const auto other = state.stones[static_cast<std::size_t>(1 - to_move(state))];
        Tactics found;
        for (u64 cells = over(state) ? 0 : empty_cells(state); cells != 0;) {
            const u64 cell = bit<u64>(pop_lowest(cells));
            if (kHasLine[own | cell]) found.wins |= cell;
            if (kHasLine[other | cell]) found.blocks |= cell;
        }
        return found;
    }

    static constexpr u64 placed(const State& state, int player) {
        return state.stones[static_cast<std::size_t>(player)];
    }

    // ---- actions ----
    static constexpr int num_actions() { return 9; }
    static constexpr int action(const State&, Move move) { return move; }
    static constexpr std::optional<Move> move(const State& state, int action) {
        if (action < 0 || action > 8 || over(state) || !contains(empty_cells(state), action)) return std::nullopt;
        return static_cast<Move>(action);
    }

    // ---- symmetries ----
    static constexpr int num_symmetries() { return kSquareSymmetries; }
    static constexpr int transform_action(int action, int index) { return transform_square_cell(action, 3, index); }
    static constexpr State transform(const State& state, int index) {
        State image = state;
        for (std::size_t player = 0; player < 2; ++player) {
            image.stones[player] = 0;
            for (int cell = 0; cell < 9; ++cell)
                if (contains(u64{state.stones[player]}, cell))
                    image.stones[player] =
                        static_cast<std::uint16_t>(image.stones[player] | 1u << transform_action(cell, index));
        }
        return image;
    }

    // ---- planes and cells ----
    static constexpr std::array<Encoding, 1> kEncodings{{{"own", {3, 3, 3}, 3}}};
    static constexpr std::span<const Encoding> encodings() { return kEncodings; }
    static void write_planes(const State& state, const Path&, int, float* out) {
        write_stone_planes(kEncodings[0].shape, 2, to_move(state), out,
                           [&](int row, int column) { return cell(state, (2 - row) * 3 + column) - 1; });
    }
    static constexpr int num_cells() { return 9; }
    static constexpr int cell(const State& state, int cell) {
        return contains(u64{state.stones[0]}, cell) ? 1 : contains(u64{state.stones[1]}, cell) ? 2 : 0;
    }
    static constexpr MoveCells move_cells(const State&, Move move) { return {-1, move}; }

    // ---- cells of tuples: empty, first, second ----
    static constexpr std::array<int, 1> kContents{3};
    static constexpr std::span<const int> contents() { return kContents; }
    static constexpr int content(const State& state, int cell, int) { return TicTacToe::cell(state, cell); }
    static constexpr int changed_cells(const State& before, const State& after, int, CellChange* out) {
        int count = 0;
        for (u64 rest = static_cast<u64>((before.stones[0] ^ after.stones[0]) | (before.stones[1] ^ after.stones[1]));
             rest != 0;) {
            const int index = pop_lowest(rest);
            out[count++] = {static_cast<std::uint16_t>(index), static_cast<std::uint8_t>(cell(before, index)),
                            static_cast<std::uint8_t>(cell(after, index))};
        }
        return count;
    }
    static constexpr int transform_cell(int cell, int index) { return transform_square_cell(cell, 3, index); }
    static constexpr GridSize grid() { return {3, 3}; }
    static constexpr int cell_neighbours(int cell, int* out) { return grid_neighbours(cell, 3, 3, out); }

    // ---- text ----
    static std::string move_text(const State&, Move move) { return cell_name(move % 3, move / 3); }
    static std::optional<Move> parse_move(const State& state, std::string_view text) {
        const auto place = parse_cell_name(text, 3, 3);
        return place ? move(state, place->row * 3 + place->column) : std::nullopt;
    }
    static std::string moves_notation(std::span<const std::string> moves) { return join(moves, " "); }
    static std::optional<std::vector<std::string>> split_moves(std::string_view text) { return split_cell_names(text); }
    static std::string notation(const State& state) {
        return write_board_text(
            3, [](int) { return 3; }, [&](int row, int column) { return cell(state, (2 - row) * 3 + column) - 1; },
            to_move(state));
    }
    static State parse_state(std::string_view text) {
        State state;
        const int side = read_board_text(
            text, 3, [](int) { return 3; }, 2,
            [&](int row, int column, int player) {
                auto& own = state.stones[static_cast<std::size_t>(player)];
                own = static_cast<std::uint16_t>(own | 1u << ((2 - row) * 3 + column));
            });
        const int crosses = popcount(u64{state.stones[0]}), noughts = popcount(u64{state.stones[1]});
        if (crosses - noughts != side)
            throw NotationError("position " + quoted(text) + " has " + std::to_string(crosses) + " x and " +
                                std::to_string(noughts) + " o, which does not fit the side to move");
        state.count = static_cast<std::uint8_t>(crosses + noughts);
        if (kHasLine[state.stones[static_cast<std::size_t>(side)]])
            throw NotationError("position " + quoted(text) + " has three in a row for the side to move");
        state.won = kHasLine[state.stones[static_cast<std::size_t>(1 - side)]];
        return state;
    }

private:
    static constexpr u64 empty_cells(const State& state) {
        return ~static_cast<u64>(state.stones[0] | state.stones[1]) & 0x1FF;
    }

    // For each of the 512 sets of cells: does it contain one of the eight lines?
    static constexpr std::array<bool, 512> kHasLine = [] {
        std::array<bool, 512> table{};
        for (unsigned set = 0; set < 512; ++set)
            for (const unsigned line : {0007u, 0070u, 0700u, 0111u, 0222u, 0444u, 0421u, 0124u})
                if ((set & line) == line) table[set] = true;
        return table;
    }();
};

static_assert(fulfils_contract<TicTacToe>());

struct TicTacToeFamily {
    static constexpr std::string_view kName = "tictactoe";
    static constexpr std::string_view kSummary = "three in a row on 3 x 3 cells";
    static constexpr std::array<OptionDeclaration, 0> kOptions{};
    template <class Use>
    static auto with(OptionValues, Use&& use) {
        return use(TicTacToe{});
    }
};

}  // namespace spielbaum
