#include "bindings/any_alphabeta.hpp"
#include "bindings/any_mcts.hpp"
#include "bindings/any_ntuple.hpp"
#include "bindings/any_solver.hpp"
#include "bindings/instantiate.hpp"
#include "eval/connect4_eval.hpp"
#include "search/solver/connect4_solver.hpp"

namespace spielbaum {

namespace {

template <class Board, class Size>
SolverPtr try_solver(const AnyGame& game, const SolverOptions& options) {
    using Rules = Connect4<Board, Size>;
    using Solver = Connect4Solver<Board, Size>;
    const auto* typed = dynamic_cast<const TypedGame<Rules>*>(&game);
    if (typed == nullptr) return nullptr;
    return std::make_unique<TypedSolver<Rules, Solver>>(typed->rules(), options.memory, options.order);
}

}  // namespace

template GamePtr instantiate<Connect4Family>(OptionValues);

AlphaBetaPtr make_alphabeta_connect4(const AnyGame& game, const AlphaBetaOptions& options, const EvaluationSpec& evaluation) {
    if (auto search = try_alphabeta<ClassicConnect4, Connect4Evaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Connect4<u64, AnySize>, Connect4Evaluations>(game, options, evaluation)) return search;
    return try_alphabeta<Connect4<u128, AnySize>, Connect4Evaluations>(game, options, evaluation);
}

MctsPtr make_mcts_connect4(const AnyGame& game, const MctsOptions& options, u64 seed) {
    if (auto search = try_mcts<ClassicConnect4, Connect4Evaluations>(game, options, seed)) return search;
    if (auto search = try_mcts<Connect4<u64, AnySize>, Connect4Evaluations>(game, options, seed)) return search;
    return try_mcts<Connect4<u128, AnySize>, Connect4Evaluations>(game, options, seed);
}

SolverPtr make_connect4_solver(const AnyGame& game, const SolverOptions& options) {
    if (auto solver = try_solver<u64, ClassicSize>(game, options)) return solver;
    if (auto solver = try_solver<u64, AnySize>(game, options)) return solver;
    return try_solver<u128, AnySize>(game, options);
}

NTuplePtr make_ntuple_connect4(const GamePtr& game, const NTupleOptions& options) {
    if (auto network = try_ntuple<ClassicConnect4>(game, options)) return network;
    if (auto network = try_ntuple<Connect4<u64, AnySize>>(game, options)) return network;
    return try_ntuple<Connect4<u128, AnySize>>(game, options);
}

}  // namespace spielbaum
