// AnyGame and AnyState for a concrete game: everything that the Python face asks, answered through the game concept.
// What searches a game is made in kit.hpp; whoever needs the rules alone casts to the types of this page.
#pragma once

#include <algorithm>

#include "bindings/any_game.hpp"
#include "core/errors.hpp"
#include "core/perft.hpp"
#include "games/board_text.hpp"

namespace spielbaum {

template <Game G>
class TypedState;

template <Game G>
class TypedGame : public AnyGame {
public:
    explicit TypedGame(G rules) : rules_(std::move(rules)) {}

    const G& rules() const { return rules_; }
    int num_players() const override { return rules_.num_players(); }
    int num_actions() const override { return rules_.num_actions(); }
    int max_moves() const override { return rules_.max_moves(); }
    int num_symmetries() const override { return rules_.num_symmetries(); }
    int transform_action(int action, int index) const override { return rules_.transform_action(action, index); }
    std::span<const Encoding> encodings() const override { return rules_.encodings(); }
    bool runs_without_python() const override {
        return !requires { requires G::kNeedsPython; };
    }
    TupleCells tuple_cells() const override { return tuple_cells_of(rules_); }
    bool has_plane_actions() const override { return HasPlaneActions<G>; }
    bool eliminates() const override { return Eliminates<G>; }
    std::optional<double> realisable_states([[maybe_unused]] const Tuple& tuple,
                                            [[maybe_unused]] int contents) const override {
        if constexpr (FillsColumns<G>)
            return spielbaum::realisable_states(tuple, rules_.grid().rows, rules_.grid().columns, contents);
        else
            return std::nullopt;
    }
    StatePtr initial() const override { return make(rules_.initial()); }

    StatePtr parse(std::string_view text) const override {
        const std::string_view position = trimmed(text);
        if constexpr (WrittenAsMoves<G>)
            if (const auto moves = rules_.split_moves(position)) return play_texts(*moves, position);
        return make(rules_.parse_state(position));
    }

    StatePtr make(typename G::State state) const {
        return std::make_shared<TypedState<G>>(shared_from_this(), nullptr, -1, std::move(state));
    }

private:
    StatePtr play_texts(const std::vector<std::string>& moves, std::string_view shown) const {
        StatePtr state = initial();
        for (std::size_t i = 0; i < moves.size(); ++i) {
            try {
                state = state->play(state->parse_move(moves[i]), state);
            } catch (const IllegalMove& error) {
                throw NotationError("position " + quoted(shown) + " at its move " + std::to_string(i + 1) + ": " +
                                    error.what());
            }
        }
        return state;
    }

    G rules_;
};

template <Game G>
class TypedState final : public AnyState {
public:
    TypedState(GamePtr game, StatePtr parent, int last_action, typename G::State state)
        : AnyState(std::move(game), std::move(parent), last_action), state_(std::move(state)) {}

    const typename G::State& state() const { return state_; }

    int to_move() const override { return rules().to_move(state_); }
    bool over() const override { return rules().over(state_); }
    Outcome outcome() const override { return rules().outcome(state_); }
    u64 key() const override { return rules().key(state_); }
    // Equal states may differ in a label (chess: the move number), which their notation shows.
    bool is_initial() const override {
        const auto start = rules().initial();
        return state_ == start && rules().notation(state_) == rules().notation(start);
    }

    std::vector<int> legal_actions() const override {
        std::vector<int> actions;
        for (const Move move : legal_moves()) actions.push_back(rules().action(state_, move));
        // Kernels list moves in the order that suits a search; people get them in the order of their numbers.
        std::sort(actions.begin(), actions.end());
        return actions;
    }

    StatePtr play(int action, const StatePtr& self) const override {
        const Move move = legal_move(action);
        typename G::State next = state_;
        if constexpr (Repeats<G>) {
            Path before = path();
            advance(rules(), next, move, before);
        } else {
            rules().play(next, move);
        }
        return std::make_shared<TypedState>(game(), self, action, std::move(next));
    }

    bool equals(const AnyState& other) const override {
        const auto* same = dynamic_cast<const TypedState*>(&other);
        return same != nullptr && state_ == same->state_;
    }

    std::string text(int action) const override { return rules().move_text(state_, legal_move(action)); }
    std::string label(int action) const override { return label_of(rules(), state_, legal_move(action)); }

    int parse_move(std::string_view text) const override {
        const std::string_view name = trimmed(text);
        const auto move = over() ? std::nullopt : rules().parse_move(state_, name);
        if (!move) throw IllegalMove("move " + quoted(name) + " " + why_not());
        return rules().action(state_, *move);
    }

    std::string notation() const override {
        if constexpr (WrittenAsMoves<G>)
            if (root().is_initial()) return rules().moves_notation(move_texts());
        return rules().notation(state_);
    }

    std::vector<int> cells() const override {
        std::vector<int> contents(static_cast<std::size_t>(rules().num_cells()));
        for (std::size_t cell = 0; cell < contents.size(); ++cell)
            contents[cell] = rules().cell(state_, static_cast<int>(cell));
        return contents;
    }
    MoveCells move_cells(int action) const override { return rules().move_cells(state_, legal_move(action)); }

    StatePtr transform(int index) const override { return typed_game().make(rules().transform(state_, index)); }
    std::vector<int> eliminated() const override {
        std::vector<int> players;
        if constexpr (Eliminates<G>)
            for (int player = 0; player < rules().num_players(); ++player)
                if (rules().eliminated(state_, player)) players.push_back(player);
        return players;
    }
    StatePtr eliminate(int player) const override {
        const std::string refused = "player " + std::to_string(player) + " cannot be disqualified: ";
        if (player < 0 || player >= rules().num_players())
            throw IllegalMove(refused + "players go from 0 to " + std::to_string(rules().num_players() - 1));
        if (over()) throw IllegalMove(refused + "the game is over (" + std::string(outcome().reason) + ")");
        if constexpr (Eliminates<G>) {
            if (rules().eliminated(state_, player)) throw IllegalMove(refused + "he is out of the game already");
            typename G::State next = state_;
            rules().eliminate(next, player);
            return typed_game().make(std::move(next));
        } else {
            throw IllegalMove(refused + "this game does not go on without a player");
        }
    }
    Details details() const override {
        if constexpr (HasDetails<G>)
            return rules().details(state_);
        else
            return {};
    }
    void write_planes(int encoding, float* out) const override { rules().write_planes(state_, path(), encoding, out); }

    u64 perft(int depth, const Poll& poll) const override { return spielbaum::perft(rules(), state_, depth, poll); }
    PlayoutTotals playouts(u64 count, u64 seed, const Poll& poll) const override {
        return random_playouts(rules(), state_, path(), count, seed, poll);
    }

    // Keys of the positions before this one, as far back as an equal one could lie.
    Path path() const {
        Path keys;
        if constexpr (Repeats<G>) {
            std::vector<u64> newest_first;
            const auto reach = static_cast<std::size_t>(rules().reversible_plies(state_));
            for (const AnyState* state = parent().get(); state && newest_first.size() < reach;
                 state = state->parent().get())
                newest_first.push_back(state->key());
            for (auto key = newest_first.rbegin(); key != newest_first.rend(); ++key) keys.push(*key);
        }
        return keys;
    }

private:
    const TypedGame<G>& typed_game() const { return static_cast<const TypedGame<G>&>(*game()); }
    const G& rules() const { return typed_game().rules(); }

    std::vector<Move> legal_moves() const {
        std::vector<Move> moves(static_cast<std::size_t>(rules().max_moves()));
        moves.resize(static_cast<std::size_t>(rules().legal_moves(state_, moves.data())));
        return moves;
    }

    Move legal_move(int action) const {
        const auto move = rules().move(state_, action);
        if (move) return *move;
        if (action < 0 || action >= rules().num_actions())
            throw IllegalMove("move " + std::to_string(action) + " is out of range: actions go from 0 to " +
                              std::to_string(rules().num_actions() - 1));
        throw IllegalMove("move " + std::to_string(action) + " " + why_not());
    }

    // The second half of the sentence that tells why a move cannot be played.
    std::string why_not() const {
        if (over()) return "cannot be played: the game is over (" + std::string(outcome().reason) + ")";
        std::string list;
        const std::vector<Move> moves = legal_moves();
        constexpr std::size_t kShown = 12;
        for (std::size_t i = 0; i < std::min(moves.size(), kShown); ++i)
            list += (i == 0 ? "" : " ") + label_of(rules(), state_, moves[i]);
        if (moves.size() > kShown) list += " and " + std::to_string(moves.size() - kShown) + " more";
        return "is not legal here; legal moves: " + list;
    }

    std::vector<std::string> move_texts() const {
        std::vector<std::string> texts;
        for (const AnyState* state = this; state->parent(); state = state->parent().get())
            texts.push_back(state->parent()->text(*state->last_action()));
        std::reverse(texts.begin(), texts.end());
        return texts;
    }

    typename G::State state_;
};

}  // namespace spielbaum
