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
#include <set>

#include "core/errors.hpp"
#include "core/game.hpp"

namespace spielbaum {

namespace nb = nanobind;

class PythonRules {
public:
    static constexpr bool kNeedsPython = true;
    static constexpr bool kSlowRules = true;

    // The end of the game is looked up once, when a state is made: over() must be cheap.
    struct State {
        nb::object value;
        std::optional<Outcome> result;
        bool operator==(const State& other) const { return value.equal(other.value); }
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
    void play(State& state, Move move) const { state = wrap(ask("play", state.value, int{move})); }

    // The game's own key is an int or bytes; hashing it makes any range of numbers a good 64-bit key.
    u64 key(const State& state) const {
        nb::object own = ask("key", state.value);
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

    int num_actions() const { return num_actions_; }
    int action(const State&, Move move) const { return move; }
    std::optional<Move> move(const State& state, int action) const {
        std::vector<Move> moves(static_cast<std::size_t>(max_moves_));
        const auto end = moves.begin() + legal_moves(state, moves.data());
        const auto found = std::find_if(moves.begin(), end, [action](Move move) { return move == action; });
        return found == end ? std::nullopt : std::optional(*found);
    }

    int num_symmetries() const { return num_symmetries_; }
    State transform(const State& state, int index) const { return wrap(ask("transform", state.value, index)); }
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

    std::string move_text(const State& state, Move move) const {
        return answer<std::string>("text()", ask("text", state.value, int{move}));
    }
    std::optional<Move> parse_move(const State& state, std::string_view text) const {
        const auto action = answer<std::optional<int>>("parse()", ask("parse", state.value, text));
        return action ? move(state, *action) : std::nullopt;
    }
    std::string moves_notation(std::span<const std::string> moves) const {
        nb::list texts;
        for (const std::string& move : moves) texts.append(nb::str(move.c_str(), move.size()));
        return answer<std::string>("join_moves()", ask("join_moves", texts));
    }
    std::optional<std::vector<std::string>> split_moves(std::string_view text) const {
        return answer<std::optional<std::vector<std::string>>>("split_moves()", ask("split_moves", text));
    }
    std::string notation(const State& state) const {
        return answer<std::string>("notation()", ask("notation", state.value));
    }
    State parse_state(std::string_view text) const { return wrap(ask("parse_state", text)); }

private:
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
    State wrap(nb::object value) const {
        const nb::object outcome = ask("outcome", value);
        if (outcome.is_none()) return {std::move(value), std::nullopt};
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
        return {std::move(value), result};
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
};

static_assert(fulfils_contract<PythonRules>());

}  // namespace spielbaum
