// Alpha-beta of a game that is known only at run time.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "bindings/typed_game.hpp"
#include "eval/choice.hpp"
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
    u64 nodes = 0;
};

class AnyAlphaBeta {
public:
    virtual ~AnyAlphaBeta() = default;
    using Report = std::function<void(const AnyAlphaBetaResult&)>;
    virtual AnyAlphaBetaResult search(const AnyState& state, bool all_values, SearchControl& control,
                                      const Report& report) = 0;
    virtual void clear() = 0;
};
using AlphaBetaPtr = std::unique_ptr<AnyAlphaBeta>;

template <Game G, class Evaluation>
class TypedAlphaBeta final : public AnyAlphaBeta {
public:
    TypedAlphaBeta(const G& game, const AlphaBetaOptions& options)
        : game_(game), search_(game, Evaluation(options.evaluation()), options) {}

    AnyAlphaBetaResult search(const AnyState& state, bool all_values, SearchControl& control,
                              const Report& report) override {
        const auto& typed = dynamic_cast<const TypedState<G>&>(state);
        const auto translated = [&](const AlphaBetaResult& found) {
            AnyAlphaBetaResult result{found.depth, found.value, actions(typed.state(), found.line), {}, found.nodes};
            for (const RootMove& move : found.moves)
                result.moves.push_back(
                    {game_.action(typed.state(), move.move), move.value, actions(typed.state(), move.line)});
            return result;
        };
        const auto pass_on = [&](const AlphaBetaResult& found) {
            if (report) report(translated(found));
        };
        return translated(search_.search(typed.state(), typed.path(), all_values, control, pass_on));
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

}  // namespace spielbaum
