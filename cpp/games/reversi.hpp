// Reversi (Othello) on boards of even size 4 to 10, with explicit passes.
//
// Cells and actions run row by row from the top left, as in OBF files: bit = row * size + column. For size 8:
//
//           a  b  c  d  e  f  g  h
//      1 |  0  1  2  3  4  5  6  7
//      2 |  8  9 10 11 12 13 14 15
//        |  ...
//      8 | 56 57 58 59 60 61 62 63        action size * size is the pass, "pa"
//
// A position is the stones of the mover, those of the other player, and who the mover is. The mover's legal cells
// are kept as well: they are needed to know that a game is over, and every user of a state asks for them next.
// Black (X, player 0) moves first and the start has black on the diagonal from the lower left to the upper right.
//
// Rewards are 1 and -1 for whoever has more stones, or the difference in stones as a share of the cells (S3).
#pragma once

#include <array>

#include "core/game.hpp"
#include "core/option.hpp"
#include "games/board_text.hpp"
#include "games/reversi_kernels.hpp"
#include "games/square_board.hpp"
#include "games/stone_planes.hpp"

namespace spielbaum {

template <int Size>
class Reversi {
    static_assert(Size >= 4 && Size <= 10 && Size % 2 == 0);

public:
    using Board = typename ReversiBoard<Size>::Board;
    static constexpr int kCells = Size * Size;
    static constexpr Move kPass = kCells;

    struct State {
        Board mover = 0;
        Board other = 0;
        Board moves = 0;  // legal cells of the mover; empty: a pass, or the end
        std::uint8_t to_move = 0;
        bool over = false;
        bool operator==(const State&) const = default;
    };

    constexpr explicit Reversi(bool reward_stones = false) : reward_stones_(reward_stones) {}

    // ---- turns ----
    static constexpr int num_players() { return 2; }
    static State initial() {
        constexpr int low = (Size / 2 - 1) * Size + Size / 2 - 1;  // d4 on the 8x8 board
        return from_stones(bit<Board>(low + 1) | bit<Board>(low + Size), bit<Board>(low) | bit<Board>(low + Size + 1),
                           0);
    }
    static constexpr int to_move(const State& state) { return state.to_move; }
    static constexpr bool over(const State& state) { return state.over; }
    constexpr Outcome outcome(const State& state) const {
        const int lead = popcount(state.mover) - popcount(state.other);
        if (lead == 0) return Outcome::draw(2, "equal stones");
        Outcome outcome = Outcome::win(lead > 0 ? state.to_move : 1 - state.to_move, 2, "more stones");
        if (reward_stones_)
            for (double& reward : outcome.rewards) reward *= static_cast<double>(lead > 0 ? lead : -lead) / kCells;
        return outcome;
    }

    // ---- moves: a move is its cell, or the pass ----
    // Four cells are never empty.
    static constexpr int max_moves() { return kCells - 4; }
    static constexpr int legal_moves(const State& state, Move* out) {
        int count = 0;
        for (Board moves = state.moves; moves != 0;) out[count++] = static_cast<Move>(pop_lowest(moves));
        if (count == 0 && !state.over) out[count++] = kPass;
        return count;
    }
    static constexpr int count_moves(const State& state) {
        return state.moves != 0 ? popcount(state.moves) : state.over ? 0 : 1;
    }
    static constexpr Move random_move(const State& state, Rng& rng) {
        if (state.moves == 0) return kPass;
        return static_cast<Move>(random_bit(state.moves, rng));
    }
    static void play(State& state, Move move) {
        const Board mover = state.mover;
        if (move == kPass) {
            state.mover = state.other;
            state.other = mover;
        } else {
            const Board turned = Kernel::flips(mover, state.other, move);
            state.mover = state.other ^ turned;
            state.other = mover | turned | bit<Board>(move);
        }
        state.to_move ^= 1;
        find_moves(state);
    }

    // ---- key: mixed anew from the words of the position, which is cheaper than following every turned stone ----
    static constexpr u64 key(const State& state) { return combine(combine(state.to_move, state.mover), state.other); }
    static constexpr bool kPerftCountsFinishedGames = true;

    // ---- actions ----
    static constexpr int num_actions() { return kCells + 1; }
    static constexpr int action(const State&, Move move) { return move; }
    static constexpr std::optional<Move> move(const State& state, int action) {
        if (action < 0 || action > kCells || state.over) return std::nullopt;
        const bool legal = action == kPass ? state.moves == 0 : contains(state.moves, action);
        return legal ? std::optional(static_cast<Move>(action)) : std::nullopt;
    }

    // ---- symmetries ----
    static constexpr int num_symmetries() { return kSquareSymmetries; }
    static constexpr int transform_action(int action, int index) {
        return action == kPass ? action : transform_square_cell(action, Size, index);
    }
    static constexpr State transform(const State& state, int index) {
        State image = state;
        for (const auto member : {&State::mover, &State::other, &State::moves}) {
            image.*member = 0;
            for (Board rest = state.*member; rest != 0;)
                image.*member |= bit<Board>(transform_action(pop_lowest(rest), index));
        }
        return image;
    }

    // ---- planes and cells ----
    static constexpr std::array<Encoding, 1> kEncodings{{{"own", {3, Size, Size}, 3}}};
    static constexpr std::span<const Encoding> encodings() { return kEncodings; }
    static void write_planes(const State& state, const Path&, int, float* out) {
        write_stone_planes(kEncodings[0].shape, 2, state.to_move, out,
                           [&](int row, int column) { return cell(state, row * Size + column) - 1; });
    }
    static constexpr int num_cells() { return kCells; }
    static constexpr int cell(const State& state, int cell) {
        if (contains(state.mover, cell)) return 1 + state.to_move;
        return contains(state.other, cell) ? 2 - state.to_move : 0;
    }
    static constexpr MoveCells move_cells(const State&, Move move) { return {-1, move == kPass ? -1 : move}; }

    // ---- cells of tuples: empty, first, second ----
    static constexpr std::array<int, 1> kContents{3};
    static constexpr std::span<const int> contents() { return kContents; }
    static constexpr int content(const State& state, int cell, int) { return Reversi::cell(state, cell); }
    static constexpr int changed_cells(const State& before, const State& after, int, CellChange* out) {
        int count = 0;
        const Board old_first = first_stones(before), new_first = first_stones(after);
        const Board old_second = before.mover ^ before.other ^ old_first,
                    new_second = after.mover ^ after.other ^ new_first;
        for (Board rest = (old_first ^ new_first) | (old_second ^ new_second); rest != 0;) {
            const int index = pop_lowest(rest);
            const int old_content = contains(old_first, index) ? 1 : contains(old_second, index) ? 2 : 0;
            const int new_content = contains(new_first, index) ? 1 : contains(new_second, index) ? 2 : 0;
            out[count++] = {static_cast<std::uint16_t>(index), static_cast<std::uint8_t>(old_content),
                            static_cast<std::uint8_t>(new_content)};
        }
        return count;
    }
    static constexpr int transform_cell(int cell, int index) { return transform_square_cell(cell, Size, index); }
    static constexpr GridSize grid() { return {Size, Size}; }
    static constexpr int cell_neighbours(int cell, int* out) { return grid_neighbours(cell, Size, Size, out); }

    // ---- text: OBF ----
    static std::string move_text(const State&, Move move) {
        return move == kPass ? "pa" : cell_name(move % Size, move / Size);
    }
    static std::optional<Move> parse_move(const State& state, std::string_view text) {
        std::string lower(text);
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (lower == "pa" || lower == "pass" || lower == "ps") return move(state, kPass);
        const auto place = parse_cell_name(lower, Size, Size);
        return place ? move(state, place->row * Size + place->column) : std::nullopt;
    }
    static std::string notation(const State& state) {
        std::string text;
        for (int i = 0; i < kCells; ++i) text += "-XO"[cell(state, i)];
        return text + ' ' + "XO"[state.to_move];
    }
    // Cells, a space and the side; what an OBF line adds after a semicolon (values of moves) is passed over.
    static State parse_state(std::string_view text) {
        const std::string_view position = trimmed(text.substr(0, text.find(';')));
        const auto fields = split_fields(position, ' ');
        if (fields.size() != 2 || fields[0].size() != kCells || fields[1].size() != 1)
            throw NotationError("position " + quoted(text) + " should be " + std::to_string(kCells) +
                                " cells of '-', 'X' and 'O' from the top left, a space, and the side to move");
        const auto player_of = [](char c) {
            return c == 'X' || c == 'x' || c == '*' ? 0 : c == 'O' || c == 'o' ? 1 : -1;
        };
        std::array<Board, 2> stones{};
        for (int i = 0; i < kCells; ++i) {
            const char c = fields[0][static_cast<std::size_t>(i)];
            const int player = player_of(c);
            if (player >= 0)
                stones[static_cast<std::size_t>(player)] |= bit<Board>(i);
            else if (c != '-' && c != '.')
                throw NotationError("position has " + quoted({&c, 1}) + " at " + cell_name(i % Size, i / Size) +
                                    "; a cell is '-', 'X' or 'O'");
        }
        const int side = player_of(fields[1][0]);
        if (side < 0) throw NotationError("side to move " + quoted(fields[1]) + " should be 'X' or 'O'");
        if (popcount(Board{stones[0] | stones[1]}) < 4)
            throw NotationError("position " + quoted(text) + " has fewer than the four stones of the start");
        return from_stones(stones[0], stones[1], side);
    }

private:
    using Kernel = ReversiKernel<Size>;

    bool reward_stones_;

    static constexpr Board first_stones(const State& state) { return state.to_move == 0 ? state.mover : state.other; }
    static void find_moves(State& state) {
        state.moves = Kernel::legal_cells(state.mover, state.other);
        state.over = state.moves == 0 && Kernel::legal_cells(state.other, state.mover) == 0;
    }

    static State from_stones(Board black, Board white, int side) {
        State state;
        state.mover = side == 0 ? black : white;
        state.other = side == 0 ? white : black;
        state.to_move = static_cast<std::uint8_t>(side);
        find_moves(state);
        return state;
    }
};

static_assert(fulfils_contract<Reversi<8>>());

struct ReversiFamily {
    static constexpr std::string_view kName = "reversi";
    static constexpr std::string_view kSummary = "enclosed stones are turned over, most stones win (Othello)";
    static constexpr std::array<std::string_view, 2> kRewards{"win", "stones"};
    static constexpr std::array<OptionDeclaration, 2> kOptions{{
        {"size", 8, 4, 10, false, "rows and columns: 4, 6, 8 or 10"},
        {"reward", 0, 0, 1, false,
         "what a game is worth: win is 1 or -1, stones the difference in stones as a share of the cells", kRewards},
    }};
    template <class Use>
    static auto with(OptionValues values, Use&& use) {
        const bool stones = values[1] == 1;
        switch (values[0]) {
            case 4:
                return use(Reversi<4>{stones});
            case 6:
                return use(Reversi<6>{stones});
            case 8:
                return use(Reversi<8>{stones});
            case 10:
                return use(Reversi<10>{stones});
            default:
                throw OptionError("reversi with size=" + std::to_string(values[0]) + ": it must be 4, 6, 8 or 10");
        }
    }
};

}  // namespace spielbaum
