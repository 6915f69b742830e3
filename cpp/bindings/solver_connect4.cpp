#include "bindings/any_solver.hpp"
#include "search/solver/connect4_solver.hpp"

namespace spielbaum {

namespace {

template <class Board, class Size>
SolverPtr try_solver(const AnyGame& game, std::size_t memory) {
    using Rules = Connect4<Board, Size>;
    using Solver = Connect4Solver<Board, Size>;
    const auto* typed = dynamic_cast<const TypedGame<Rules>*>(&game);
    if (typed == nullptr) return nullptr;
    return std::make_unique<TypedSolver<Rules, Solver>>(typed->rules(), memory);
}

}  // namespace

SolverPtr make_connect4_solver(const AnyGame& game, std::size_t memory) {
    if (auto solver = try_solver<u64, ClassicSize>(game, memory)) return solver;
    if (auto solver = try_solver<u64, AnySize>(game, memory)) return solver;
    return try_solver<u128, AnySize>(game, memory);
}

}  // namespace spielbaum
