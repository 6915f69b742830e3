// The parts of a Monte-Carlo tree search that can be chosen, by the names that a spec uses.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/bits.hpp"
#include "core/option.hpp"
#include "eval/choice.hpp"

namespace spielbaum {

enum class SelectRule : std::uint8_t { uct, uct1, uct2, uct3, ucd, ucb1_tuned, amaf, rave, pn, puct };
inline constexpr std::array<std::string_view, 10> kSelectNames{"uct",        "uct1", "uct2", "uct3", "ucd",
                                                               "ucb1-tuned", "amaf", "rave", "pn",   "puct"};

enum class PlayoutRule : std::uint8_t { random, lgr, gdk, mast };
inline constexpr std::array<std::string_view, 4> kPlayoutNames{"random", "lgr", "gdk", "mast"};

// What decides at the end: visits, the mean, or the selection rule without its exploration term.
enum class FinalRule : std::uint8_t { visits, value, select };
inline constexpr std::array<std::string_view, 3> kFinalNames{"visits", "value", "select"};

// How the weight of AMAF values falls with the visits n of a move: `gelly` is sqrt(k / (3 n + k)), `silver` is
// m / (n + m + n m / k) with m playouts that contain the move (Silver 2009, with a bias of 1 / (2 sqrt(k))), `helmbold` is
// max(0, (k - n) / k), so that AMAF values are given up after k visits (Helmbold and Parker-Wood 2009, as Browne et al. 2012
// print it in section 5.3.5).
enum class BetaRule : std::uint8_t { gelly, silver, helmbold };
inline constexpr std::array<std::string_view, 3> kBetaNames{"gelly", "silver", "helmbold"};

// puct: how exploration falls with the visits n of a move: P sqrt(N) / (1 + n) (Silver et al. 2017), or P sqrt(N / (1 + n)), which
// falls more slowly (what S3's program computed).
enum class PuctFormula : std::uint8_t { alphazero, s3 };
inline constexpr std::array<std::string_view, 2> kFormulaNames{"alphazero", "s3"};

// puct: what a move that was never tried is worth: nothing, a loss, or the mean of the moves that were tried, less
// fpu_drop sqrt(sum of their priors).
enum class FpuRule : std::uint8_t { zero, loss, parent };
inline constexpr std::array<std::string_view, 3> kFpuNames{"zero", "loss", "parent"};

// puct without a network: all moves are equally likely, or by exp(evaluation after the move / prior_t).
enum class PriorRule : std::uint8_t { uniform, eval };
inline constexpr std::array<std::string_view, 2> kPriorNames{"uniform", "eval"};

// puct: how moves of the root are picked: by the same rule as elsewhere, or by sequential halving of moves that were
// sampled with Gumbel noise.
enum class RootRule : std::uint8_t { same, gumbel };
inline constexpr std::array<std::string_view, 2> kRootNames{"same", "gumbel"};

// Several threads share a tree, or have one each and add up the visits of the root's moves. The first gets slow where
// iterations are short: all of them change the numbers of the same few moves.
enum class ParallelRule : std::uint8_t { tree, root };
inline constexpr std::array<std::string_view, 2> kParallelNames{"tree", "root"};

struct MctsOptions {
    static constexpr int kAllDepths = -1;  // of d1: means are those of the whole graph below
    static constexpr int kNoCut = -1;

    SelectRule select = SelectRule::uct;
    PlayoutRule playout = PlayoutRule::random;
    FinalRule final = FinalRule::visits;
    BetaRule beta = BetaRule::gelly;
    PuctFormula formula = PuctFormula::alphazero;
    FpuRule fpu = FpuRule::zero;
    PriorRule prior = PriorRule::uniform;
    RootRule root = RootRule::same;
    ParallelRule parallel = ParallelRule::tree;
    EvaluationSpec eval;     // the game's evaluation, where one is asked for
    double c = 0.8;          // weight of exploration
    double alpha = 0.5;      // weight of AMAF values with select=amaf
    double rave_k = 50.0;    // visits at which AMAF values and others weigh the same
    double cpn = 1.0;        // pn: weight of the rank by proof numbers
    int d1 = 0, d2 = 0, d3 = 0;  // ucd: how deep below a move its mean, the visits of all moves and its visits are counted
    int k = 0;               // plies that alpha-beta looks ahead when a playout ends within them; 0: it does not
    int cut = kNoCut;        // plies after which a playout ends by the game's evaluation
    double minimax = 0.0;    // weight of evaluations that are backed up by minimax
    double blend = 1.0;      // weight of a network's value; the rest is a playout's
    bool blend_ends = false;  // finished games are blended with a network's value like other leaves
    bool average = false;    // a network's answers are averaged over all symmetries
    double fpu_drop = 0.25;  // puct: see FpuRule
    double prior_t = 0.25;   // puct: see PriorRule
    double noise = 0.0;      // puct: share of Dirichlet noise in the priors of the root's moves
    double dirichlet = 0.3;  // puct: parameter of that noise
    int considered = 16;     // gumbel: moves of the root that are tried at first
    double temperature = 0.0;  // the move is drawn by visits^(1 / temperature); 0: the best is taken
    bool symmetry = false;   // graphs: positions that are symmetric are one node
    bool tree_moves = true;  // AMAF also counts moves made in the tree, not only those of the playout
    bool forget = false;     // LGR: a reply that lost is forgotten
    bool keep = true;        // LGR, MAST: what was learnt is kept for the next move
    bool first_reply = false;  // LGR: the playout's first move counts as a reply to the last move in the tree
    int context = 1;         // LGR: moves to which a reply answers, 1 or 2
    double mast_t = 1.0;     // MAST: temperature
    bool solver = true;      // proven results are kept and used
    bool reuse = true;       // the tree is kept for the next move
    int threads = 1;
    int batch = 8;           // leaves that wait for a network at the same time
    std::size_t memory = std::size_t{512} << 20;
};

}  // namespace spielbaum
