// Monte-Carlo tree search: select, expand, play out, back up; for any number of players and every game.
//
// The tree holds no states: each iteration replays the moves from the root. Every player maximises his own reward (max^n),
// which for two players is negamax. Proven results (MCTS-Solver: Winands, Bjornsson and Saito 2008) are kept apart from
// means: a player takes a proven win and leaves proven losses alone.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "eval/choice.hpp"
#include "search/alphabeta/alphabeta.hpp"
#include "search/control.hpp"
#include "search/mcts/playouts.hpp"
#include "search/mcts/select.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

struct MctsMove {
    Move move;
    std::uint32_t visits = 0;
    double value = 0.0;  // for the player who moves
    Proof proof = Proof::unknown;
    std::vector<Move> line;  // begins with the move
};

struct MctsResult {
    u64 iterations = 0;
    double value = 0.0;
    Proof proof = Proof::unknown;
    std::vector<MctsMove> moves;  // the chosen one first
    std::size_t nodes = 0, bytes = 0;
    bool full = false;  // the memory was used up, and the tree grew no more
    u64 kept = 0;       // visits of the root from earlier searches
};

template <Game G>
class Mcts {
public:
    using State = typename G::State;
    using Report = std::function<void(const MctsResult&)>;

    Mcts(const G& game, const MctsOptions& options, u64 seed)
        : game_(game),
          options_(options),
          selection_(make_selection(options)),
          playout_(make_playout(game, options)),
          // Two trees, one of which is empty but while the kept part is copied.
          tree_(options.memory / 2, needs_),
          other_tree_(options.memory / 2, needs_),
          rng_(seed),
          names_(static_cast<std::size_t>(num_names(game))),
          played_at_(needs_.amaf ? names_ * static_cast<std::size_t>(game.num_players()) : 0),
          buffer_(static_cast<std::size_t>(game.max_moves())) {}

    void reset(u64 seed) {
        rng_ = Rng(seed);
        root_.reset();
        std::visit([](auto& policy) { policy.forget_all(); }, playout_);
    }

    // Iterates until the control's limits, whose nodes are iterations. `report` is called ten times a second at most.
    MctsResult search(const State& root, const Path& path, SearchControl& control, const Report& report = {}) {
        if (game_.over(root)) return {};
        start_from(root, path);
        const u64 kept = tree_.node(kRoot).visits;
        full_ = false;
        looked_ahead_ = options_.k == 0;
        u64 iterations = 0;
        auto last_report = std::chrono::steady_clock::now();
        try {
            while (!decided()) {
                control.count_node();
                iterate();
                ++iterations;
                if (!looked_ahead_ && plies_ <= options_.k) look_ahead(control);
                if (report && iterations % 64 == 0) {
                    const auto now = std::chrono::steady_clock::now();
                    if (now - last_report >= std::chrono::milliseconds(100)) {
                        last_report = now;
                        report(result(iterations, kept));
                    }
                }
            }
        } catch (const SearchStopped&) {
            // Iterations are short: the last one was finished.
        }
        return result(iterations, kept);
    }

private:
    static constexpr Tree::Index kRoot = 1;

    struct Step {
        Tree::Index node, edge;
    };

    TreeNeeds needs() const {
        TreeNeeds needs = std::visit([](const auto& rule) { return rule.kNeeds; }, selection_);
        needs.values = std::min(needs.values, game_.num_players());
        return needs;
    }

    // ---- the root ----
    // The tree of the last search goes on where the game is now, if that is in it.
    void start_from(const State& root, const Path& path) {
        if (!options_.keep) std::visit([](auto& policy) { policy.forget_all(); }, playout_);
        std::optional<Tree::Index> known;
        if (options_.reuse && !options_.symmetry && root_) known = find(root, path);
        // Proof numbers are about the wins of one player, and mean nothing when another asks.
        if (needs_.proof_numbers && known && game_.to_move(root) != tree_.prover()) known.reset();
        if (known && *known != kRoot) {
            other_tree_.take_from(tree_, *known);
            std::swap(tree_, other_tree_);
        } else if (!known) {
            tree_.clear();
            tree_.add_node(game_.to_move(root), needs_.graph ? graph_key(root) : 0);
        }
        tree_.set_prover(game_.to_move(root));
        root_ = root;
        root_path_ = path;
        path_ = path;
        if (tree_.node(kRoot).num_edges == 0) make_edges(kRoot, root);
    }

    // The node of a state at most two rounds below the old root, by replaying the moves that were tried.
    std::optional<Tree::Index> find(const State& wanted, const Path& wanted_path) const {
        struct Place {
            Tree::Index index;
            State state;
            Path path;
        };
        std::vector<Place> level{{kRoot, *root_, root_path_}};
        std::size_t replays = 0;
        for (int ply = 0; ply <= 2 * game_.num_players(); ++ply) {
            std::vector<Place> next;
            for (const Place& place : level) {
                if (place.state == wanted && same_history(place.path, wanted, wanted_path)) return place.index;
                const Node& node = tree_.node(place.index);
                for (Tree::Index i = node.first_edge; i < node.first_edge + node.opened; ++i) {
                    if (++replays > kMostReplays) return std::nullopt;
                    next.push_back({tree_.edge(i).child, place.state, place.path});
                    advance(game_, next.back().state, tree_.edge(i).move, next.back().path);
                }
            }
            level = std::move(next);
        }
        return std::nullopt;
    }
    // Draws by repetition in the tree hold only for a game that came the same way.
    bool same_history(const Path& path, const State& wanted, const Path& wanted_path) const {
        if constexpr (Repeats<G>) return path.ends_like(wanted_path, game_.reversible_plies(wanted));
        return true;
    }

    bool decided() const { return (options_.solver || options_.k > 0) && tree_.node(kRoot).proof != Proof::unknown; }

    // ---- one iteration ----
    void iterate() {
        State state = *root_;
        Tree::Index index = kRoot;
        steps_.clear();
        plies_ = 0;
        trace_.clear();
        before_playout_ = 0;
        Rewards rewards{};
        while (true) {
            Node& node = tree_.node(index);
            if (node.over) {
                rewards = game_.outcome(state).rewards;
                break;
            }
            if (node.proof != Proof::unknown && index != kRoot) {
                rewards = proven_rewards(node);
                break;
            }
            if (node.num_edges == 0 && ((node.visits == 0 && index != kRoot) || !make_edges(index, state))) {
                rewards = play_out(state);
                break;
            }
            if (node.opened < node.num_edges) {
                const Tree::Index child = open_edge(index, state);
                if (child != Tree::kNone) {
                    rewards = tree_.node(child).over ? game_.outcome(state).rewards : play_out(state);
                    index = child;
                    break;
                }
                if (node.opened == 0) {
                    rewards = play_out(state);
                    break;
                }
            }
            const Tree::Index edge = std::visit([&](const auto& rule) { return best_edge(tree_, node, rule); }, selection_);
            steps_.push_back({index, edge});
            advance(game_, state, tree_.edge(edge).move, path_);
            if (const int symmetry = tree_.edge(edge).symmetry; symmetry != 0) state = game_.transform(state, symmetry);
            index = tree_.edge(edge).child;
        }
        plies_ += static_cast<int>(steps_.size());
        back_up(index, rewards);
        if constexpr (Repeats<G>) path_ = root_path_;
    }

    // All moves of a node as edges that have not been tried; false if there is no room.
    bool make_edges(Tree::Index index, const State& state) {
        const int count = game_.legal_moves(state, buffer_.data());
        if (!tree_.add_edges(index, static_cast<std::size_t>(count))) {
            full_ = true;
            return false;
        }
        const Tree::Index first = tree_.node(index).first_edge;
        for (int i = 0; i < count; ++i) {
            Edge& edge = tree_.edge(first + static_cast<Tree::Index>(i));
            edge.move = buffer_[static_cast<std::size_t>(i)];
            if (names_in_edges_) edge.name = static_cast<std::uint16_t>(name_of(game_, state, edge.move));
        }
        return true;
    }

    // Tries a random move of those that have not been tried; kNone if there is no room for its node.
    Tree::Index open_edge(Tree::Index index, State& state) {
        Node& node = tree_.node(index);
        const Tree::Index place = node.first_edge + node.opened;
        const auto drawn = static_cast<Tree::Index>(rng_.below(node.num_edges - node.opened));
        std::swap(tree_.edge(place), tree_.edge(place + drawn));
        State next = state;
        advance(game_, next, tree_.edge(place).move, path_);
        if (options_.symmetry) tree_.edge(place).symmetry = make_canonical(next);
        const u64 key = needs_.graph ? graph_key(next) : 0;
        Tree::Index child = needs_.graph ? tree_.find_node(key) : Tree::kNone;
        if (child == Tree::kNone) child = tree_.add_node(game_.to_move(next), key);
        if (child == Tree::kNone) {
            if constexpr (Repeats<G>) path_.pop();
            full_ = true;
            return child;
        }
        state = next;
        tree_.edge(place).child = child;
        ++tree_.node(index).opened;
        steps_.push_back({index, place});
        if (game_.over(state)) {
            tree_.node(child).over = true;
            if (needs_.proof_numbers)
                tree_.proof_numbers(child) = ProofNumbers::known(proof_for(state, tree_.prover()) == Proof::win);
            if (options_.solver && !by_repetition(state)) tree_.edge(place).proof = proof_for(state, node.to_move);
        }
        return child;
    }

    // ---- the graph ----
    // Positions that are equal but for their clock or their history have other futures; with both in the key no way through
    // the graph comes back to a node.
    u64 graph_key(const State& state) const {
        u64 key = game_.key(state);
        if constexpr (Repeats<G>)
            key ^= mix(static_cast<u64>(game_.repeats(state)) + (static_cast<u64>(game_.reversible_plies(state)) << 8));
        return key;
    }
    // In a graph a draw by repetition holds for one way to the position only, and so proves nothing.
    bool by_repetition(const State& state) const {
        if constexpr (Repeats<G>) return needs_.graph && game_.repeats(state) >= 2;
        return false;
    }
    // Turns the state into the one of its images that has the lowest key, and tells the symmetry.
    std::uint8_t make_canonical(State& state) const {
        const State original = state;
        int chosen = 0;
        for (int i = 1; i < game_.num_symmetries(); ++i) {
            State image = game_.transform(original, i);
            if (game_.key(image) >= game_.key(state)) continue;
            state = std::move(image);
            chosen = i;
        }
        return static_cast<std::uint8_t>(chosen);
    }

    Rewards play_out(State& state) {
        return std::visit([&](auto& policy) { return play_out(state, policy); }, playout_);
    }
    template <class Policy>
    Rewards play_out(State& state, Policy& policy) {
        if (Policy::kTraced || !played_at_.empty()) {
            if (Policy::kTraced && options_.first_reply && !steps_.empty()) trace_last_step();
            while (!game_.over(state)) {
                const Move move = policy.choose(game_, state, trace_, rng_, buffer_.data());
                trace_.push_back({static_cast<std::uint16_t>(name_of(game_, state, move)),
                                  static_cast<std::uint8_t>(game_.to_move(state))});
                advance(game_, state, move, path_);
                ++plies_;
            }
        } else {
            for (; !game_.over(state); ++plies_)
                advance(game_, state, policy.choose(game_, state, {}, rng_, buffer_.data()), path_);
        }
        const Rewards rewards = game_.outcome(state).rewards;
        policy.learn(trace_, rewards);
        return rewards;
    }
    void trace_last_step() {
        const Step& step = steps_.back();
        trace_.push_back({tree_.edge(step.edge).name, tree_.node(step.node).to_move});
        before_playout_ = 1;
    }

    // ---- backing up ----
    void back_up(Tree::Index leaf, const Rewards& rewards) {
        std::array<Fixed, kMaxPlayers> fixed{};
        for (int player = 0; player < game_.num_players(); ++player)
            fixed[static_cast<std::size_t>(player)] = to_fixed(rewards[static_cast<std::size_t>(player)]);
        visit(leaf, fixed);
        if (!played_at_.empty()) mark_played();
        bool prove = options_.solver;
        Tree::Index below = leaf;
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
            Node& node = tree_.node(step->node);
            Edge& edge = tree_.edge(step->edge);
            const Fixed reward = fixed[node.to_move];
            visit(step->node, fixed);
            if (options_.symmetry) {
                // Moves that are images of each other lead to one node, and learn from each other.
                for (Tree::Index i = node.first_edge; i < node.first_edge + node.opened; ++i)
                    if (tree_.edge(i).child == edge.child) count(tree_.edge(i), reward);
            } else {
                count(edge, reward);
            }
            if (needs_.squares) tree_.squares(step->edge) += to_fixed(to_real(reward) * to_real(reward));
            if (!played_at_.empty()) update_amaf(node, reward, edge);
            if (prove) prove = prove_step(node, edge, tree_.node(below));
            if (needs_.proof_numbers) update_proof_numbers(step->node);
            // Moves that are still searched may be worse than a draw that is at hand: those above do not get to see it.
            if (node.has_draw && reward < 0) fixed = {};
            below = step->node;
        }
    }

    void visit(Tree::Index index, const std::array<Fixed, kMaxPlayers>& rewards) {
        ++tree_.node(index).visits;
        for (int player = 0; player < needs_.values; ++player)
            tree_.value(index, player) += rewards[static_cast<std::size_t>(player)];
    }
    static void count(Edge& edge, Fixed reward) {
        ++edge.visits;
        edge.sum += reward;
    }

    // The moves of the playout, as the number of the iteration at the place of the move.
    void mark_played() {
        if (++stamp_ == 0) {  // after four thousand million iterations the old marks would come alive
            std::fill(played_at_.begin(), played_at_.end(), 0);
            stamp_ = 1;
        }
        for (std::size_t i = before_playout_; i < trace_.size(); ++i)
            played_at_[trace_[i].player * names_ + trace_[i].name] = stamp_;
    }
    // Every tried move of the node's player that was made below it shares in the reward.
    void update_amaf(const Node& node, Fixed reward, const Edge& taken) {
        std::uint32_t* const played = played_at_.data() + node.to_move * names_;
        if (options_.tree_moves) played[taken.name] = stamp_;
        for (Tree::Index i = node.first_edge; i < node.first_edge + node.opened; ++i)
            if (played[tree_.edge(i).name] == stamp_) {
                AmafStatistics& amaf = tree_.amaf(i);
                amaf.sum += reward;
                ++amaf.visits;
            }
    }

    // ---- proofs ----
    Proof proof_for(const State& end, int player) const {
        const double reward = game_.outcome(end).rewards[static_cast<std::size_t>(player)];
        return reward > 0 ? Proof::win : reward < 0 ? Proof::loss : Proof::draw;
    }
    Rewards proven_rewards(const Node& node) const {
        if (node.proof == Proof::draw) return {};
        const int winner = node.proof == Proof::win ? node.to_move : 1 - node.to_move;
        return Outcome::win(winner, game_.num_players(), "").rewards;
    }
    // What the node below proves of the edge and of its node; false if nothing new, so that nothing follows above. With
    // more than two players, a proven result of one does not say what it means for another: only moves that win at once, or
    // lead to a win of the same player, prove anything.
    bool prove_step(Node& node, Edge& edge, const Node& below) {
        const bool two_players = game_.num_players() == 2;
        if (!below.over) {
            const bool same = below.to_move == node.to_move;
            if (below.proof == Proof::unknown || (!same && !two_players)) return false;
            edge.proof = same ? below.proof : opposite(below.proof);
        }
        if (edge.proof == Proof::win) {
            node.proof = Proof::win;
            return true;
        }
        node.has_draw = node.has_draw || (two_players && edge.proof == Proof::draw);
        if (!two_players || node.opened < node.num_edges) return false;
        Proof best = Proof::loss;
        for (const Edge& each : tree_.edges(node)) {
            if (each.proof == Proof::unknown) return false;
            best = std::max(best, each.proof);
        }
        node.proof = best;
        return true;
    }

    // The prover needs one good move, the other player must have all of his refuted. Moves that were not tried count as
    // leaves.
    void update_proof_numbers(Tree::Index index) {
        const Node& node = tree_.node(index);
        const auto untried = static_cast<std::uint32_t>(node.num_edges - node.opened);
        std::uint32_t least = untried > 0 ? 1 : ProofNumbers::kInfinite, sum = untried;
        const bool proving = node.to_move == tree_.prover();
        for (Tree::Index i = node.first_edge; i < node.first_edge + node.opened; ++i) {
            const ProofNumbers& child = tree_.proof_numbers(tree_.edge(i).child);
            least = std::min(least, proving ? child.proof : child.disproof);
            sum = ProofNumbers::sum(sum, proving ? child.disproof : child.proof);
        }
        tree_.proof_numbers(index) = proving ? ProofNumbers{least, sum} : ProofNumbers{sum, least};
    }

    // An iteration ended within k plies of the root, so that one of the players may be able to force a win there: alpha-beta
    // looks for a win in k plies, and for moves that lose in k plies (Li 2018).
    void look_ahead(SearchControl& control) {
        looked_ahead_ = true;
        AlphaBetaOptions options;
        options.memory = std::size_t{8} << 20;
        AlphaBeta<G, NoEvaluation> search(game_, {}, options);
        SearchControl own = control.within();
        own.set_depth(options_.k);
        const AlphaBetaResult found = search.search(*root_, root_path_, true, own);
        if (found.depth < options_.k && std::abs(found.value) < kWinBound) return;  // stopped
        Node& root = tree_.node(kRoot);
        bool all_lost = true;
        for (const RootMove& move : found.moves) {
            if (std::abs(move.value) < kWinBound) all_lost = false;
            for (Tree::Index i = root.first_edge; i < root.first_edge + root.num_edges; ++i)
                if (tree_.edge(i).move == move.move && std::abs(move.value) >= kWinBound)
                    tree_.edge(i).proof = move.value > 0 ? Proof::win : Proof::loss;
        }
        if (found.value >= kWinBound) root.proof = Proof::win;
        if (all_lost && found.value <= -kWinBound) root.proof = Proof::loss;
    }

    // ---- the answer ----
    // The edges of a node, the best final choice first: a proven win, what is searched by the final rule, a proven loss. A
    // proven draw, which is not visited any more, comes before what is searched if the best of that is worth less.
    std::vector<const Edge*> ranked(const Node& node) const {
        std::vector<const Edge*> edges;
        for (const Edge& edge : tree_.edges(node)) edges.push_back(&edge);
        const auto before = [&](const Edge* a, const Edge* b) {
            const bool by_value = options_.final == FinalRule::value;
            if (by_value && value_of(*a) != value_of(*b)) return value_of(*a) > value_of(*b);
            if (a->visits != b->visits) return a->visits > b->visits;
            return value_of(*a) > value_of(*b);
        };
        std::stable_sort(edges.begin(), edges.end(), before);
        const auto searched = std::find_if(edges.begin(), edges.end(), [](const Edge* edge) { return edge->proof == Proof::unknown; });
        const bool draws_first = searched != edges.end() && value_of(**searched) < 0.0;
        const auto group = [&](const Edge* edge) {
            switch (edge->proof) {
                case Proof::win: return 0;
                case Proof::draw: return draws_first ? 1 : 3;
                case Proof::unknown: return 2;
                default: return 4;
            }
        };
        std::stable_sort(edges.begin(), edges.end(), [&](const Edge* a, const Edge* b) { return group(a) < group(b); });
        return edges;
    }
    // A move that was never tried comes last.
    static double value_of(const Edge& edge) {
        return edge.proof != Proof::unknown ? proven_value(edge.proof) : edge.visits == 0 ? -2.0 : edge.mean();
    }

    std::vector<Move> line_from(const Edge& first) const {
        std::vector<Move> line{first.move};
        State state = *root_, image = *root_;  // the position of the game, and that of the node
        const Edge* edge = &first;
        while (true) {
            game_.play(state, line.back());
            game_.play(image, edge->move);
            if (edge->symmetry != 0) image = game_.transform(image, edge->symmetry);
            const Tree::Index index = edge->child;
            if (index == 0 || tree_.node(index).opened == 0) return line;
            edge = ranked(tree_.node(index)).front();
            line.push_back(options_.symmetry ? move_behind(state, image, edge->move) : edge->move);
        }
    }
    // The move in a position that is a given move in an image of the position.
    Move move_behind(const State& state, const State& image, Move move) const {
        const int wanted = game_.action(image, move);
        std::vector<Move> legal(buffer_.size());
        legal.resize(static_cast<std::size_t>(game_.legal_moves(state, legal.data())));
        for (int i = 0; i < game_.num_symmetries(); ++i) {
            if (game_.transform(state, i) != image) continue;
            for (const Move candidate : legal)
                if (game_.transform_action(game_.action(state, candidate), i) == wanted) return candidate;
        }
        return move;
    }

    MctsResult result(u64 iterations, u64 kept) {
        MctsResult found;
        const Node& root = tree_.node(kRoot);
        found.iterations = iterations;
        found.nodes = tree_.num_nodes();
        found.bytes = tree_.bytes();
        found.full = full_;
        found.kept = kept;
        for (const Edge* edge : ranked(root)) {
            const double value = edge->proof != Proof::unknown ? proven_value(edge->proof) : edge->mean();
            found.moves.push_back({edge->move, edge->visits, value, edge->proof, line_from(*edge)});
        }
        if (!found.moves.empty()) found.value = found.moves.front().value;
        found.proof = root.proof;
        return found;
    }

    static constexpr std::size_t kMostReplays = 20000;

    G game_;
    MctsOptions options_;
    Selection selection_;
    TreeNeeds needs_ = needs();
    PlayoutPolicy<G> playout_;
    Tree tree_, other_tree_;
    Rng rng_;
    std::size_t names_;
    std::vector<std::uint32_t> played_at_;  // by player and name: the last iteration with that move; empty if nobody asks
    std::vector<Move> buffer_;
    bool names_in_edges_ = needs_.amaf || options_.first_reply;
    std::optional<State> root_;
    Path root_path_, path_;
    std::vector<Step> steps_;
    std::vector<PlayedMove> trace_;     // the moves of the playout, after what is known of the tree's last move
    std::size_t before_playout_ = 0;
    std::uint32_t stamp_ = 0;
    bool full_ = false;
    int plies_ = 0;              // from the root to the end of the last playout
    bool looked_ahead_ = false;  // alpha-beta has had its look, or is not asked
};

}  // namespace spielbaum
