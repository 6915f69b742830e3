// Yavalath (Browne's LUDI, 2007) for two or three players on the hexagon of side five: four in a line wins, three in
// a line (without a four) loses.
//
// The board and its bits are drawn in yavalath_board.hpp.
//
// Three players: a three eliminates its maker, whose stones stay and whose turns are skipped; whoever moves must
// occupy a cell that would win for the next player, if there is one; a four wins, and so does the last survivor.
// Swap (two players): as his first move the second player may take over the first stone.
#pragma once

#include <array>

#include "core/game.hpp"
#include "core/option.hpp"
#include "games/board_text.hpp"
#include "games/stone_planes.hpp"
#include "games/yavalath_board.hpp"

namespace spielbaum {

class Yavalath {
public:
    static constexpr int kCells = hex::kCells;
    static constexpr Move kSwap = kCells;

    enum class Result : std::uint8_t { ongoing, four, three, full };

    struct State {
        std::array<u128, 3> stones{};  // by player
        u64 key = 0;                   // Zobrist key of the stones alone
        std::uint8_t to_move = 0;
        std::uint8_t eliminated = 0;  // bit per player
        std::uint8_t winner = 0;      // once the game is over and not drawn
        Result result = Result::ongoing;
        bool operator==(const State&) const = default;
    };

    explicit Yavalath(int players = 2, bool swap = false) : players_(players), swap_(swap) {
        if (players != 2 && players != 3)
            throw OptionError("yavalath with players=" + std::to_string(players) + ": it must be 2 or 3");
        if (swap && players == 3)
            throw OptionError("yavalath with players=3 and swap=on: the swap rule is for two players");
        encodings_ = {{{"own", {players + 1, 9, 9}, players + 1}}};
    }

    // ---- turns ----
    int num_players() const { return players_; }
    static constexpr State initial() { return {}; }
    static constexpr int to_move(const State& state) { return state.to_move; }
    static constexpr bool over(const State& state) { return state.result != Result::ongoing; }
    Outcome outcome(const State& state) const {
        switch (state.result) {
            case Result::four:
                return Outcome::win(state.winner, players_, "four in a row");
            case Result::three:
                return Outcome::win(state.winner, players_, players_ == 2 ? "three in a row" : "last survivor");
            default:
                return Outcome::draw(players_, "board full");
        }
    }

    // ---- moves: a move is its cell, or the swap ----
    int max_moves() const { return kCells; }
    int legal_moves(const State& state, Move* out) const {
        if (over(state)) return 0;
        int count = 0;
        const u128 cells = playable(state);
        for (const std::uint8_t cell : hex::kCentreFirst)
            if (contains(cells, hex::kBitOfCell[cell])) out[count++] = cell;
        if (may_swap(state)) out[count++] = kSwap;
        return count;
    }
    int count_moves(const State& state) const {
        return over(state) ? 0 : popcount(playable(state)) + (may_swap(state) ? 1 : 0);
    }
    // Half of the cells are empty when the average game ends, so drawing cells until one is playable is fast.
    Move random_move(const State& state, Rng& rng) const {
        const u128 cells = playable(state);
        if (players_ == 3 && popcount(cells) < 8)
            return hex::kCellOfBit[static_cast<std::size_t>(random_bit(cells, rng))];
        const int choices = may_swap(state) ? kCells + 1 : kCells;
        while (true) {
            const auto move = static_cast<Move>(rng.below(choices));
            if (move == kSwap || contains(cells, hex::kBitOfCell[move])) return move;
        }
    }
    void play(State& state, Move move) const {
        if (move == kSwap) return take_over_first_stone(state);
        const auto mover = static_cast<std::size_t>(state.to_move);
        state.stones[mover] |= bit<u128>(hex::kBitOfCell[move]);
        state.key ^= kZobrist[mover * kCells + move];
        const Lines lines = lines_of(state.stones[mover]);
        if (lines.four) {
            finish(state, Result::four, state.to_move);
        } else if (lines.three) {
            state.eliminated |= static_cast<std::uint8_t>(1u << mover);
            if (survivors(state) == 1) finish(state, Result::three, next_player(state));
        }
        if (!over(state) && occupied(state) == hex::kBoard) state.result = Result::full;
        state.to_move = next_player(state);
    }

    static constexpr bool hand_turn(State& state, int player) {
        if ((state.eliminated >> player & 1) != 0) return false;
        state.to_move = static_cast<std::uint8_t>(player);
        return true;
    }
    double least_reward() const { return -1.0 / (players_ - 1); }
    Details details(const State& state) const {
        if (players_ == 2) return {};
        std::vector<int> eliminated;
        for (int player = 0; player < players_; ++player)
            if ((state.eliminated >> player & 1) != 0) eliminated.push_back(player);
        return {{"eliminated", eliminated}};
    }

    // ---- key ----
    static constexpr u64 key(const State& state) { return state.key ^ kTurnKeys[state.to_move]; }

    // ---- actions ----
    int num_actions() const { return swap_ ? kCells + 1 : kCells; }
    static constexpr int action(const State&, Move move) { return move; }
    std::optional<Move> move(const State& state, int action) const {
        if (action < 0 || action >= num_actions() || over(state)) return std::nullopt;
        const bool legal = action == kSwap
                               ? may_swap(state)
                               : contains(playable(state), hex::kBitOfCell[static_cast<std::size_t>(action)]);
        return legal ? std::optional(static_cast<Move>(action)) : std::nullopt;
    }

    // ---- symmetries: 6 rotations, each with and without a reflection ----
    static constexpr int num_symmetries() { return 12; }
    static constexpr int transform_action(int action, int index) {
        return action == kSwap ? action
                               : hex::kImages[static_cast<std::size_t>(index)][static_cast<std::size_t>(action)];
    }
    State transform(const State& state, int index) const {
        State image = state;
        image.key = 0;
        for (std::size_t player = 0; player < 3; ++player) {
            image.stones[player] = 0;
            for (u128 rest = state.stones[player]; rest != 0;) {
                const auto cell = static_cast<std::size_t>(
                    transform_action(hex::kCellOfBit[static_cast<std::size_t>(pop_lowest(rest))], index));
                image.stones[player] |= bit<u128>(hex::kBitOfCell[cell]);
                image.key ^= kZobrist[player * kCells + cell];
            }
        }
        return image;
    }

    // ---- planes and cells: planes hold the parallelogram of the bitboard ----
    std::span<const Encoding> encodings() const { return encodings_; }
    void write_planes(const State& state, const Path&, int, float* out) const {
        write_stone_planes(encodings_[0].shape, players_, state.to_move, out, [&](int row, int column) {
            const int index = 9 * row + column;
            return contains(hex::kBoard, index) ? owner(state, index) : -2;
        });
    }
    static constexpr int num_cells() { return kCells; }
    static constexpr int cell(const State& state, int cell) {
        return owner(state, hex::kBitOfCell[static_cast<std::size_t>(cell)]) + 1;
    }
    static constexpr MoveCells move_cells(const State&, Move move) { return {-1, move == kSwap ? -1 : move}; }

    // ---- cells of tuples: empty, or the player ----
    std::span<const int> contents() const { return {&kContents[static_cast<std::size_t>(players_ - 2)], 1}; }
    static constexpr int content(const State& state, int cell, int) { return Yavalath::cell(state, cell); }
    static constexpr int changed_cells(const State& before, const State& after, int, CellChange* out) {
        int count = 0;
        u128 rest = 0;
        for (std::size_t player = 0; player < 3; ++player) rest |= before.stones[player] ^ after.stones[player];
        while (rest != 0) {
            const int index = pop_lowest(rest);
            out[count++] = {hex::kCellOfBit[static_cast<std::size_t>(index)],
                            static_cast<std::uint8_t>(owner(before, index) + 1),
                            static_cast<std::uint8_t>(owner(after, index) + 1)};
        }
        return count;
    }
    static constexpr int transform_cell(int cell, int index) { return transform_action(cell, index); }
    static constexpr int cell_neighbours(int cell, int* out) { return hex::neighbours(cell, out); }

    // ---- text ----
    static std::string move_text(const State&, Move move) {
        if (move == kSwap) return "swap";
        const int row = hex::kBitOfCell[move] / 9;
        return static_cast<char>('a' + row) + std::to_string(hex::kBitOfCell[move] % 9 - hex::first_column(row) + 1);
    }
    std::optional<Move> parse_move(const State& state, std::string_view text) const {
        if (text == "swap") return move(state, kSwap);
        if (text.size() != 2) return std::nullopt;
        const int row = (text[0] | 0x20) - 'a', place = text[1] - '1';
        if (row < 0 || row > 8 || place < 0 || place >= hex::row_length(row)) return std::nullopt;
        return move(state, hex::kCellOfBit[static_cast<std::size_t>(9 * row + hex::first_column(row) + place)]);
    }
    static std::string moves_notation(std::span<const std::string> moves) { return join(moves, " "); }
    static std::optional<std::vector<std::string>> split_moves(std::string_view text) { return split_cell_names(text); }
    static std::string notation(const State& state) {
        return write_board_text(
            9, hex::row_length,
            [&](int row, int column) { return owner(state, 9 * row + hex::first_column(row) + column); },
            state.to_move);
    }
    State parse_state(std::string_view text) const {
        State state;
        const int side = read_board_text(text, 9, hex::row_length, players_, [&](int row, int column, int player) {
            const auto index = static_cast<std::size_t>(9 * row + hex::first_column(row) + column);
            state.stones[static_cast<std::size_t>(player)] |= bit<u128>(static_cast<int>(index));
            state.key ^= kZobrist[static_cast<std::size_t>(player) * kCells + hex::kCellOfBit[index]];
        });
        state.to_move = static_cast<std::uint8_t>(side);
        judge(state, quoted(text));
        return state;
    }

    // ---- tactics ----
    Tactics tactics(const State& state) const {
        if (over(state)) return {};
        const u128 cells = playable(state), own = state.stones[state.to_move];
        const u128 wins = winning_cells(own, cells), blocks = winning_cells(state.stones[next_player(state)], cells);
        return {moves_to(wins), moves_to(blocks), moves_to(three_cells(own, cells) & ~wins)};
    }
    // Empty cells that would complete a line of at least four: each place in a window of four may be the missing one.
    static constexpr u128 winning_cells(u128 stones, u128 empty) {
        u128 cells = 0;
        for (const int step : hex::kAxes) {
            const u128 up1 = stones >> step, up2 = stones >> (2 * step), up3 = stones >> (3 * step);
            const u128 down1 = stones << step, down2 = stones << (2 * step), down3 = stones << (3 * step);
            cells |= (up1 & up2 & (up3 | down1)) | (down1 & down2 & (down3 | up1));
        }
        return cells & empty;
    }
    // Empty cells that would complete a line of at least three.
    static constexpr u128 three_cells(u128 stones, u128 empty) {
        u128 cells = 0;
        for (const int step : hex::kAxes) {
            const u128 up1 = stones >> step, down1 = stones << step;
            cells |= (up1 & (stones >> (2 * step))) | (down1 & (stones << (2 * step))) | (up1 & down1);
        }
        return cells & empty;
    }

private:
    static constexpr auto kZobrist = zobrist_table<3 * kCells>(0x79617661);
    static constexpr auto kTurnKeys = zobrist_table<3>(0x7475726E);
    static constexpr std::array<int, 2> kContents{3, 4};  // by players - 2

    static constexpr u128 occupied(const State& state) { return state.stones[0] | state.stones[1] | state.stones[2]; }
    static constexpr int owner(const State& state, int index) {
        for (int player = 0; player < 3; ++player)
            if (contains(state.stones[static_cast<std::size_t>(player)], index)) return player;
        return -1;
    }
    static constexpr u64 moves_to(u128 cells) {
        u64 moves = 0;
        while (cells != 0) moves |= bit<u64>(hex::kCellOfBit[static_cast<std::size_t>(pop_lowest(cells))]);
        return moves;
    }
    bool may_swap(const State& state) const {
        return swap_ && state.to_move == 1 && state.stones[1] == 0 && !more_than_one(state.stones[0]);
    }
    int survivors(const State& state) const { return players_ - popcount(u64{state.eliminated}); }
    std::uint8_t next_player(const State& state) const {
        int player = state.to_move;
        do player = player + 1 == players_ ? 0 : player + 1;
        while ((state.eliminated >> player & 1) != 0);
        return static_cast<std::uint8_t>(player);
    }
    static void finish(State& state, Result result, std::uint8_t winner) {
        state.result = result;
        state.winner = winner;
    }

    u128 playable(const State& state) const {
        const u128 empty = hex::kBoard & ~occupied(state);
        if (players_ == 2) return empty;
        const u128 forced = winning_cells(state.stones[next_player(state)], empty);
        return forced != 0 ? forced : empty;
    }

    struct Lines {
        bool three, four;
    };
    static constexpr Lines lines_of(u128 stones) {
        u128 threes = 0, fours = 0;
        for (const int step : hex::kAxes) {
            const u128 pairs = stones & (stones >> step);
            threes |= pairs & (stones >> (2 * step));
            fours |= pairs & (pairs >> (2 * step));
        }
        return {threes != 0, fours != 0};
    }

    // The stone changes hands and the first player moves again, as if the second had placed it.
    static void take_over_first_stone(State& state) {
        const auto cell = hex::kCellOfBit[static_cast<std::size_t>(lowest(state.stones[0]))];
        std::swap(state.stones[0], state.stones[1]);
        state.key ^= kZobrist[cell] ^ kZobrist[static_cast<std::size_t>(kCells) + cell];
        state.to_move = 0;
    }

    // Completes a position read from text: who is eliminated, who has won, and whether it can arise at all.
    void judge(State& state, const std::string& shown) const {
        int with_four = -1;
        for (int player = 0; player < players_; ++player) {
            const Lines lines = lines_of(state.stones[static_cast<std::size_t>(player)]);
            if (lines.four && with_four >= 0) throw NotationError("position " + shown + " has fours of two players");
            if (lines.four)
                with_four = player;
            else if (lines.three)
                state.eliminated |= static_cast<std::uint8_t>(1u << player);
        }
        for (int player = 0; player < players_; ++player)
            if (!ends_with_line(state.stones[static_cast<std::size_t>(player)]))
                throw NotationError("position " + shown + " has lines of " +
                                    kStoneLetters[static_cast<std::size_t>(player)] + " that no last stone explains");
        if (players_ == 2 && with_four >= 0 && state.eliminated != 0)
            throw NotationError("position " + shown +
                                " has a four and a three: the game had ended with the first of them");
        if (survivors(state) == 0)
            throw NotationError("position " + shown + " has a three for every player: somebody must survive");
        if ((state.eliminated >> state.to_move & 1) != 0)
            throw NotationError("position " + shown + " gives the move to a player who has made three in a row");
        if (with_four >= 0) {
            State after_win = state;
            after_win.to_move = static_cast<std::uint8_t>(with_four);
            if (next_player(after_win) != state.to_move)
                throw NotationError("position " + shown + " has four in a row for a player who did not move last");
            finish(state, Result::four, static_cast<std::uint8_t>(with_four));
        } else if (survivors(state) == 1) {
            finish(state, Result::three, state.to_move);
        } else if (occupied(state) == hex::kBoard) {
            state.result = Result::full;
        }
        check_counts(state, shown);
    }

    // Nobody plays on with a line of three or more, so there is a stone without which there is none.
    static constexpr bool ends_with_line(u128 stones) {
        if (!lines_of(stones).three) return true;
        for (u128 rest = stones; rest != 0;)
            if (!lines_of(stones ^ bit<u128>(pop_lowest(rest))).three) return true;
        return false;
    }

    // Survivors before the side to move have placed one stone more than it, those after it as many; eliminated
    // players at most that. After a swap the second player is the one who is ahead.
    void check_counts(const State& state, const std::string& shown) const {
        const auto count = [&](int player) { return popcount(state.stones[static_cast<std::size_t>(player)]); };
        const int own = count(state.to_move);
        bool fits = true;
        for (int player = 0; player < players_; ++player) {
            const int expected = own + (player < state.to_move ? 1 : 0);
            const bool out = (state.eliminated >> player & 1) != 0;
            fits = fits && (count(player) == expected || (out && players_ == 3 && count(player) < expected));
        }
        const int second_ahead = count(1) - count(0);
        const bool swapped = swap_ && second_ahead == 1 - state.to_move && count(1) > 0;
        if (!fits && !swapped)
            throw NotationError("position " + shown + " has numbers of stones that do not fit the side to move");
    }

    int players_;
    bool swap_;
    std::array<Encoding, 1> encodings_{};
};

static_assert(fulfils_contract<Yavalath>());

struct YavalathFamily {
    static constexpr std::string_view kName = "yavalath";
    static constexpr std::string_view kSummary = "four in a row wins, but three in a row loses; hexagonal board";
    static constexpr std::array<OptionDeclaration, 2> kOptions{{
        {"players", 2, 2, 3, false, "number of players"},
        {"swap", 0, 0, 1, true, "may the second player take over the first stone? (two players)"},
    }};
    template <class Use>
    static auto with(OptionValues values, Use&& use) {
        return use(Yavalath(values[0], values[1] != 0));
    }
};

}  // namespace spielbaum
