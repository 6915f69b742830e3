// The one type-erased boundary between Python and the games: a game and a state whose type is known only at run time.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/game.hpp"
#include "core/option.hpp"
#include "core/playout.hpp"
#include "eval/ntuple/tuples.hpp"
#include "search/solver/options.hpp"

namespace spielbaum {

class AnyState;
class AnyMcts;
class AnyAlphaBeta;
class AnySolver;
class AnyNTuple;
struct MctsOptions;
struct AlphaBetaOptions;
struct NTupleOptions;
using StatePtr = std::shared_ptr<const AnyState>;

// Called now and then by long work; throws to end it (Ctrl-C).
using Poll = std::function<void()>;

class AnyGame : public std::enable_shared_from_this<AnyGame> {
public:
    virtual ~AnyGame() = default;
    virtual int num_players() const = 0;
    virtual int num_actions() const = 0;
    virtual int max_moves() const = 0;
    virtual int num_symmetries() const = 0;
    virtual int transform_action(int action, int index) const = 0;
    virtual std::span<const Encoding> encodings() const = 0;
    virtual bool runs_without_python() const = 0;
    virtual TupleCells tuple_cells() const = 0;  // nothing in games without cells of tuples
    virtual StatePtr initial() const = 0;
    virtual StatePtr parse(std::string_view text) const = 0;
    virtual bool has_plane_actions() const = 0;  // see HasPlaneActions
    virtual bool eliminates() const = 0;         // see Eliminates
    // How many states of a tuple's cells can occur, where the game can tell (see FillsColumns).
    virtual std::optional<double> realisable_states(const Tuple& tuple, int contents) const = 0;

    // A game makes its own searches. OptionError: it cannot be searched with these options.
    virtual std::unique_ptr<AnyMcts> make_mcts(const MctsOptions& options, u64 seed) const = 0;
    virtual std::unique_ptr<AnyAlphaBeta> make_alphabeta(const AlphaBetaOptions& options) const = 0;
    // Nothing for a game without cells of tuples.
    virtual std::unique_ptr<AnyNTuple> make_ntuple(const NTupleOptions& options) const = 0;
    // Nothing for a game without a solver.
    virtual std::optional<SolverFacts> solver() const = 0;
    virtual std::unique_ptr<AnySolver> make_solver(const SolverOptions& options) const = 0;
};
using GamePtr = std::shared_ptr<const AnyGame>;

// A state and the path to it: each state holds on to the one before it, so that play() costs the same at any ply.
class AnyState {
public:
    AnyState(GamePtr game, StatePtr parent, int last_action)
        : game_(std::move(game)), parent_(std::move(parent)), last_action_(last_action) {}
    AnyState(const AnyState&) = delete;
    AnyState& operator=(const AnyState&) = delete;
    // Lets go of a long path one state at a time; the default would recurse as deep as the path is long. The first
    // destructor of a thread to run takes care of the states that are let go of meanwhile.
    virtual ~AnyState() {
        if (!parent_) return;
        static thread_local std::vector<StatePtr>* waiting = nullptr;
        if (waiting != nullptr) {
            waiting->push_back(std::move(parent_));
            return;
        }
        std::vector<StatePtr> ancestors;
        waiting = &ancestors;
        ancestors.push_back(std::move(parent_));
        while (!ancestors.empty()) {
            const StatePtr ancestor = std::move(ancestors.back());
            ancestors.pop_back();
        }
        waiting = nullptr;
    }

    const GamePtr& game() const { return game_; }
    const StatePtr& parent() const { return parent_; }
    std::optional<int> last_action() const { return parent_ ? std::optional(last_action_) : std::nullopt; }
    std::vector<int> history() const;
    const AnyState& root() const;

    virtual int to_move() const = 0;
    virtual bool over() const = 0;
    virtual Outcome outcome() const = 0;
    virtual std::vector<int> legal_actions() const = 0;
    virtual StatePtr play(int action, const StatePtr& self) const = 0;
    virtual u64 key() const = 0;
    virtual bool equals(const AnyState& other) const = 0;
    virtual bool is_initial() const = 0;
    virtual std::string text(int action) const = 0;
    virtual std::string label(int action) const = 0;  // see HasLabels
    virtual int parse_move(std::string_view text) const = 0;
    virtual std::string notation() const = 0;
    virtual std::vector<int> cells() const = 0;
    virtual MoveCells move_cells(int action) const = 0;
    virtual StatePtr transform(int index) const = 0;
    virtual std::vector<int> eliminated() const = 0;   // players who are out, where the game goes on without them
    virtual StatePtr eliminate(int player) const = 0;  // starts a path of its own
    virtual Details details() const = 0;
    virtual void write_planes(int encoding, float* out) const = 0;
    virtual u64 perft(int depth, const Poll& poll) const = 0;
    virtual PlayoutTotals playouts(u64 count, u64 seed, const Poll& poll) const = 0;

private:
    GamePtr game_;
    StatePtr parent_;
    int last_action_;
};

inline std::vector<int> AnyState::history() const {
    std::vector<int> actions;
    for (const AnyState* state = this; state->parent_; state = state->parent_.get())
        actions.push_back(state->last_action_);
    std::reverse(actions.begin(), actions.end());
    return actions;
}

inline const AnyState& AnyState::root() const {
    const AnyState* state = this;
    while (state->parent_) state = state->parent_.get();
    return *state;
}

// Defined for each family of the catalog in a translation unit of its own (games/<game>.cpp).
template <class Family>
GamePtr instantiate(OptionValues values, const NamedFile& file);

}  // namespace spielbaum
