// All rules of backing up, in the order in which their hooks are called: those that rules of selection bring along, and those that
// options ask for. A new one of the latter is included and named here.
#pragma once

#include <tuple>
#include <utility>

#include "search/mcts/backup/minimax.hpp"
#include "search/mcts/backup/solver.hpp"
#include "search/mcts/rules.hpp"
#include "search/mcts/select/catalog.hpp"

namespace spielbaum {

namespace backup_detail {
// The solver comes last: it changes what nodes above get to see of the rewards.
template <class... Selects>
auto all(RuleList<Selects...>) -> RuleList<>::With<typename Selects::Backup..., MinimaxBackup, SolverBackup>;
}  // namespace backup_detail
using BackupRules = decltype(backup_detail::all(SelectRules{}));

// The policies of all of them, and whose hooks are called.
template <Game G>
class Backup {
public:
    explicit Backup(const auto& task) : Backup(task, BackupRules{}) {}

    bool names_moves() const { return names_moves_; }
    void opened(const Opening<G>& opening, const auto& value) {
        each([&](auto& policy) { policy.opened(opening, value); });
    }
    void leaf(const Arrival<G>& arrival) {
        each([&](auto& policy) { policy.leaf(arrival); });
    }
    // `make` makes the Ascent.
    template <class Make>
    [[gnu::always_inline]] void step(Make&& make) {
        each([&](auto& policy) { policy.step(make()); });
    }
    void arrived(const Arrival<G>& arrival) {
        each([&](auto& policy) { policy.arrived(arrival); });
    }

private:
    template <class... Rules>
    static std::tuple<typename Rules::template Policy<G>...> all(RuleList<Rules...>);
    using Policies = decltype(all(BackupRules{}));

    template <class... Rules>
    Backup(const auto& task, RuleList<Rules...>) : policies_(typename Rules::template Policy<G>(task)...) {
        unsigned place = 0;
        ((mask_ |= unsigned{Rules::wanted(task.needs, task.options)} << place++), ...);
        each([&](const auto& policy) { names_moves_ = names_moves_ || policy.kNamesMoves; });
    }

    template <class Call>
    [[gnu::always_inline]] void each(Call&& call) {
        [&]<std::size_t... Is>(std::index_sequence<Is...>) {
            ((mask_ >> Is & 1 ? call(std::get<Is>(policies_)) : void()), ...);
        }(std::make_index_sequence<std::tuple_size_v<Policies>>{});
    }

    Policies policies_;
    unsigned mask_ = 0;
    bool names_moves_ = false;
};

}  // namespace spielbaum
