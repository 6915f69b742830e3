// Monte-Carlo tree search for any number of players and every game: the root, the threads, and the answer.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "eval/choice.hpp"
#include "search/alphabeta/alphabeta.hpp"
#include "search/control.hpp"
#include "search/helpers.hpp"
#include "search/mcts/result.hpp"
#include "search/mcts/worker.hpp"

namespace spielbaum {

inline u64 seed_of_thread(u64 seed, int thread) { return thread == 0 ? seed : mix(seed + static_cast<u64>(thread)); }

template <Game G, class Evaluation = EvaluationChoice<NoEvaluation>>
class Mcts {
public:
    using State = typename G::State;
    using Report = std::function<void(const MctsResult&)>;
    struct Earlier {
        State state;
        Path path;
    };

    Mcts(const G& game, const MctsOptions& options, u64 seed) : task_(game, options) {
        // Two trees, one of which is empty but while the kept part is copied.
        task_.tree = std::make_unique<Tree>(options.memory.bytes / 2, task_.needs, options.threads > 1);
        other_tree_ = std::make_unique<Tree>(options.memory.bytes / 2, task_.needs, options.threads > 1);
        for (int i = 0; i < options.threads; ++i)
            workers_.push_back(std::make_unique<Worker>(task_, seed_of_thread(seed, i)));
    }
    // The workers refer to the task.
    Mcts(const Mcts&) = delete;
    Mcts& operator=(const Mcts&) = delete;

    void reset(u64 seed) {
        task_.root.reset();
        for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i]->reset(seed_of_thread(seed, static_cast<int>(i)));
    }

    // Iterates until the control's limits, whose nodes are iterations of all threads together. `report` is called ten
    // times a second at most, by the calling thread.
    MctsResult search(const State& root, const Path& path, SearchControl& control, const Report& report = {}) {
        if (task_.game.over(root)) return {};
        start_from(root, path);
        expand_root();
        prepare_root(control.limits().nodes);
        looked_ahead_ = task_.options.k == 0;
        task_.flying = workers_.size() > 1;
        done_ = 0;
        {
            failed_.clear();
            Helpers threads(workers_.size() - 1, control, kHelperInterval,
                            [&](std::size_t i, SearchControl own) { help(*workers_[i + 1], std::move(own)); });
            workers_[0]->watch_with([&control] { control.look(); });
            lead(control, report);
            if (done_.load(std::memory_order_relaxed) >= control.limits().nodes)
                threads.wait();  // for their last iterations
        }
        for (auto& worker : workers_) worker->watch_with({});
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        return finish();
    }

    // ---- leaves that others evaluate, in batches ----
    // A search in steps: begin, then collect and apply again and again until done, then finish.
    // `before` are the positions before the root, the newest first, as far as anybody wants to see them.
    void begin(const State& root, const Path& path, u64 iterations, std::vector<Earlier> before = {}) {
        start_from(root, path);
        before_root_ = std::move(before);
        looked_ahead_ = true;
        task_.flying = true;
        limit_ = iterations;
        done_ = 0;
        waiting_.clear();
        root_is_ready_ = task_.tree->node(kRoot).num_edges != 0;
        if (root_is_ready_) prepare_root(iterations);
    }
    bool done() const { return done_ >= limit_ || decided(); }

    // Sends iterations on their way until `most` leaves wait for an evaluation; answers how many do. There are fewer if
    // the search comes to its end, if the next leaf waits already, or if many iterations in a row needed no evaluation:
    // in a tree that is searched to its ends none does, and the caller must be able to look at the clock. The control
    // ends it within a playout, too.
    int collect(int most, SearchControl& control) {
        constexpr int kMostWithoutLeaf = 256;
        Worker& worker = *workers_[0];
        worker.watch_with([&control] { control.look(); });
        int without_leaf = 0;
        while (static_cast<int>(waiting_.size()) < most && without_leaf < kMostWithoutLeaf &&
               done_ + waiting_.size() < limit_ && !decided()) {
            if (pool_.empty()) pool_.push_back(std::make_unique<Flight<G>>(*task_.root));
            auto flight = std::move(pool_.back());
            pool_.pop_back();
            flight->path = task_.root_path;
            State leaf = flight->state;
            Path leaf_path;
            try {
                const bool ended = !worker.descend(*flight);
                if (ended && !(task_.options.blend_ends && task_.game.over(flight->state))) {
                    worker.back_up(*flight);
                    ++done_;
                    ++without_leaf;
                    pool_.push_back(std::move(flight));
                    continue;
                }
                leaf = flight->state;
                leaf_path = flight->path;
                if (!ended && task_.options.blend < 1.0) worker.play_out(*flight);
            } catch (const SearchStopped&) {
                give_up(std::move(flight));
                break;
            } catch (...) {
                give_up(std::move(flight));
                throw;
            }
            const bool waits = std::any_of(waiting_.begin(), waiting_.end(),
                                           [&](const auto& other) { return other.flight->leaf == flight->leaf; });
            if (waits) {
                give_up(std::move(flight));
                break;
            }
            waiting_.push_back({std::move(flight), std::move(leaf), std::move(leaf_path)});
        }
        worker.watch_with({});
        return static_cast<int>(waiting_.size());
    }
    const State& leaf_state(int index) const { return waiting_[static_cast<std::size_t>(index)].state; }
    const Path& leaf_path(int index) const { return waiting_[static_cast<std::size_t>(index)].path; }
    // The positions before a leaf, the newest first, at most so many: those on the way to it, then those before the
    // root.
    std::vector<Earlier> before_leaf(int index, std::size_t most) const {
        std::vector<Earlier> found;
        State state = *task_.root;
        Path path = task_.root_path;
        for (const auto& step : waiting_[static_cast<std::size_t>(index)].flight->steps) {
            found.push_back({state, path});
            advance(task_.game, state, task_.tree->edge(step.edge).move, path);
        }
        std::reverse(found.begin(), found.end());
        for (auto earlier = before_root_.begin(); earlier != before_root_.end() && found.size() < most; ++earlier)
            found.push_back(*earlier);
        if (found.size() > most) found.erase(found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
        return found;
    }

    // What was found for the leaves that wait, in their order: values of each in turn order from the side to move, and
    // logits of all actions.
    void apply(const std::vector<Rewards>& values, const std::vector<std::vector<float>>& logits) {
        Worker& worker = *workers_[0];
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            Waiting& leaf = waiting_[i];
            const auto players = static_cast<std::size_t>(task_.game.num_players());
            const auto mover = static_cast<std::size_t>(task_.game.to_move(leaf.state));
            for (std::size_t turn = 0; turn < players; ++turn) {
                double& reward = leaf.flight->rewards[(mover + turn) % players];
                reward = task_.options.blend * values[i][turn] +
                         (task_.options.blend < 1.0 ? (1.0 - task_.options.blend) * reward : 0.0);
            }
            if (task_.priors && leaf.flight->leaf != 0 && !task_.game.over(leaf.state))
                worker.expand_by_logits(leaf.flight->leaf, leaf.state, logits[i].data());
            worker.back_up(*leaf.flight);
            ++done_;
            pool_.push_back(std::move(leaf.flight));
        }
        waiting_.clear();
        if (!root_is_ready_ && task_.tree->node(kRoot).num_edges != 0) {
            prepare_root(limit_ - std::min(done_.load(), limit_));
            root_is_ready_ = true;
        }
    }
    // The leaves that wait were not evaluated: nothing has happened.
    void cancel() {
        for (Waiting& leaf : waiting_) give_up(std::move(leaf.flight));
        waiting_.clear();
    }
    MctsResult so_far() const { return result(); }
    MctsResult finish() {
        expand_root();
        MctsResult found = result();
        choose(found);
        restore_priors();
        task_.halving.reset();
        return found;
    }

    // The tree of the last search, moves that were tried, breadth first and the most visited first; at most so many
    // rows. Where symmetric positions are one, moves are those of the image that stands for them.
    std::vector<MctsTreeRow> tree(std::size_t most) const {
        std::vector<MctsTreeRow> rows;
        if (!task_.root) return rows;
        struct Place {
            Tree::Index node;
            int row;
            State state;
            std::vector<Step> steps;
        };
        std::deque<Place> waiting{{kRoot, -1, *task_.root, {}}};
        for (; !waiting.empty(); waiting.pop_front()) {
            const Place& place = waiting.front();
            for (const MctsMove& move : ranked(place.node, place.steps)) {
                if (rows.size() >= most) return rows;
                if (move.visits == 0 && move.proof == Proof::unknown) continue;
                const Edge& edge = task_.tree->edge(move.edge);
                const double prior =
                    task_.priors ? static_cast<double>(task_.tree->template at<Prior>(move.edge).share) : 0.0;
                rows.push_back({place.row, task_.game.action(place.state, move.move), move.visits, move.value(),
                                move.proof, prior});
                if (edge.child == 0) continue;
                State next = place.state;
                task_.game.play(next, move.move);
                if (edge.symmetry != 0) next = task_.game.transform(next, edge.symmetry);
                waiting.push_back({edge.child, static_cast<int>(rows.size()) - 1, std::move(next), place.steps});
                waiting.back().steps.push_back({place.node, move.edge});
            }
        }
        return rows;
    }

private:
    using Worker = MctsWorker<G, Evaluation>;
    static constexpr Tree::Index kRoot = MctsTask<G, Evaluation>::kRoot;

    struct Waiting {
        std::unique_ptr<Flight<G>> flight;
        State state;
        Path path;
    };
    void give_up(std::unique_ptr<Flight<G>> flight) {
        workers_[0]->cancel(*flight);
        pool_.push_back(std::move(flight));
    }

    // ---- the root ----
    // The tree of the last search goes on where the game is now, if that is in it.
    void start_from(const State& root, const Path& path) {
        const MctsOptions& options = task_.options;
        for (auto& worker : workers_) worker->start();
        std::optional<Found> known;
        if (options.reuse && !options.symmetry && task_.root) known = find(root, path);
        // Proof numbers are about the wins of one player, and what paranoid players have counted is about his rewards:
        // they mean nothing when another asks.
        const bool is_his = task_.needs.template has<ProofNumbers>() || options.multi == MultiRule::paranoid;
        if (is_his && known && task_.game.to_move(root) != task_.tree->prover()) known.reset();
        if (known && known->node != kRoot) {
            other_tree_->take_from(*task_.tree, known->node);
            std::swap(task_.tree, other_tree_);
            task_.root_ply += known->depth;
        } else if (!known) {
            task_.tree->clear();
            task_.root_ply = 0;
            workers_[0]->add_root(root);
        }
        task_.tree->set_prover(task_.game.to_move(root));
        task_.root = root;
        task_.root_path = path;
        task_.full = false;
        kept_ = task_.tree->node(kRoot).visits;
        if (!task_.priors && task_.tree->node(kRoot).num_edges == 0) workers_[0]->make_edges(kRoot, root);
    }
    // The root has its moves even if nothing was ever searched. That counts as its first visit.
    void expand_root() {
        Node& root = task_.tree->node(kRoot);
        if (!task_.priors || root.num_edges != 0) return;
        workers_[0]->expand_by_rule(kRoot, *task_.root);
        ++root.visits;
    }
    // What is done to the moves of the root before a search.
    void prepare_root(u64 iterations) {
        Tree& tree = *task_.tree;
        const Node& root = tree.node(kRoot);
        const MctsOptions& options = task_.options;
        if (!task_.priors) return;
        if (options.noise > 0.0) {
            const auto noise = dirichlet_sample(root.num_edges, options.dirichlet, workers_[0]->rng());
            for (Tree::Index i = 0; i < root.num_edges; ++i) {
                float& prior = tree.at<Prior>(root.first_edge + i).share;
                clean_priors_.push_back(prior);
                prior =
                    static_cast<float>((1.0 - options.noise) * static_cast<double>(prior) + options.noise * noise[i]);
            }
        }
        if (options.root == RootRule::gumbel)
            task_.halving.emplace(tree, root, options.considered, iterations, workers_[0]->rng());
    }
    void restore_priors() {
        for (std::size_t i = 0; i < clean_priors_.size(); ++i)
            task_.tree->template at<Prior>(task_.tree->node(kRoot).first_edge + static_cast<Tree::Index>(i)).share =
                clean_priors_[i];
        clean_priors_.clear();
    }

    // The node of a state at most two rounds below the old root, by replaying the moves that were tried.
    struct Found {
        Tree::Index node;
        u64 depth;
    };
    std::optional<Found> find(const State& wanted, const Path& wanted_path) const {
        struct Place {
            Tree::Index index;
            State state;
            Path path;
        };
        const Tree& tree = *task_.tree;
        std::vector<Place> level{{kRoot, *task_.root, task_.root_path}};
        std::size_t replays = 0;
        for (int ply = 0; ply <= 2 * task_.game.num_players(); ++ply) {
            std::vector<Place> next;
            for (const Place& place : level) {
                if (place.state == wanted && same_history(place.path, wanted, wanted_path))
                    return Found{place.index, static_cast<u64>(ply)};
                const Node& node = tree.node(place.index);
                for (Tree::Index i = node.first_edge; i < node.first_edge + node.opened; ++i) {
                    if (tree.edge(i).child == 0) continue;
                    if (++replays > kMostReplays) return std::nullopt;
                    next.push_back({tree.edge(i).child, place.state, place.path});
                    advance(task_.game, next.back().state, tree.edge(i).move, next.back().path);
                }
            }
            level = std::move(next);
        }
        return std::nullopt;
    }
    // Draws by repetition in the tree hold only for a game that came the same way.
    bool same_history(const Path& path, const State& wanted, const Path& wanted_path) const {
        if constexpr (Repeats<G>) return path.ends_like(wanted_path, task_.game.reversible_plies(wanted));
        return true;
    }

    bool decided() const {
        return (task_.options.solver || task_.options.k > 0) && peek(task_.tree->node(kRoot).proof) != Proof::unknown;
    }

    // ---- threads ----
    // An iteration, unless all threads together have done as many as allowed; answers its plies. With one thread, the
    // control has counted it.
    std::optional<int> iterate(Worker& worker, u64 limit) {
        if (workers_.size() == 1) {
            const int plies = worker.iterate();
            done_.store(done_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            return plies;
        }
        if (done_.fetch_add(1, std::memory_order_relaxed) >= limit) {
            done_.fetch_sub(1, std::memory_order_relaxed);
            return std::nullopt;
        }
        try {
            return worker.iterate();
        } catch (...) {
            done_.fetch_sub(1, std::memory_order_relaxed);
            throw;
        }
    }
    void lead(SearchControl& control, const Report& report) {
        const u64 limit = control.limits().nodes;
        auto last_report = std::chrono::steady_clock::now();
        try {
            u64 own = 0;
            while (!decided()) {
                control.count_node();
                const auto plies = iterate(*workers_[0], limit);
                if (!plies) break;
                ++own;
                if (!looked_ahead_ && *plies <= task_.options.k) look_ahead(control);
                if (report && own % 64 == 0) {
                    const auto now = std::chrono::steady_clock::now();
                    if (now - last_report >= std::chrono::milliseconds(100)) {
                        last_report = now;
                        report(result());
                    }
                }
            }
        } catch (const SearchStopped&) {
            // Before an iteration or within it, which then has not happened.
        }
    }
    void help(Worker& worker, SearchControl control) {
        worker.watch_with([&control] { control.look(); });
        try {
            do {
                control.count_node();
            } while (!decided() && iterate(worker, control.limits().nodes));
        } catch (const SearchStopped&) {
            // Before an iteration or within it, which then has not happened.
        } catch (...) {
            if (!failed_.test_and_set()) failure_ = std::current_exception();
        }
    }

    // An iteration ended within k plies of the root, so that one of the players may be able to force a win there:
    // alpha-beta looks for a win in k plies, and for moves that lose in k plies (Li 2018).
    void look_ahead(SearchControl& control) {
        looked_ahead_ = true;
        const int k = task_.options.k;
        AlphaBetaOptions options;
        options.memory = 8;
        AlphaBeta<G, Evaluation> search(task_.game, Evaluation(NoEvaluation::kName), options);
        SearchControl own = control.within();
        own.set_depth(k);
        const AlphaBetaResult found = search.search(*task_.root, task_.root_path, true, own);
        if (found.depth < k && std::abs(found.value) < kWinBound) return;  // stopped
        Tree& tree = *task_.tree;
        const auto held = tree.lock_node(kRoot);
        Node& root = tree.node(kRoot);
        bool all_lost = true;
        for (const RootMove& move : found.moves) {
            if (std::abs(move.value) < kWinBound) all_lost = false;
            for (Tree::Index i = root.first_edge; i < root.first_edge + root.num_edges; ++i)
                if (tree.edge(i).move == move.move && std::abs(move.value) >= kWinBound)
                    put(tree.edge(i).proof, move.value > 0 ? Proof::win : Proof::loss);
        }
        if (found.value >= kWinBound) put(root.proof, Proof::win);
        if (all_lost && found.value <= -kWinBound) put(root.proof, Proof::loss);
    }

    // ---- the answer ----
    // The moves of a node that these steps lead to, the best first.
    std::vector<MctsMove> ranked(Tree::Index index, std::span<const Step> steps) const {
        const auto held = task_.tree->lock_node(index);
        const Node& node = task_.tree->node(index);
        std::vector<MctsMove> moves;
        for (Tree::Index i = 0; i < see(node.num_edges); ++i) {
            const Edge& edge = task_.tree->edge(node.first_edge + i);
            const std::uint32_t visits = peek(edge.visits);
            MctsMove move{edge.move, visits, visits == 0 ? 0.0 : to_real(peek(edge.sum)) / visits, peek(edge.proof)};
            move.edge = node.first_edge + i;
            if (task_.priors) move.prior = static_cast<double>(task_.tree->template at<Prior>(move.edge).share);
            moves.push_back(std::move(move));
        }
        if (task_.final_selection)
            std::visit([&](const auto& rule) { score_moves(moves, {*task_.tree, steps, index}, rule); },
                       *task_.final_selection);
        rank_moves(moves, task_.options.final);
        return moves;
    }

    template <class Rule>
    void score_moves(std::vector<MctsMove>& moves, const Descent& descent, const Rule& rule) const {
        const auto score = rule.scorer(descent);
        for (MctsMove& move : moves)
            if (move.visits > 0)
                move.score =
                    score_of(*task_.tree, score, move.edge, task_.tree->edge(move.edge), task_.options.minimax);
    }

    std::vector<Move> line_from(const MctsMove& first) const {
        const Tree& tree = *task_.tree;
        std::vector<Move> line{first.move};
        State state = *task_.root, image = *task_.root;  // the position of the game, and that of the node
        Tree::Index edge = first.edge;
        std::vector<Step> steps{{kRoot, edge}};
        while (true) {
            task_.game.play(state, line.back());
            task_.game.play(image, tree.edge(edge).move);
            if (tree.edge(edge).symmetry != 0) image = task_.game.transform(image, tree.edge(edge).symmetry);
            const Tree::Index index = see(tree.edge(edge).child);
            if (index == 0 || see(tree.node(index).opened) == 0) return line;
            const MctsMove best = ranked(index, steps).front();
            if (best.visits == 0 && best.proof == Proof::unknown) return line;
            edge = best.edge;
            steps.push_back({index, edge});
            line.push_back(task_.options.symmetry ? move_behind(state, image, best.move) : best.move);
        }
    }
    // The move in a position that is a given move in an image of the position.
    Move move_behind(const State& state, const State& image, Move move) const {
        const G& game = task_.game;
        const int wanted = game.action(image, move);
        std::vector<Move> legal(static_cast<std::size_t>(game.max_moves()));
        legal.resize(static_cast<std::size_t>(game.legal_moves(state, legal.data())));
        for (int i = 0; i < game.num_symmetries(); ++i) {
            if (game.transform(state, i) != image) continue;
            for (const Move candidate : legal)
                if (game.transform_action(game.action(state, candidate), i) == wanted) return candidate;
        }
        return move;
    }

    MctsResult result() const {
        const Tree& tree = *task_.tree;
        MctsResult found;
        found.iterations = done_.load(std::memory_order_relaxed);
        found.nodes = tree.num_nodes();
        found.bytes = tree.bytes();
        found.full = peek(task_.full);
        found.kept = kept_;
        found.moves = ranked(kRoot, {});
        double visits = 0.0;
        for (MctsMove& move : found.moves) {
            move.line = line_from(move);
            visits += move.visits;
        }
        for (MctsMove& move : found.moves) move.policy = visits == 0.0 ? 0.0 : move.visits / visits;
        if (!found.moves.empty()) found.value = found.moves.front().value();
        found.proof = peek(tree.node(kRoot).proof);
        return found;
    }
    // The final choice, where it is not simply the best: by sequential halving, or drawn.
    void choose(MctsResult& found) {
        if (found.moves.empty()) return;
        std::optional<std::size_t> chosen;
        if (task_.halving) {
            const auto policy = task_.halving->improved_policy(*task_.tree);
            const Tree::Index first = task_.tree->node(kRoot).first_edge;
            for (MctsMove& move : found.moves) move.policy = policy[move.edge - first];
            if (const auto best = task_.halving->final_edge(*task_.tree, task_.tree->node(kRoot)))
                for (std::size_t i = 0; i < found.moves.size(); ++i)
                    if (found.moves[i].edge == *best) chosen = i;
        } else if (task_.options.temperature > 0.0) {
            std::vector<double> visits;
            for (const MctsMove& move : found.moves) visits.push_back(move.proof == Proof::loss ? 0.0 : move.visits);
            if (std::any_of(visits.begin(), visits.end(), [](double each) { return each > 0.0; }))
                chosen = draw_by_power(visits, task_.options.temperature, workers_[0]->rng());
        }
        if (!chosen || found.moves.front().proof == Proof::win) return;
        std::rotate(found.moves.begin(), found.moves.begin() + static_cast<std::ptrdiff_t>(*chosen),
                    found.moves.begin() + static_cast<std::ptrdiff_t>(*chosen) + 1);
        found.value = found.moves.front().value();
    }

    static constexpr u64 kHelperInterval = 64;
    static constexpr std::size_t kMostReplays = HasSlowRules<G> ? 500 : 20000;

    MctsTask<G, Evaluation> task_;
    std::unique_ptr<Tree> other_tree_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::atomic<u64> done_ = 0;  // iterations
    u64 kept_ = 0, limit_ = 0;
    bool looked_ahead_ = false;  // alpha-beta has had its look, or is not asked
    std::atomic_flag failed_ = ATOMIC_FLAG_INIT;
    std::exception_ptr failure_;
    std::vector<float> clean_priors_;  // of the root, without noise
    bool root_is_ready_ = false;
    std::vector<Waiting> waiting_;
    std::vector<Earlier> before_root_;
    std::vector<std::unique_ptr<Flight<G>>> pool_;  // flights to be used again
};

}  // namespace spielbaum
