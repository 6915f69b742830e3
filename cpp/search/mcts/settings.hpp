// What can be set in a Monte-Carlo tree search whatever its rules are. Settings of a rule are declared beside the rule.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "core/bits.hpp"
#include "core/setting.hpp"

namespace spielbaum {

// What decides at the end: visits, the mean, or the selection rule without its exploration term.
enum class FinalRule : std::uint8_t { visits, value, select };
inline constexpr std::array<std::string_view, 3> kFinalNames{"visits", "value", "select"};

// puct without a network: all moves are equally likely, or by exp(evaluation after the move / prior_t).
enum class PriorRule : std::uint8_t { uniform, eval };
inline constexpr std::array<std::string_view, 2> kPriorNames{"uniform", "eval"};

// puct: how moves of the root are picked: by the same rule as elsewhere, or by sequential halving of moves that were
// sampled with Gumbel noise.
enum class RootRule : std::uint8_t { same, gumbel };
inline constexpr std::array<std::string_view, 2> kRootNames{"same", "gumbel"};

// Rules with priors, without which some settings have no effect.
inline constexpr std::array<std::string_view, 1> kWithPriors{"puct"}, kGumbel{"gumbel"}, kByEvaluation{"eval"};

// Several threads have a tree each and add up the visits of the root's moves, or share one. The latter gets slow where
// iterations are short: all of them change the numbers of the same few moves.
enum class ParallelRule : std::uint8_t { root, tree };
inline constexpr std::array<std::string_view, 2> kParallelNames{"root", "tree"};

struct LeafSettings {
    static constexpr int kNoCut = -1;

    int k = 0;
    int cut = kNoCut;
    std::string eval = "auto";
    double minimax = 0.0;
    static constexpr auto options() {
        using S = LeafSettings;
        return std::tuple(
            setting("k", &S::k, {0, 64},
                    "when a playout ends within k plies of the root, alpha-beta looks so far for a win, and for moves "
                    "that lose; 0: never"),
            setting("cut", &S::cut, {kNoCut, 1'000'000},
                    "plies after which a playout ends by the game's evaluation; 0: no playouts; -1: never"),
            setting("eval", &S::eval,
                    "the game's evaluation, or ntuple:FILE, as in alphabeta, for cut, minimax and prior; or net:FILE, "
                    "a neural network whose "
                    "values take the place of playouts, or part of it (blend)"),
            setting("minimax", &S::minimax, {0.0, 1.0},
                    "weight of evaluations that are backed up by minimax beside the means"));
    }
};

struct PriorSettings {
    PriorRule prior = PriorRule::uniform;
    double prior_t = 0.25;
    static constexpr auto options() {
        using S = PriorSettings;
        return std::tuple(
            choice("prior", &S::prior, kPriorNames,
                   "puct without a network: all moves alike, or by exp(evaluation after the move / prior_t)")
                .only_with("select", kWithPriors),
            setting("prior_t", &S::prior_t, {0.001, 1e6}, "puct: temperature of prior=eval")
                .only_with("prior", kByEvaluation));
    }
};

struct RootSettings {
    double noise = 0.0;
    double dirichlet = 0.3;
    RootRule root = RootRule::same;
    int considered = 16;
    double temperature = 0.0;
    static constexpr auto options() {
        using S = RootSettings;
        return std::tuple(setting("noise", &S::noise, {0.0, 1.0}, "puct: share of noise in the priors of the root"),
                          setting("dirichlet", &S::dirichlet, {0.001, 1e6}, "puct: parameter of the Dirichlet noise")
                              .only_with("noise"),
                          choice("root", &S::root, kRootNames,
                                 "puct: how moves of the root are picked: as elsewhere, or gumbel, by sequential "
                                 "halving of moves that were "
                                 "sampled with Gumbel noise"),
                          setting("considered", &S::considered, {1, 65535}, "gumbel: moves that are tried at first")
                              .only_with("root", kGumbel),
                          setting("temperature", &S::temperature, {0.0, 1e3},
                                  "the move is drawn by visits^(1 / temperature); 0: the best is taken"));
    }
};

struct NetworkSettings {
    static constexpr int kMostLeaves = 8;

    double blend = 1.0;
    bool blend_ends = false;
    bool average = false;
    int batch = 0;
    static constexpr auto options() {
        using S = NetworkSettings;
        return std::tuple(
            setting("blend", &S::blend, {0.0, 1.0}, "weight of a network's value at a leaf; the rest is the playout's"),
            setting("blend_ends", &S::blend_ends,
                    "blend finished games with a network's value like all other leaves, instead of counting their "
                    "exact result"),
            setting("average", &S::average, "a network's answers are averaged over all symmetries"),
            setting("batch", &S::batch, {0, 4096},
                    "leaves of a search that a network sees at a time; 0: one for every 64 iterations of the budget, "
                    "from 1 to 8"));
    }
    int leaves() const { return batch == 0 ? kMostLeaves : batch; }
};

struct GraphSettings {
    bool symmetry = false;
    static constexpr auto options() {
        return std::tuple(setting("symmetry", &GraphSettings::symmetry,
                                  "uct1 to uct3, ucd: symmetric positions are one; no tree is kept"));
    }
};

struct SearchSettings {
    FinalRule final = FinalRule::visits;
    bool solver = true;
    bool reuse = true;
    int threads = 1;
    ParallelRule parallel = ParallelRule::root;
    Megabytes memory = 512;
    static constexpr auto options() {
        using S = SearchSettings;
        return std::tuple(
            choice("final", &S::final, kFinalNames,
                   "what decides at the end: the visits of a move, its mean value, or select, the selection rule "
                   "without its "
                   "exploration term (rave and amaf: the blended mean; pn: mean + cpn (1 - rank / worst rank))"),
            setting("solver", &S::solver, "proven wins, draws and losses are kept and used"),
            setting("reuse", &S::reuse, "the tree is kept for the next move"),
            setting("threads", &S::threads, {1, 256}, "threads that search together"),
            choice("parallel", &S::parallel, kParallelNames,
                   "several threads grow a tree each and add up the visits of the root's moves, or one tree"),
            setting("memory", &S::memory, {1, 65536}, "megabytes of the tree"));
    }
};

}  // namespace spielbaum
