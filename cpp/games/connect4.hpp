// Connect Four on boards of any size: stones fall to the lowest empty cell of a column, `inarow` in a line wins.
//
// The bitboard is drawn in connect4_board.hpp. With `all` the set of stones and `own` those of the side to move, `own +
// all` identifies the position (every column has its own range of bits, and the highest bit tells its height): the key
// is a mix of that one number.
#pragma once

#include <algorithm>
#include <array>

#include "core/game.hpp"
#include "core/option.hpp"
#include "games/board_text.hpp"
#include "games/connect4_board.hpp"
#include "games/square_board.hpp"
#include "games/stone_planes.hpp"

namespace spielbaum {

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

    explicit Connect4(Size size = Size{}) : board_(size) {
        encodings_ = {{{"own", {3, size.rows(), size.columns()}, 3},
                       {"naive", {1, size.rows(), size.columns()}},
                       {"regular", {1, size.rows(), size.columns()}},
                       {"planes", {3, size.rows(), size.columns()}}}};
        num_cells_ = static_cast<std::uint8_t>(num_cells());
    }

    const Connect4Board<Board, Size>& board() const { return board_; }

    // ---- turns ----
    static constexpr int num_players() { return 2; }
    static constexpr State initial() { return {}; }
    static constexpr int to_move(const State& state) { return state.count & 1; }
    bool over(const State& state) const { return state.won || state.count == num_cells_; }
    Outcome outcome(const State& state) const {
        return state.won ? Outcome::win(1 - to_move(state), 2, line_name()) : Outcome::draw(2, "board full");
    }

    // ---- moves: a move is its column ----
    int max_moves() const { return board_.columns(); }
    int legal_moves(const State& state, Move* out) const {
        if (state.won) return 0;
        int count = 0;
        for (int column = 0; column < board_.columns(); ++column)
            if (!board_.full(state.all, column)) out[count++] = static_cast<Move>(column);
        return count;
    }
    int count_moves(const State& state) const { return state.won ? 0 : popcount(board_.playable(state.all)); }
    // Full columns are rare in playouts, so trying columns until one is open beats listing the open ones.
    Move random_move(const State& state, Rng& rng) const {
        while (true) {
            const int column = rng.below(board_.columns());
            if (!board_.full(state.all, column)) return static_cast<Move>(column);
        }
    }
    void play(State& state, Move move) const {
        const Board stone = board_.drop(state.all, move);
        const Board mine = state.own | stone;
        state.own ^= state.all;
        state.all |= stone;
        state.won = board_.has_line(mine);
        ++state.count;
    }

    // ---- key ----
    u64 key(const State& state) const {
        if constexpr (sizeof(Board) == 8)
            return mix(state.own + state.all + (u64{1} << 63));  // the constant keeps the empty board's key off 0
        else
            return combine(0, state.own + state.all);
    }

    // ---- tactics ----
    Tactics tactics(const State& state) const {
        if (state.won) return {};
        const Board open = board_.playable(state.all), wins = board_.completing(state.own) & open;
        const Board others = board_.completing(state.own ^ state.all);
        // Loses: the opponent could answer on top of the stone and win.
        return {columns_of(wins), columns_of(others & open), columns_of((others >> 1) & open & ~wins)};
    }

    // ---- names: the bit of the cell where the stone comes to rest, for a column means another move in every position ----
    int num_names() const { return board_.columns() * board_.stride(); }
    int name(const State& state, Move move) const { return lowest(board_.drop(state.all, move)); }
    std::optional<Move> find_name(const State& state, int name) const {
        if (state.won || !contains(board_.playable(state.all), name)) return std::nullopt;
        return static_cast<Move>(name / board_.stride());
    }

    u64 placed(const State& state, int player) const
        requires(sizeof(Board) == sizeof(u64))
    {
        return player == to_move(state) ? state.own : state.own ^ state.all;
    }

    // ---- actions ----
    int num_actions() const { return board_.columns(); }
    static constexpr int action(const State&, Move move) { return move; }
    std::optional<Move> move(const State& state, int action) const {
        if (action < 0 || action >= board_.columns() || state.won || board_.full(state.all, action))
            return std::nullopt;
        return static_cast<Move>(action);
    }

    // ---- symmetries: the mirror ----
    static constexpr int num_symmetries() { return 2; }
    int transform_action(int action, int index) const { return index == 0 ? action : board_.columns() - 1 - action; }
    State transform(const State& state, int index) const {
        if (index == 0) return state;
        State image = state;
        image.own = board_.mirror(state.own);
        image.all = board_.mirror(state.all);
        return image;
    }

    // ---- planes: row 0 is the top row ----
    std::span<const Encoding> encodings() const { return encodings_; }
    void write_planes(const State& state, const Path&, int index, float* out) const {
        const auto owner = [&](int row, int column) { return owner_at(state, board_.rows() - 1 - row, column); };
        const auto cells = static_cast<std::size_t>(num_cells());
        if (index == 0) {
            write_plane(state.own, out);
            write_plane(state.own ^ state.all, out + cells);
            write_plane(~state.all, out + 2 * cells);
            return;
        }
        if (index == 3) {
            // The third plane is 0 if the first player moved last, else 1 (so also on the empty board).
            const Board first = first_stones(state);
            write_plane(first, out);
            write_plane(first ^ state.all, out + cells);
            std::fill_n(out + 2 * cells, cells, to_move(state) == 1 ? 0.0f : 1.0f);
            return;
        }
        const float second = index == 1 ? 2.0f : -1.0f;
        for (int row = 0, i = 0; row < board_.rows(); ++row)
            for (int column = 0; column < board_.columns(); ++column, ++i) {
                const int player = owner(row, column);
                out[i] = player < 0 ? 0.0f : player == 0 ? 1.0f : second;
            }
    }

    // ---- cells: row by row from the bottom ----
    int num_cells() const { return board_.num_cells(); }
    int cell(const State& state, int cell) const {
        return owner_at(state, cell / board_.columns(), cell % board_.columns()) + 1;
    }
    MoveCells move_cells(const State& state, Move move) const {
        return {-1, board_.height(state.all, move) * board_.columns() + move};
    }

    // ---- cells of tuples: empty, first, second, and with four contents: empty and reachable ----
    static constexpr std::array<int, 2> kContents{4, 3};
    static constexpr std::span<const int> contents() { return kContents; }
    int content(const State& state, int cell, int contents) const {
        const int index = cell % board_.columns() * board_.stride() + cell / board_.columns();
        return content_at(state, contents == 4 ? board_.playable(state.all) : Board{0}, index);
    }
    int changed_cells(const State& before, const State& after, int contents, CellChange* out) const {
        const Board old_reach = contents == 4 ? board_.playable(before.all) : Board{0};
        const Board new_reach = contents == 4 ? board_.playable(after.all) : Board{0};
        int count = 0;
        for (Board rest =
                 (before.all ^ after.all) | (first_stones(before) ^ first_stones(after)) | (old_reach ^ new_reach);
             rest != 0;) {
            const int index = pop_lowest(rest);
            const int cell = index % board_.stride() * board_.columns() + index / board_.stride();
            out[count++] = {static_cast<std::uint16_t>(cell),
                            static_cast<std::uint8_t>(content_at(before, old_reach, index)),
                            static_cast<std::uint8_t>(content_at(after, new_reach, index))};
        }
        return count;
    }
    int transform_cell(int cell, int index) const {
        const int column = cell % board_.columns();
        return index == 0 ? cell : cell - column + board_.columns() - 1 - column;
    }
    static constexpr bool kFillsColumns = true;
    GridSize grid() const { return {board_.rows(), board_.columns()}; }
    int cell_neighbours(int cell, int* out) const {
        return grid_neighbours(cell, board_.rows(), board_.columns(), out);
    }

    // ---- text ----
    std::string move_text(const State& state, Move move) const {
        return cell_name(move, board_.height(state.all, move));
    }
    // "d1" names the cell, which must be where the stone comes to rest; a number is a column counted from 1.
    std::optional<Move> parse_move(const State& state, std::string_view text) const {
        if (const auto place = parse_cell_name(text, board_.columns(), board_.rows())) {
            const auto found = move(state, place->column);
            return found && board_.height(state.all, *found) == place->row ? found : std::nullopt;
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
        if (text.find('/') != std::string_view::npos) return std::nullopt;
        std::vector<std::string> moves;
        for (const char c : text)
            moves.push_back(c >= 'a' && c <= 'g' ? std::to_string(c - 'a' + 10) : std::string(1, c));
        return moves;
    }
    std::string notation(const State& state) const {
        return write_board_text(
            board_.rows(), [this](int) { return board_.columns(); },
            [&](int row, int column) { return owner_at(state, board_.rows() - 1 - row, column); }, to_move(state));
    }
    State parse_state(std::string_view text) const {
        std::array<Board, 2> stones{};
        const int side = read_board_text(
            text, board_.rows(), [this](int) { return board_.columns(); }, 2,
            [&](int row, int column, int player) {
                stones[static_cast<std::size_t>(player)] |=
                    bit<Board>(column * board_.stride() + board_.rows() - 1 - row);
            });
        return from_stones(stones[0], stones[1], side, quoted(text));
    }

private:
    // A cell at a time without a branch, so that a compiler can take several at once.
    void write_plane(Board stones, float* out) const {
        const int rows = board_.rows(), columns = board_.columns(), stride = board_.stride();
        for (int column = 0; column < columns; ++column, stones >>= stride) {
            const auto line = static_cast<std::uint32_t>(stones);  // a column has at most 16 rows
            for (int row = 0; row < rows; ++row)
                out[row * columns + column] = static_cast<float>((line >> (rows - 1 - row)) & 1);
        }
    }
    u64 columns_of(Board cells) const {
        u64 columns = 0;
        while (cells != 0) columns |= bit<u64>(pop_lowest(cells) / board_.stride());
        return columns;
    }
    static Board first_stones(const State& state) { return to_move(state) == 0 ? state.own : state.own ^ state.all; }
    static int content_at(const State& state, Board reachable, int index) {
        if (contains(state.all, index)) return contains(first_stones(state), index) ? 1 : 2;
        return contains(reachable, index) ? 3 : 0;
    }
    int owner_at(const State& state, int row, int column) const {
        const int index = column * board_.stride() + row;
        if (!contains(state.all, index)) return -1;
        return contains(state.own, index) ? to_move(state) : 1 - to_move(state);
    }

    std::string_view line_name() const {
        static constexpr std::array<std::string_view, 15> kNames{
            "two in a row",    "three in a row",    "four in a row",     "five in a row",    "six in a row",
            "seven in a row",  "eight in a row",    "nine in a row",     "ten in a row",     "eleven in a row",
            "twelve in a row", "thirteen in a row", "fourteen in a row", "fifteen in a row", "sixteen in a row"};
        return kNames[static_cast<std::size_t>(board_.inarow() - 2)];
    }

    State from_stones(Board first, Board second, int side, const std::string& shown) const {
        const Board all = first | second;
        const int firsts = popcount(first), seconds = popcount(second);
        if (firsts - seconds != side)
            throw NotationError("position " + shown + " has " + std::to_string(firsts) + " x and " +
                                std::to_string(seconds) + " o, which does not fit the side to move");
        for (int column = 0; column < board_.columns(); ++column) {
            const Board bits = (all >> (column * board_.stride())) & board_.column_mask(0);
            if ((bits & (bits + 1)) != 0)
                throw NotationError("position " + shown + " has a stone above an empty cell in column " +
                                    std::string(1, static_cast<char>('a' + column)));
        }
        State state;
        state.own = side == 0 ? first : second;
        state.all = all;
        state.count = static_cast<std::uint8_t>(firsts + seconds);
        const Board last = all ^ state.own;
        if (board_.has_line(state.own))
            throw NotationError("position " + shown + " has " + std::string(line_name()) + " for the side to move");
        if (board_.has_line(last)) {
            state.won = true;
            if (!ends_with_line(state, last))
                throw NotationError("position " + shown + " cannot arise: no last stone explains its " +
                                    std::string(line_name()));
        }
        return state;
    }

    // Is there a stone on top of a column without which the winner has no line yet?
    bool ends_with_line(const State& state, Board winner) const {
        for (int column = 0; column < board_.columns(); ++column) {
            const int stones = board_.height(state.all, column);
            if (stones == 0) continue;
            const Board top = bit<Board>(column * board_.stride() + stones - 1);
            if ((winner & top) != 0 && !board_.has_line(winner ^ top)) return true;
        }
        return false;
    }

    Connect4Board<Board, Size> board_;
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
