// All rules of backing up, in the order in which their hooks are called: those that rules of selection bring along, and
// those that options ask for. A new one of the latter is included and named here.
#pragma once

#include <tuple>
#include <utility>

#include "search/mcts/backup/minimax.hpp"
#include "search/mcts/backup/paranoid.hpp"
#include "search/mcts/backup/solver.hpp"
#include "search/mcts/rules.hpp"
#include "search/mcts/select/catalog.hpp"

namespace spielbaum {

namespace backup_detail {
template <class... Selects>
auto brought(RuleList<Selects...>) -> RuleList<>::With<typename Selects::Backup...>;
}  // namespace backup_detail
using BroughtBackupRules = decltype(backup_detail::brought(SelectRules{}));
// The solver comes last: it changes what nodes above get to see of the rewards.
using BackupRules = BroughtBackupRules::With<ParanoidBackup, MinimaxBackup, SolverBackup>;

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

    // A search has at most one of the rules that selections bring, and often none: one look instead of many.
    static constexpr std::size_t kBrought = BroughtBackupRules::kCount, kAll = BackupRules::kCount;
    template <class Call>
    [[gnu::always_inline]] void each(Call&& call) {
        if ((mask_ & ((1u << kBrought) - 1)) != 0) each_from<0>(call, std::make_index_sequence<kBrought>{});
        each_from<kBrought>(call, std::make_index_sequence<kAll - kBrought>{});
    }
    template <std::size_t First, class Call, std::size_t... Is>
    [[gnu::always_inline]] void each_from(Call& call, std::index_sequence<Is...>) {
        ((mask_ >> (First + Is) & 1 ? call(std::get<First + Is>(policies_)) : void()), ...);
    }

    Policies policies_;
    unsigned mask_ = 0;
    bool names_moves_ = false;
};

}  // namespace spielbaum
