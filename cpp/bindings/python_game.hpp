// A game written in pure Python, seen through the game concept: every question is passed on to the Python object
// (spielbaum.PythonGame documents the methods). Runs on the calling thread with the GIL held; what Python raises goes
// up unchanged. An answer of the wrong type or out of range is a TypeError or ValueError that names the method.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <set>

#include "core/errors.hpp"
#include "core/game.hpp"
#include "eval/choice.hpp"
#include "games/board_text.hpp"

namespace spielbaum {

namespace nb = nanobind;

class PythonRules {
public:
    static constexpr bool kNeedsPython = true;
    static constexpr bool kSlowRules = true;
    static constexpr bool kMayCycle = true;

    // What is asked often is asked once: the end of the game and, where repetitions count, the key, when a state is
    // made; the contents of its cells, when they are first needed. How long ago the last irreversible move was is kept
    // here and not by the game, so that its own values are positions and nothing else.
    struct State {
        nb::object value;
        std::optional<Outcome> result;
        u64 key = 0;
        int clock = 0, repeats = 0;
        mutable std::shared_ptr<const std::vector<std::uint8_t>> contents = nullptr;

        bool operator==(const State& other) const {
            return clock == other.clock && repeats == other.repeats && value.equal(other.value);
        }
    };

    explicit PythonRules(const nb::object& game) : game_(game) {
        num_players_ = number("num_players", 2, kMaxPlayers);
        num_actions_ = number("num_actions", 1, 0xFFFF);
        max_moves_ = number("max_moves", 1, 0xFFFF);
        num_symmetries_ = number("num_symmetries", 1, 1 << 10);
        num_cells_ = number("num_cells", 0, 0xFFFF);
        const nb::object shape = game.attr("plane_shape");
        if (!shape.is_none()) {
            const auto [planes, rows, columns] = answer<std::tuple<int, int, int>>("plane_shape", shape);
            if (planes < 1 || rows < 1 || columns < 1) fail("plane_shape has a number below 1");
            encodings_.push_back({"own", {planes, rows, columns}, number("partition_planes", 0, planes)});
        }
        repetition_ = answer<bool>("repetition", game.attr("repetition"));
        clock_limit_ = number("clock_limit", 0, 0xFFFF);
        evaluates_ = answer<bool>("declares()", ask("declares", "evaluate"));
        labels_ = answer<bool>("declares()", ask("declares", "label"));
        if (const int contents = number("num_contents", 0, 36); contents > 0) {
            contents_.push_back(contents);
            read_cells();
        }
    }

    int num_players() const { return num_players_; }
    State initial() const { return wrap(ask("initial")); }
    int to_move(const State& state) const {
        return in_range("to_move()", answer<int>("to_move()", ask("to_move", state.value)), num_players_);
    }
    bool over(const State& state) const { return state.result.has_value(); }
    Outcome outcome(const State& state) const { return *state.result; }

    int max_moves() const { return max_moves_; }
    int legal_moves(const State& state, Move* out) const {
        if (over(state)) return 0;
        int count = 0;
        for (const nb::handle item : ask("legal_moves", state.value)) {
            if (count == max_moves_) fail("legal_moves() has more than max_moves = " + std::to_string(max_moves_));
            out[count++] = static_cast<Move>(
                in_range("legal_moves()", answer<int>("legal_moves()", nb::borrow(item)), num_actions_));
        }
        if (count == 0) fail("legal_moves() is empty, but outcome() says that the game goes on");
        return count;
    }
    void play(State& state, Move move) const {
        const int action = move;
        int clock = 0;
        if (keeps_clock() && !answer<bool>("irreversible()", ask("irreversible", state.value, action)))
            clock = state.clock + 1;
        state = wrap(ask("play", state.value, action), clock);
    }

    // ---- positions that come again ----
    int reversible_plies(const State& state) const { return state.clock; }
    static int repeat_cycle() { return 1; }  // turns need not alternate
    int clock_limit() const { return clock_limit_ > 0 ? clock_limit_ : std::numeric_limits<int>::max(); }
    int repeats(const State& state) const { return state.repeats; }
    void set_repeats(State& state, int count) const {
        if (!repetition_) return;
        state.repeats = count;
        if (count >= 2 && !state.result) state.result = Outcome::draw(num_players_, "threefold repetition");
    }
    u64 path_key(const State& state) const { return state.key; }

    // The value of an unfinished position for the side to move, from -1 to 1.
    double evaluate(const State& state) const {
        if (!evaluates_) return 0.0;
        const double value = answer<double>("evaluate()", ask("evaluate", state.value));
        if (!(value >= -1.0 && value <= 1.0))
            fail("evaluate() gave " + std::to_string(value) + "; expected a number from -1 to 1");
        return value;
    }

    u64 key(const State& state) const { return keeps_clock() ? state.key : hashed_key(state.value); }

    int num_actions() const { return num_actions_; }
    int action(const State&, Move move) const { return move; }
    std::optional<Move> move(const State& state, int action) const {
        std::vector<Move> moves(static_cast<std::size_t>(max_moves_));
        const auto end = moves.begin() + legal_moves(state, moves.data());
        const auto found = std::find_if(moves.begin(), end, [action](Move move) { return move == action; });
        return found == end ? std::nullopt : std::optional(*found);
    }

    int num_symmetries() const { return num_symmetries_; }
    State transform(const State& state, int index) const {
        return wrap(ask("transform", state.value, index), state.clock, state.repeats);
    }
    int transform_action(int action, int index) const {
        const int image = answer<int>("transform_action()", ask("transform_action", action, index));
        return in_range("transform_action()", image, num_actions_);
    }

    std::span<const Encoding> encodings() const { return encodings_; }
    void write_planes(const State& state, const Path&, int, float* out) const {
        using Array = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
        const Shape shape = encodings_[0].shape;
        const auto planes = answer<Array>("planes()", ask("planes", state.value));
        if (planes.shape(0) != static_cast<std::size_t>(shape.planes) ||
            planes.shape(1) != static_cast<std::size_t>(shape.rows) ||
            planes.shape(2) != static_cast<std::size_t>(shape.columns))
            fail("planes() has another shape than plane_shape");
        std::copy_n(planes.data(), planes.size(), out);
    }

    int num_cells() const { return num_cells_; }
    int cell(const State& state, int cell) const { return answer<int>("cell()", ask("cell", state.value, cell)); }
    MoveCells move_cells(const State& state, Move move) const {
        const auto cells = answer<std::vector<int>>("move_cells()", ask("move_cells", state.value, int{move}));
        if (cells.size() > 2) fail("move_cells() has more than two cells");
        if (cells.empty()) return {};
        return cells.size() == 1 ? MoveCells{-1, cells[0]} : MoveCells{cells[0], cells[1]};
    }

    // ---- what n-tuples look at ----
    std::span<const int> contents() const { return contents_; }
    int content(const State& state, int cell, int) const { return contents_of(state)[static_cast<std::size_t>(cell)]; }
    int changed_cells(const State& before, const State& after, int, CellChange* out) const {
        const auto &old = contents_of(before), &now = contents_of(after);
        int count = 0;
        for (std::size_t cell = 0; cell < now.size(); ++cell)
            if (old[cell] != now[cell]) out[count++] = {static_cast<std::uint16_t>(cell), old[cell], now[cell]};
        return count;
    }
    int transform_cell(int cell, int index) const {
        const int image = answer<int>("transform_cell()", ask("transform_cell", cell, index));
        return in_range("transform_cell()", image, num_cells_);
    }
    int cell_neighbours(int cell, int* out) const {
        const std::vector<int>& around = neighbours_[static_cast<std::size_t>(cell)];
        std::copy(around.begin(), around.end(), out);
        return static_cast<int>(around.size());
    }

    std::string move_text(const State& state, Move move) const {
        return answer<std::string>("text()", ask("text", state.value, int{move}));
    }
    std::string move_label(const State& state, Move move) const {
        return answer<std::string>("label()", ask("label", state.value, int{move}));
    }
    // A game's own parse() need not know its labels.
    std::optional<Move> parse_move(const State& state, std::string_view text) const {
        const auto action = answer<std::optional<int>>("parse()", ask("parse", state.value, text));
        if (action) return move(state, *action);
        if (!labels_) return std::nullopt;
        std::vector<Move> moves(static_cast<std::size_t>(max_moves_));
        const auto end = moves.begin() + legal_moves(state, moves.data());
        const auto found = std::find_if(moves.begin(), end, [&](Move move) { return move_label(state, move) == text; });
        return found == end ? std::nullopt : std::optional(*found);
    }
    std::string moves_notation(std::span<const std::string> moves) const {
        nb::list texts;
        for (const std::string& move : moves) texts.append(nb::str(move.c_str(), move.size()));
        return answer<std::string>("join_moves()", ask("join_moves", texts));
    }
    std::optional<std::vector<std::string>> split_moves(std::string_view text) const {
        if (keeps_clock() && text.rfind(kHistoryMark) != text.npos) return std::nullopt;
        return answer<std::optional<std::vector<std::string>>>("split_moves()", ask("split_moves", text));
    }
    // The text of a position without its moves ends with its clock and its repeats, where they are not 0: " @12x1".
    std::string notation(const State& state) const {
        std::string text = answer<std::string>("notation()", ask("notation", state.value));
        if (state.clock > 0) text.append(kHistoryMark).append(std::to_string(state.clock));
        if (state.repeats > 0) text += "x" + std::to_string(state.repeats);
        return text;
    }
    State parse_state(std::string_view text) const {
        const std::size_t mark = keeps_clock() ? text.rfind(kHistoryMark) : text.npos;
        if (mark == text.npos) return wrap(ask("parse_state", text));
        const std::string_view history = text.substr(mark + kHistoryMark.size());
        const std::size_t cross = std::min(history.find('x'), history.size());
        const std::string_view clock = history.substr(0, cross);
        const int repeats = cross == history.size() ? 0 : counted(text, history.substr(cross + 1), 2);
        return wrap(ask("parse_state", text.substr(0, mark)), counted(text, clock, 0xFFFF), repetition_ ? repeats : 0);
    }

private:
    static constexpr std::string_view kHistoryMark = " @";

    bool keeps_clock() const { return repetition_ || clock_limit_ > 0; }

    static int counted(std::string_view text, std::string_view digits, int most) {
        int value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || value < 0 || value > most)
            throw NotationError("position " + quoted(text) +
                                ": expected plies from 0 to 65535 after \"@\", and up to \"x2\"");
        return value;
    }

    // The game's own key is an int or bytes; hashing it makes any range of numbers a good 64-bit key.
    u64 hashed_key(const nb::object& value) const {
        nb::object own = ask("key", value);
        if (!nb::isinstance<nb::bytes>(own)) {
            const nb::object number = nb::steal(PyNumber_Index(own.ptr()));
            if (!number.is_valid()) {
                PyErr_Clear();
                throw nb::type_error("key() must return an int or bytes");
            }
            const auto length = nb::cast<u64>(number.attr("bit_length")()) / 8 + 1;
            own = number.attr("to_bytes")(length, "little", nb::arg("signed") = true);
        }
        const nb::bytes bytes = nb::borrow<nb::bytes>(own);
        u64 hash = mix(bytes.size());
        for (std::size_t i = 0; i < bytes.size(); ++i)
            hash = combine(hash, u64{static_cast<unsigned char>(bytes.c_str()[i])});
        return hash;
    }

    const std::vector<std::uint8_t>& contents_of(const State& state) const {
        if (!state.contents) {
            const auto given = answer<std::vector<int>>("contents()", ask("contents", state.value));
            if (static_cast<int>(given.size()) != num_cells_)
                fail("contents() has " + std::to_string(given.size()) + " numbers for " + std::to_string(num_cells_) +
                     " cells");
            std::vector<std::uint8_t> contents;
            for (const int content : given)
                contents.push_back(static_cast<std::uint8_t>(in_range("contents()", content, contents_[0])));
            state.contents = std::make_shared<const std::vector<std::uint8_t>>(std::move(contents));
        }
        return *state.contents;
    }

    // Random walks must be able to reach every cell, or they would look for one for ever.
    void read_cells() {
        if (num_cells_ == 0) fail("num_contents is set, but num_cells is 0");
        for (int cell = 0; cell < num_cells_; ++cell) {
            neighbours_.push_back(answer<std::vector<int>>("neighbours()", ask("neighbours", cell)));
            for (const int other : neighbours_.back()) in_range("neighbours()", other, num_cells_);
            if (neighbours_.back().size() > kMaxNeighbours)
                fail("neighbours() of cell " + std::to_string(cell) + " are " +
                     std::to_string(neighbours_.back().size()) + "; expected at most " +
                     std::to_string(kMaxNeighbours));
        }
        for (int start = 0; start < num_cells_; ++start) {
            std::vector<bool> reached(static_cast<std::size_t>(num_cells_));
            std::vector<int> waiting{start};
            reached[static_cast<std::size_t>(start)] = true;
            for (std::size_t i = 0; i < waiting.size(); ++i)
                for (const int other : neighbours_[static_cast<std::size_t>(waiting[i])])
                    if (!reached[static_cast<std::size_t>(other)]) {
                        reached[static_cast<std::size_t>(other)] = true;
                        waiting.push_back(other);
                    }
            if (static_cast<int>(waiting.size()) < num_cells_)
                fail("neighbours() lead from cell " + std::to_string(start) + " to " + std::to_string(waiting.size()) +
                     " of " + std::to_string(num_cells_) + " cells; expected all");
        }
    }

    // The game is kept alive by the Python face (Game, and every State through its game). Holding it here as well would
    // close a circle that Python's garbage collector cannot see.
    nb::object game() const {
        const nb::object alive = game_();
        if (alive.is_none()) fail("the game of this state does not exist any more");
        return alive;
    }

    template <class... Arguments>
    nb::object ask(const char* method, const Arguments&... arguments) const {
        return game().attr(method)(arguments...);
    }

    [[noreturn]] static void fail(const std::string& problem) { throw nb::value_error(problem.c_str()); }

    template <class T>
    static T answer(const char* method, const nb::object& given) {
        try {
            return nb::cast<T>(given);
        } catch (const nb::cast_error&) {
            const std::string shown = nb::cast<std::string>(nb::repr(given));
            throw nb::type_error(
                (std::string(method) + " gave " + shown.substr(0, 60) + ", which is of the wrong type").c_str());
        }
    }

    static int in_range(const char* method, int value, int end) {
        if (value < 0 || value >= end)
            fail(std::string(method) + " gave " + std::to_string(value) + "; expected a number from 0 to " +
                 std::to_string(end - 1));
        return value;
    }

    int number(const char* name, int low, int high) const {
        const int value = answer<int>(name, game().attr(name));
        if (value < low || value > high)
            fail(std::string(name) + " is " + std::to_string(value) + "; expected a number from " +
                 std::to_string(low) + " to " + std::to_string(high));
        return value;
    }

    // outcome() answers None, or an object with `rewards` and `reason` (spielbaum.Outcome).
    State wrap(nb::object value, int clock = 0, int repeats = 0) const {
        std::optional<Outcome> result = own_outcome(value);
        if (!result && repeats >= 2) result = Outcome::draw(num_players_, "threefold repetition");
        if (!result && clock_limit_ > 0 && clock >= clock_limit_) result = Outcome::draw(num_players_, "no progress");
        const u64 key = keeps_clock() ? hashed_key(value) : 0;
        return {std::move(value), result, key, clock, repeats};
    }

    std::optional<Outcome> own_outcome(const nb::object& value) const {
        const nb::object outcome = ask("outcome", value);
        if (outcome.is_none()) return std::nullopt;
        const auto rewards = answer<std::vector<double>>("outcome().rewards", nb::getattr(outcome, "rewards", outcome));
        if (static_cast<int>(rewards.size()) != num_players_)
            fail("outcome() has " + std::to_string(rewards.size()) + " rewards for " + std::to_string(num_players_) +
                 " players");
        Outcome result;
        result.num_players = num_players_;
        double sum = 0.0;
        for (std::size_t player = 0; player < rewards.size(); ++player) {
            if (!(rewards[player] >= -1.0 && rewards[player] <= 1.0))
                fail("outcome() has the reward " + std::to_string(rewards[player]) +
                     "; expected a number from -1 to 1");
            result.rewards[player] = rewards[player];
            sum += rewards[player];
        }
        if (sum > 1e-6 || sum < -1e-6)
            fail("outcome() has rewards that sum to " + std::to_string(sum) + "; expected 0");
        result.reason = interned(answer<std::string>("outcome().reason", outcome.attr("reason")));
        return result;
    }

    // An Outcome points at its reason for ever, so there must not be too many of them.
    static std::string_view interned(std::string reason) {
        static std::set<std::string> reasons;
        const auto [place, is_new] = reasons.insert(std::move(reason));
        if (is_new && reasons.size() > 1000)
            fail(
                "outcome() has given more than 1000 different reasons; a reason is a kind of ending, such as "
                "'checkmate'");
        return *place;
    }

    nb::weakref game_;
    int num_players_, num_actions_, max_moves_, num_symmetries_, num_cells_;
    std::vector<Encoding> encodings_;
    bool repetition_, evaluates_, labels_;
    int clock_limit_;
    std::vector<int> contents_;
    std::vector<std::vector<int>> neighbours_;
};

static_assert(fulfils_contract<PythonRules>());
static_assert(Repeats<PythonRules> && HasTupleCells<PythonRules>);

// The game's own evaluation, on the scale on which searches compare values.
struct PythonEvaluation {
    static constexpr std::string_view kName = "own";
    int operator()(const PythonRules& game, const PythonRules::State& state) const {
        constexpr double kMost = 0.986;  // the score stays below those of proven wins
        return value_to_score(std::clamp(game.evaluate(state), -kMost, kMost));
    }
};
using PythonEvaluations = EvaluationChoice<PythonEvaluation, NoEvaluation>;

}  // namespace spielbaum
