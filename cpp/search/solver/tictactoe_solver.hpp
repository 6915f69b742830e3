// The exact value of tic-tac-toe positions: the general alpha-beta searches to the end of the game.
//
// Scores follow the convention of Connect Four: a win with the side to move's k-th last stone scores k, a draw 0,
// losses are negative.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "eval/choice.hpp"
#include "games/tictactoe.hpp"
#include "search/alphabeta/alphabeta.hpp"
#include "search/control.hpp"
#include "search/solver/options.hpp"

namespace spielbaum {

class TicTacToeSolver {
public:
    using State = TicTacToe::State;

    struct ScoredMove {
        Move move;
        int score;
    };

    // The exact score of a position for the side to move.
    int score(const State& state, SearchControl& control) {
        if (TicTacToe::over(state)) return state.won ? score_of(-kWin, state) : 0;
        return score_of(search(state, false, control).value, state);
    }

    // Only win (1), draw (0) or loss (-1).
    int outcome(const State& state, SearchControl& control) { return sign(score(state, control)); }

    // The value of every legal move for the side to move, in the order of legal_moves(): exact scores, or only their
    // signs.
    std::vector<ScoredMove> moves(const State& state, bool exact, SearchControl& control) {
        std::vector<ScoredMove> result;
        for (const RootMove& found : search(state, true, control).moves) {
            const int score = score_of(found.value, state);
            result.push_back({found.move, exact ? score : sign(score)});
        }
        std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.move < b.move; });
        return result;
    }

    // A line of best play to the end of the game.
    std::vector<Move> best_line(State state, int, SearchControl& control) {
        std::vector<Move> line;
        while (!TicTacToe::over(state)) {
            line.push_back(search(state, false, control).moves.front().move);
            TicTacToe::play(state, line.back());
        }
        return line;
    }

private:
    static constexpr int sign(int value) { return (value > 0) - (value < 0); }

    // Without deepening, a search that was stopped has finished no depth at all.
    static AlphaBetaOptions whole_game() {
        AlphaBetaOptions options;
        options.iterative = false;
        options.memory.bytes = std::size_t{1} << 18;
        return options;
    }

    AlphaBetaResult search(const State& state, bool all_values, SearchControl& control) {
        AlphaBetaResult result = search_.search(state, Path{}, all_values, control);
        if (result.depth == 0 && !TicTacToe::over(state)) throw SearchStopped{};
        return result;
    }

    // Alpha-beta's value counts the plies to the end; the stones that are on the board then tell the score.
    static int score_of(int value, const State& state) {
        if (value == 0) return 0;
        const int stones = state.count + kWin - std::abs(value);
        return sign(value) * ((TicTacToe::num_cells() + 2 - stones) / 2);
    }

    // The same type as that of the agent, so that it is compiled once.
    using Evaluations = EvaluationChoice<NoEvaluation>;
    AlphaBeta<TicTacToe, Evaluations> search_{TicTacToe{}, Evaluations(NoEvaluation::kName), whole_game()};
};

// The solver in the kit of the game (bindings/kit.hpp). The whole game fits a small table; the options are for others.
struct TicTacToeSolving {
    static constexpr SolverFacts kFacts{};
    static TicTacToeSolver make(const TicTacToe&, const SolverOptions&) { return {}; }
};

}  // namespace spielbaum
