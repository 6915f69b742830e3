#include "bindings/any_solver.hpp"
#include "search/solver/reversi_solver.hpp"

namespace spielbaum {

namespace {

template <int Size>
SolverPtr try_solver(const AnyGame& game, std::size_t memory) {
    if (dynamic_cast<const TypedGame<Reversi<Size>>*>(&game) == nullptr) return nullptr;
    return std::make_unique<TypedSolver<Reversi<Size>, ReversiSolver<Size>>>(memory);
}

}  // namespace

SolverPtr make_reversi_solver(const AnyGame& game, std::size_t memory) {
    if (auto solver = try_solver<8>(game, memory)) return solver;
    if (auto solver = try_solver<4>(game, memory)) return solver;
    if (auto solver = try_solver<6>(game, memory)) return solver;
    return try_solver<10>(game, memory);
}

}  // namespace spielbaum
