// Connect Four on boards of any size: stones fall to the lowest empty cell of a column, `inarow` in a line wins.
//
// The bitboard is column by column from the left, each column from the bottom, with one spare bit on top of every
// column, so that lines never wrap from one column into the next (Pons' layout; here for 6 rows and 7 columns):
//
//       6 13 20 27 34 41 48    <- spare bits, always 0
//      ---------------------
//       5 12 19 26 33 40 47    row 6
//       4 11 18 25 32 39 46
//       3 10 17 24 31 38 45
//       2  9 16 23 30 37 44
//       1  8 15 22 29 36 43
//       0  7 14 21 28 35 42    row 1
//       a  b  c  d  e  f  g
//
// With `all` the set of stones and `own` those of the side to move, `all + bottom row` has exactly one bit above the
// stones of each column, so `own + all` identifies the position: the key is a mix of that one number.
//
// Boards with (rows + 1) * columns <= 64 live in one word, larger ones up to 128 bits in two. The classic board's size
// is known to the compiler (ClassicSize), which makes its playouts about half as long as with sizes in variables.
#pragma once

#include <algorithm>
#include <array>

#include "core/game.hpp"
#include "core/option.hpp"
#include "games/board_text.hpp"
#include "games/square_board.hpp"
#include "games/stone_planes.hpp"

namespace spielbaum {

// Shared by both kinds of size, so that a check is written once.
inline void check_connect4_size(int rows, int columns, int inarow) {
    if (rows < 2 || rows > 16 || columns < 2 || columns > 16)
        throw OptionError("connect4 with rows=" + std::to_string(rows) + ", columns=" + std::to_string(columns) +
                          ": both must be from 2 to 16");
    if ((rows + 1) * columns > 128)
        throw OptionError("connect4 with rows=" + std::to_string(rows) + ", columns=" + std::to_string(columns) +
                          " is too large: (rows+1)*columns is " + std::to_string((rows + 1) * columns) +
                          " and must be at most 128");
    if (inarow < 2) throw OptionError("connect4 with inarow=" + std::to_string(inarow) + ": it must be at least 2");
}

struct ClassicSize {
    static constexpr int rows() { return 6; }
    static constexpr int columns() { return 7; }
    static constexpr int inarow() { return 4; }
};

class AnySize {
public:
    AnySize(int rows, int columns, int inarow) : rows_(rows), columns_(columns), inarow_(inarow) {
        check_connect4_size(rows, columns, inarow);
    }
    int rows() const { return rows_; }
    int columns() const { return columns_; }
    int inarow() const { return inarow_; }

private:
    int rows_, columns_, inarow_;
};

template <class Board, class Size>
class Connect4 {
public:
    struct State {
        Board own = 0;  // stones of the side to move
        Board all = 0;  // stones of both
        std::uint8_t count = 0;
        bool won = false;  // by the player who moved last
        bool operator==(const State&) const = default;
    };

    explicit Connect4(Size size = Size{}) : size_(size) {
        encodings_ = {{{"own", {3, size.rows(), size.columns()}, 3},
                       {"naive", {1, size.rows(), size.columns()}},
                       {"regular", {1, size.rows(), size.columns()}},
                       {"planes", {3, size.rows(), size.columns()}}}};
        num_cells_ = static_cast<std::uint8_t>(num_cells());
    }

    // ---- turns ----
    static constexpr int num_players() { return 2; }
    static constexpr State initial() { return {}; }
    static constexpr int to_move(const State& state) { return state.count & 1; }
    bool over(const State& state) const { return state.won || state.count == num_cells_; }
    Outcome outcome(const State& state) const {
        return state.won ? Outcome::win(1 - to_move(state), 2, line_name()) : Outcome::draw(2, "board full");
    }

    // ---- moves: a move is its column ----
    int max_moves() const { return size_.columns(); }
    int legal_moves(const State& state, Move* out) const {
        if (state.won) return 0;
        int count = 0;
        for (int column = 0; column < size_.columns(); ++column)
            if (!full(state, column)) out[count++] = static_cast<Move>(column);
        return count;
    }
    int count_moves(const State& state) const {
        return state.won ? 0 : popcount((state.all + bottom_row()) & board_mask());
    }
    // Full columns are rare in playouts, so trying columns until one is open beats listing the open ones.
    Move random_move(const State& state, Rng& rng) const {
        while (true) {
            const int column = rng.below(size_.columns());
            if (!full(state, column)) return static_cast<Move>(column);
        }
    }
    void play(State& state, Move move) const {
        const Board stone = (state.all + bit<Board>(move * stride())) & column_mask(move);
        const Board mine = state.own | stone;
        state.own ^= state.all;
        state.all |= stone;
        state.won = has_line(mine);
        ++state.count;
    }

    // ---- key ----
    u64 key(const State& state) const {
        if constexpr (sizeof(Board) == 8)
            return mix(state.own + state.all + (u64{1} << 63));  // the constant keeps the empty board's key off 0
        else
            return combine(0, state.own + state.all);
    }

    // ---- actions ----
    int num_actions() const { return size_.columns(); }
    static constexpr int action(const State&, Move move) { return move; }
    std::optional<Move> move(const State& state, int action) const {
        if (action < 0 || action >= size_.columns() || state.won || full(state, action)) return std::nullopt;
        return static_cast<Move>(action);
    }

    // ---- symmetries: the mirror ----
    static constexpr int num_symmetries() { return 2; }
    int transform_action(int action, int index) const { return index == 0 ? action : size_.columns() - 1 - action; }
    State transform(const State& state, int index) const {
        if (index == 0) return state;
        State image = state;
        image.own = mirror(state.own);
        image.all = mirror(state.all);
        return image;
    }

    // ---- planes: row 0 is the top row ----
    std::span<const Encoding> encodings() const { return encodings_; }
    void write_planes(const State& state, const Path&, int index, float* out) const {
        const Encoding& encoding = encodings_[static_cast<std::size_t>(index)];
        const auto owner = [&](int row, int column) { return owner_at(state, size_.rows() - 1 - row, column); };
        if (index == 0) return write_stone_planes(encoding.shape, 2, to_move(state), out, owner);
        const auto cells = static_cast<std::size_t>(num_cells());
        if (index == 3) {
            // The third plane is 0 if the first player moved last, else 1 (so also on the empty board).
            write_stone_planes(encoding.shape, 2, 0, out, owner);
            std::fill_n(out + 2 * cells, cells, to_move(state) == 1 ? 0.0f : 1.0f);
            return;
        }
        const float second = index == 1 ? 2.0f : -1.0f;
        for (int row = 0, i = 0; row < size_.rows(); ++row)
            for (int column = 0; column < size_.columns(); ++column, ++i) {
                const int player = owner(row, column);
                out[i] = player < 0 ? 0.0f : player == 0 ? 1.0f : second;
            }
    }

    // ---- cells: row by row from the bottom ----
    int num_cells() const { return size_.rows() * size_.columns(); }
    int cell(const State& state, int cell) const {
        return owner_at(state, cell / size_.columns(), cell % size_.columns()) + 1;
    }
    MoveCells move_cells(const State& state, Move move) const {
        return {-1, height(state, move) * size_.columns() + move};
    }

    // ---- text ----
    std::string move_text(const State& state, Move move) const { return cell_name(move, height(state, move)); }
    // "d1" names the cell, which must be where the stone comes to rest; a number is a column counted from 1.
    std::optional<Move> parse_move(const State& state, std::string_view text) const {
        if (const auto place = parse_cell_name(text, size_.columns(), size_.rows())) {
            const auto found = move(state, place->column);
            return found && height(state, *found) == place->row ? found : std::nullopt;
        }
        int column = 0;
        for (const char c : text) {
            if (c < '0' || c > '9' || column > 16) return std::nullopt;
            column = column * 10 + (c - '0');
        }
        return text.empty() || text[0] == '0' ? std::nullopt : move(state, column - 1);
    }
    // "4453": a character a move, columns counted from 1; a to g stand for columns 10 to 16.
    std::string moves_notation(std::span<const std::string> moves) const {
        std::string text;
        for (const std::string& move : moves) {
            const int column = move[0] - 'a' + 1;
            text += static_cast<char>(column <= 9 ? '0' + column : 'a' + column - 10);
        }
        return text;
    }
    // Either that, or cells with separators as in "D1,D2;C1,E1" (one cell alone is written with a capital letter).
    std::optional<std::vector<std::string>> split_moves(std::string_view text) const {
        if (text.find_first_of(",;") != std::string_view::npos || (!text.empty() && text[0] >= 'A' && text[0] <= 'P'))
            return split_cell_names(text);
        std::vector<std::string> moves;
        for (const char c : text) {
            const int column = c >= '1' && c <= '9' ? c - '0' : c >= 'a' && c <= 'g' ? c - 'a' + 10 : 0;
            if (column == 0 || column > size_.columns()) return std::nullopt;
            moves.push_back(std::to_string(column));
        }
        return moves;
    }
    std::string notation(const State& state) const {
        return write_board_text(
            size_.rows(), [this](int) { return size_.columns(); },
            [&](int row, int column) { return owner_at(state, size_.rows() - 1 - row, column); }, to_move(state));
    }
    State parse_state(std::string_view text) const {
        std::array<Board, 2> stones{};
        const int side = read_board_text(
            text, size_.rows(), [this](int) { return size_.columns(); }, 2, [&](int row, int column, int player) {
                stones[static_cast<std::size_t>(player)] |=
                    bit<Board>(column * stride() + size_.rows() - 1 - row);
            });
        return from_stones(stones[0], stones[1], side, quoted(text));
    }

private:
    int stride() const { return size_.rows() + 1; }
    Board column_mask(int column) const { return ((Board{1} << size_.rows()) - 1) << (column * stride()); }
    bool full(const State& state, int column) const {
        return contains(state.all, column * stride() + size_.rows() - 1);
    }
    int height(const State& state, int column) const { return popcount(Board{state.all & column_mask(column)}); }
    Board bottom_row() const {
        Board row = 0;
        for (int column = 0; column < size_.columns(); ++column) row |= bit<Board>(column * stride());
        return row;
    }
    Board board_mask() const { return bottom_row() * ((Board{1} << size_.rows()) - 1); }

    int owner_at(const State& state, int row, int column) const {
        const int index = column * stride() + row;
        if (!contains(state.all, index)) return -1;
        return contains(state.own, index) ? to_move(state) : 1 - to_move(state);
    }

    Board mirror(Board stones) const {
        Board image = 0;
        for (int column = 0; column < size_.columns(); ++column) {
            const Board bits = (stones >> (column * stride())) & column_mask(0);
            image |= bits << ((size_.columns() - 1 - column) * stride());
        }
        return image;
    }

    // Folding a set onto itself doubles the length of line that a surviving bit stands for: 1, 2, 4, ...; a last fold
    // by the remainder makes it exactly `inarow`. No line is longer than 16, so 17 stands for all that never happen.
    bool has_line(Board stones) const {
        const int inarow = std::min(size_.inarow(), 17);
        const auto fold = [](Board lines, int shift) {
            return shift < kBoardBits<Board> ? Board{lines & (lines >> shift)} : Board{0};
        };
        Board any = 0;
        for (const int step : {1, stride(), stride() - 1, stride() + 1}) {
            Board lines = stones;
            int length = 1;
            for (; length * 2 <= inarow; length *= 2) lines = fold(lines, length * step);
            if (length < inarow) lines = fold(lines, (inarow - length) * step);
            any |= lines;
        }
        return any != 0;
    }

    std::string_view line_name() const {
        static constexpr std::array<std::string_view, 15> kNames{
            "two in a row",    "three in a row",    "four in a row",     "five in a row",     "six in a row",
            "seven in a row",  "eight in a row",    "nine in a row",     "ten in a row",      "eleven in a row",
            "twelve in a row", "thirteen in a row", "fourteen in a row", "fifteen in a row", "sixteen in a row"};
        return kNames[static_cast<std::size_t>(size_.inarow() - 2)];
    }

    State from_stones(Board first, Board second, int side, const std::string& shown) const {
        const Board all = first | second;
        const int firsts = popcount(first), seconds = popcount(second);
        if (firsts - seconds != side)
            throw NotationError("position " + shown + " has " + std::to_string(firsts) + " x and " +
                                std::to_string(seconds) + " o, which does not fit the side to move");
        for (int column = 0; column < size_.columns(); ++column) {
            const Board bits = (all >> (column * stride())) & column_mask(0);
            if ((bits & (bits + 1)) != 0)
                throw NotationError("position " + shown + " has a stone above an empty cell in column " +
                                    std::string(1, static_cast<char>('a' + column)));
        }
        State state;
        state.own = side == 0 ? first : second;
        state.all = all;
        state.count = static_cast<std::uint8_t>(firsts + seconds);
        const Board last = all ^ state.own;
        if (has_line(state.own))
            throw NotationError("position " + shown + " has " + std::string(line_name()) + " for the side to move");
        if (has_line(last)) {
            state.won = true;
            if (!ends_with_line(state, last))
                throw NotationError("position " + shown + " cannot arise: no last stone explains its " +
                                    std::string(line_name()));
        }
        return state;
    }

    // Is there a stone on top of a column without which the winner has no line yet?
    bool ends_with_line(const State& state, Board winner) const {
        for (int column = 0; column < size_.columns(); ++column) {
            const int stones = height(state, column);
            if (stones == 0) continue;
            const Board top = bit<Board>(column * stride() + stones - 1);
            if ((winner & top) != 0 && !has_line(winner ^ top)) return true;
        }
        return false;
    }

    [[no_unique_address]] Size size_;
    std::uint8_t num_cells_ = 0;
    std::array<Encoding, 4> encodings_{};
};

using ClassicConnect4 = Connect4<u64, ClassicSize>;
static_assert(fulfils_contract<ClassicConnect4>());

struct Connect4Family {
    static constexpr std::string_view kName = "connect4";
    static constexpr std::string_view kSummary = "stones fall into columns, four in a row wins; any board size";
    static constexpr std::array<OptionDeclaration, 3> kOptions{{
        {"rows", 6, 2, 16, false, "height of the board; (rows+1)*columns is at most 128"},
        {"columns", 7, 2, 16, false, "width of the board"},
        {"inarow", 4, 2, 1000, false, "length of the line that wins"},
    }};
    // Hands the rules for these options to `use`: the type depends on the size.
    template <class Use>
    static auto with(OptionValues values, Use&& use) {
        const int rows = values[0], columns = values[1], inarow = values[2];
        if (rows == ClassicSize::rows() && columns == ClassicSize::columns() && inarow == ClassicSize::inarow())
            return use(ClassicConnect4{});
        const AnySize size(rows, columns, inarow);
        if ((rows + 1) * columns <= 64) return use(Connect4<u64, AnySize>(size));
        return use(Connect4<u128, AnySize>(size));
    }
};

}  // namespace spielbaum
