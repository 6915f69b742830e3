// Monte-Carlo tree search of a game that is known only at run time.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bindings/typed.hpp"
#include "search/mcts/search.hpp"

namespace spielbaum {

struct AnyMctsMove {
    int action;
    std::uint32_t visits;
    double value;
    Proof proof;
    std::vector<int> line;
};

struct AnyMctsResult {
    u64 iterations = 0;
    double value = 0.0;
    Proof proof = Proof::unknown;
    std::vector<AnyMctsMove> moves;
    std::size_t nodes = 0, bytes = 0;
    bool full = false;
    u64 kept = 0;
    double seconds = 0.0;
};

class AnyMcts {
public:
    using Report = std::function<void(const AnyMctsResult&)>;
    virtual ~AnyMcts() = default;
    virtual AnyMctsResult search(const AnyState& state, SearchControl& control, const Report& report) = 0;
    virtual void reset(u64 seed) = 0;
};
using MctsPtr = std::unique_ptr<AnyMcts>;

template <Game G>
class TypedMcts final : public AnyMcts {
public:
    TypedMcts(const G& game, const MctsOptions& options, u64 seed) : game_(game), search_(game, options, seed) {}

    AnyMctsResult search(const AnyState& state, SearchControl& control, const Report& report) override {
        const auto& typed = dynamic_cast<const TypedState<G>&>(state);
        const auto translated = [&](const MctsResult& found) {
            AnyMctsResult result{found.iterations, found.value, found.proof, {}, found.nodes,
                                 found.bytes,      found.full,  found.kept,  control.seconds()};
            for (const MctsMove& move : found.moves)
                result.moves.push_back({game_.action(typed.state(), move.move), move.visits, move.value, move.proof,
                                        actions(typed.state(), move.line)});
            return result;
        };
        typename Mcts<G>::Report pass_on;
        if (report) pass_on = [&](const MctsResult& found) { report(translated(found)); };
        return translated(search_.search(typed.state(), typed.path(), control, pass_on));
    }
    void reset(u64 seed) override { search_.reset(seed); }

private:
    std::vector<int> actions(typename G::State state, const std::vector<Move>& line) const {
        std::vector<int> result;
        for (const Move move : line) {
            result.push_back(game_.action(state, move));
            game_.play(state, move);
        }
        return result;
    }

    G game_;
    Mcts<G> search_;
};

// The search for a game if it is of type G, else nothing.
template <Game G>
MctsPtr try_mcts(const AnyGame& game, const MctsOptions& options, u64 seed) {
    const auto* typed = dynamic_cast<const TypedGame<G>*>(&game);
    return typed == nullptr ? nullptr : std::make_unique<TypedMcts<G>>(typed->rules(), options, seed);
}

// Each is defined in a translation unit of its own and answers nothing for a game that it does not know.
MctsPtr make_mcts_tictactoe(const AnyGame& game, const MctsOptions& options, u64 seed);
MctsPtr make_mcts_connect4(const AnyGame& game, const MctsOptions& options, u64 seed);
MctsPtr make_mcts_yavalath(const AnyGame& game, const MctsOptions& options, u64 seed);
MctsPtr make_mcts_reversi(const AnyGame& game, const MctsOptions& options, u64 seed);
MctsPtr make_mcts_chess(const AnyGame& game, const MctsOptions& options, u64 seed);

}  // namespace spielbaum
