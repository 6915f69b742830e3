#include "bindings/any_alphabeta.hpp"
#include "bindings/any_mcts.hpp"
#include "bindings/any_ntuple.hpp"
#include "bindings/any_solver.hpp"
#include "bindings/instantiate.hpp"
#include "eval/reversi_eval.hpp"
#include "search/solver/reversi_solver.hpp"

namespace spielbaum {

namespace {

template <int Size>
SolverPtr try_solver(const AnyGame& game, const SolverOptions& options) {
    if (dynamic_cast<const TypedGame<Reversi<Size>>*>(&game) == nullptr) return nullptr;
    return std::make_unique<TypedSolver<Reversi<Size>, ReversiSolver<Size>>>(options.memory);
}

}  // namespace

template GamePtr instantiate<ReversiFamily>(OptionValues);

AlphaBetaPtr make_alphabeta_reversi(const AnyGame& game, const AlphaBetaOptions& options, const EvaluationSpec& evaluation) {
    if (auto search = try_alphabeta<Reversi<8>, ReversiEvaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Reversi<4>, ReversiEvaluations>(game, options, evaluation)) return search;
    if (auto search = try_alphabeta<Reversi<6>, ReversiEvaluations>(game, options, evaluation)) return search;
    return try_alphabeta<Reversi<10>, ReversiEvaluations>(game, options, evaluation);
}

MctsPtr make_mcts_reversi(const AnyGame& game, const MctsOptions& options, u64 seed) {
    if (auto search = try_mcts<Reversi<8>, ReversiEvaluations>(game, options, seed)) return search;
    if (auto search = try_mcts<Reversi<4>, ReversiEvaluations>(game, options, seed)) return search;
    if (auto search = try_mcts<Reversi<6>, ReversiEvaluations>(game, options, seed)) return search;
    return try_mcts<Reversi<10>, ReversiEvaluations>(game, options, seed);
}

SolverPtr make_reversi_solver(const AnyGame& game, const SolverOptions& options) {
    if (auto solver = try_solver<8>(game, options)) return solver;
    if (auto solver = try_solver<4>(game, options)) return solver;
    if (auto solver = try_solver<6>(game, options)) return solver;
    return try_solver<10>(game, options);
}

NTuplePtr make_ntuple_reversi(const GamePtr& game, const NTupleOptions& options) {
    if (auto network = try_ntuple<Reversi<8>>(game, options)) return network;
    if (auto network = try_ntuple<Reversi<4>>(game, options)) return network;
    if (auto network = try_ntuple<Reversi<6>>(game, options)) return network;
    return try_ntuple<Reversi<10>>(game, options);
}

}  // namespace spielbaum
