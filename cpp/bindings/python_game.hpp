// A game written in pure Python, seen through the game concept: every question is passed on to the Python object
// (spielbaum.PythonGame documents the methods). Runs on the calling thread with the GIL held; what Python raises goes
// up unchanged.
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

    // The end of the game is looked up once, when a state is made: over() must be cheap.
    struct State {
        nb::object value;
        std::optional<Outcome> result;
        bool operator==(const State& other) const { return value.equal(other.value); }
    };

    explicit PythonRules(nb::object game) : game_(std::move(game)) {
        num_players_ = number("num_players", 1, kMaxPlayers);
        num_actions_ = number("num_actions", 1, 1 << 16);
        max_moves_ = number("max_moves", 1, 1 << 16);
        num_symmetries_ = number("num_symmetries", 1, 1 << 10);
        num_cells_ = number("num_cells", 0, 1 << 16);
        const nb::object shape = game_.attr("plane_shape");
        if (!shape.is_none()) {
            const auto [planes, rows, columns] = nb::cast<std::tuple<int, int, int>>(shape);
            encodings_.push_back({"own", {planes, rows, columns}, number("partition_planes", 0, planes)});
        }
    }

    const nb::object& object() const { return game_; }

    int num_players() const { return num_players_; }
    State initial() const { return wrap(game_.attr("initial")()); }
    int to_move(const State& state) const {
        const int player = nb::cast<int>(game_.attr("to_move")(state.value));
        if (player < 0 || player >= num_players_)
            throw std::out_of_range("to_move() returned " + std::to_string(player) + "; players are 0 to " +
                                    std::to_string(num_players_ - 1));
        return player;
    }
    bool over(const State& state) const { return state.result.has_value(); }
    Outcome outcome(const State& state) const { return *state.result; }

    int max_moves() const { return max_moves_; }
    int legal_moves(const State& state, Move* out) const {
        if (over(state)) return 0;
        int count = 0;
        for (const nb::handle item : game_.attr("legal_moves")(state.value)) {
            const int action = nb::cast<int>(item);
            if (action < 0 || action >= num_actions_)
                throw std::out_of_range("legal_moves() returned " + std::to_string(action) + "; actions are 0 to " +
                                        std::to_string(num_actions_ - 1));
            if (count == max_moves_)
                throw std::out_of_range("legal_moves() returned more than max_moves = " + std::to_string(max_moves_));
            out[count++] = static_cast<Move>(action);
        }
        if (count == 0) throw std::out_of_range("legal_moves() is empty, but outcome() says that the game goes on");
        return count;
    }
    void play(State& state, Move move) const { state = wrap(game_.attr("play")(state.value, static_cast<int>(move))); }

    // The game's own key is an int or bytes; hashing it makes any range of numbers a good 64-bit key.
    u64 key(const State& state) const {
        const nb::object own = game_.attr("key")(state.value);
        if (!nb::isinstance<nb::bytes>(own) && !nb::isinstance<nb::int_>(own))
            throw nb::type_error("key() must return an int or bytes");
        const nb::bytes bytes = nb::isinstance<nb::bytes>(own) ? nb::borrow<nb::bytes>(own) : nb::bytes(nb::str(own).c_str());
        u64 hash = mix(bytes.size());
        for (std::size_t i = 0; i < bytes.size(); ++i) hash = combine(hash, u64{static_cast<unsigned char>(bytes.c_str()[i])});
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
    State transform(const State& state, int index) const { return wrap(game_.attr("transform")(state.value, index)); }
    int transform_action(int action, int index) const {
        return nb::cast<int>(game_.attr("transform_action")(action, index));
    }

    std::span<const Encoding> encodings() const { return encodings_; }
    void write_planes(const State& state, const Path&, int, float* out) const {
        using Array = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
        const Shape shape = encodings_[0].shape;
        const auto planes = nb::cast<Array>(game_.attr("planes")(state.value));
        if (planes.shape(0) != static_cast<std::size_t>(shape.planes) ||
            planes.shape(1) != static_cast<std::size_t>(shape.rows) ||
            planes.shape(2) != static_cast<std::size_t>(shape.columns))
            throw std::out_of_range("planes() must return an array of shape plane_shape");
        std::copy_n(planes.data(), planes.size(), out);
    }

    int num_cells() const { return num_cells_; }
    int cell(const State& state, int cell) const { return nb::cast<int>(game_.attr("cell")(state.value, cell)); }
    MoveCells move_cells(const State& state, Move move) const {
        const auto cells = nb::cast<std::vector<int>>(game_.attr("move_cells")(state.value, static_cast<int>(move)));
        if (cells.size() > 2) throw std::out_of_range("move_cells() must return at most two cells");
        if (cells.empty()) return {};
        return cells.size() == 1 ? MoveCells{-1, cells[0]} : MoveCells{cells[0], cells[1]};
    }

    std::string move_text(const State& state, Move move) const {
        return nb::cast<std::string>(game_.attr("text")(state.value, static_cast<int>(move)));
    }
    std::optional<Move> parse_move(const State& state, std::string_view text) const {
        const auto action = nb::cast<std::optional<int>>(game_.attr("parse")(state.value, nb::str(text.data(), text.size())));
        return action ? move(state, *action) : std::nullopt;
    }
    std::string moves_notation(std::span<const std::string> moves) const {
        nb::list texts;
        for (const std::string& move : moves) texts.append(nb::str(move.c_str(), move.size()));
        return nb::cast<std::string>(game_.attr("join_moves")(texts));
    }
    std::optional<std::vector<std::string>> split_moves(std::string_view text) const {
        return nb::cast<std::optional<std::vector<std::string>>>(
            game_.attr("split_moves")(nb::str(text.data(), text.size())));
    }
    std::string notation(const State& state) const { return nb::cast<std::string>(game_.attr("notation")(state.value)); }
    State parse_state(std::string_view text) const {
        return wrap(game_.attr("parse_state")(nb::str(text.data(), text.size())));
    }

private:
    int number(const char* name, int low, int high) const {
        const int value = nb::cast<int>(game_.attr(name));
        if (value < low || value > high)
            throw OptionError(std::string(name) + " is " + std::to_string(value) + " and must be from " +
                              std::to_string(low) + " to " + std::to_string(high));
        return value;
    }

    // outcome() answers None, or an object with `rewards` and `reason` (spielbaum.Outcome).
    State wrap(nb::object value) const {
        const nb::object outcome = game_.attr("outcome")(value);
        if (outcome.is_none()) return {std::move(value), std::nullopt};
        const auto rewards = nb::cast<std::vector<float>>(outcome.attr("rewards"));
        if (static_cast<int>(rewards.size()) != num_players_)
            throw std::out_of_range("outcome() has " + std::to_string(rewards.size()) + " rewards for " +
                                    std::to_string(num_players_) + " players");
        Outcome result;
        std::copy(rewards.begin(), rewards.end(), result.rewards.begin());
        result.num_players = num_players_;
        result.reason = interned(nb::cast<std::string>(outcome.attr("reason")));
        return {std::move(value), result};
    }

    // Reasons are few and an Outcome points at them for ever.
    static std::string_view interned(std::string reason) {
        static std::set<std::string> reasons;
        return *reasons.insert(std::move(reason)).first;
    }

    nb::object game_;
    int num_players_, num_actions_, max_moves_, num_symmetries_, num_cells_;
    std::vector<Encoding> encodings_;
};

static_assert(fulfils_contract<PythonRules>());

}  // namespace spielbaum
