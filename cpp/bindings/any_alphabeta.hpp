// Alpha-beta of a game that is known only at run time.
#pragma once

#include <memory>
#include <vector>

#include "bindings/typed.hpp"
#include "search/alphabeta/alphabeta.hpp"

namespace spielbaum {

struct AnyRootMove {
    int action;
    int value;
    std::vector<int> line;
};

struct AnyAlphaBetaResult {
    int depth = 0;
    int value = 0;
    std::vector<int> line;
    std::vector<AnyRootMove> moves;
};

class AnyAlphaBeta {
public:
    virtual ~AnyAlphaBeta() = default;
    virtual AnyAlphaBetaResult search(const AnyState& state, bool all_values, SearchControl& control) = 0;
    virtual void clear() = 0;
};
using AlphaBetaPtr = std::unique_ptr<AnyAlphaBeta>;

template <Game G, class Evaluation>
class TypedAlphaBeta final : public AnyAlphaBeta {
public:
    TypedAlphaBeta(const G& game, const AlphaBetaOptions& options) : game_(game), search_(game, Evaluation{}, options) {}

    AnyAlphaBetaResult search(const AnyState& state, bool all_values, SearchControl& control) override {
        const auto& typed = dynamic_cast<const TypedState<G>&>(state);
        const AlphaBetaResult found = search_.search(typed.state(), typed.path(), all_values, control);
        AnyAlphaBetaResult result{found.depth, found.value, actions(typed.state(), found.line), {}};
        for (const RootMove& move : found.moves)
            result.moves.push_back({game_.action(typed.state(), move.move), move.value, actions(typed.state(), move.line)});
        return result;
    }
    void clear() override { search_.clear(); }

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
    AlphaBeta<G, Evaluation> search_;
};

// The search for a game if it is of type G, else nothing.
template <Game G, class Evaluation>
AlphaBetaPtr try_alphabeta(const AnyGame& game, const AlphaBetaOptions& options) {
    const auto* typed = dynamic_cast<const TypedGame<G>*>(&game);
    return typed == nullptr ? nullptr : std::make_unique<TypedAlphaBeta<G, Evaluation>>(typed->rules(), options);
}

// Each is defined in a translation unit of its own and answers nothing for a game that it does not know.
AlphaBetaPtr make_alphabeta_tictactoe(const AnyGame& game, const AlphaBetaOptions& options);
AlphaBetaPtr make_alphabeta_connect4(const AnyGame& game, const AlphaBetaOptions& options);
AlphaBetaPtr make_alphabeta_yavalath(const AnyGame& game, const AlphaBetaOptions& options);
AlphaBetaPtr make_alphabeta_reversi(const AnyGame& game, const AlphaBetaOptions& options);
AlphaBetaPtr make_alphabeta_chess(const AnyGame& game, const AlphaBetaOptions& options);

}  // namespace spielbaum
