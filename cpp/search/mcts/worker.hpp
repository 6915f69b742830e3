// What one thread does in a Monte-Carlo tree search: select, expand, evaluate, back up.
//
// The tree holds no states: each iteration replays the moves from the root. Every player maximises his own reward
// (max^n), which for two players is negamax; backup/paranoid.hpp has another way for more players. Proven results are
// kept apart from means: a player takes a proven win and leaves proven losses alone.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "search/mcts/flight.hpp"
#include "search/mcts/options.hpp"
#include "search/mcts/root.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

// What all threads of a search have in common.
template <Game G, class Evaluation>
struct MctsTask {
    static constexpr Tree::Index kRoot = 1;

    G game;
    Evaluation evaluation;
    MctsOptions options;
    Selection selection;
    std::optional<Selection> final_selection;  // by which moves are ranked at the end, where that is asked for
    TreeNeeds needs;
    bool priors;  // moves have them, and all moves of a node are made at once
    std::unique_ptr<Tree> tree;
    bool flying = false;  // several iterations are on their way at the same time
    std::optional<typename G::State> root{};
    Path root_path{};
    u64 root_ply = 0;  // plies from the first root of this tree
    std::optional<SequentialHalving> halving{};
    bool full = false;  // the memory is used up, and the tree grows no more

    MctsTask(const G& rules, const MctsOptions& chosen)
        : game(rules),
          evaluation(chosen.evaluation()),
          options(chosen),
          selection(chosen.selection(size_of(rules))),
          final_selection(chosen.final == FinalRule::select ? std::optional(chosen.selection(size_of(rules), false))
                                                            : std::nullopt),
          needs(chosen.needs(selection, size_of(rules))),
          priors(needs.has<Prior>()) {
        if (rules.num_players() == 2) return;
        const std::string players = ": works for two players, and the game has " + std::to_string(rules.num_players());
        if (chosen.k > 0) throw OptionError("option k=" + std::to_string(chosen.k) + players);
        if (chosen.minimax > 0) throw OptionError("option minimax" + players);
        if (needs.parents) throw OptionError(select_name() + players);
        // Their nodes keep rewards that sum to 0.
        if (chosen.multi == MultiRule::paranoid && needs.has<NodeValues>())
            throw OptionError(select_name() + ": works with multi=maxn");
    }

private:
    std::string select_name() const {
        return "option select=" + std::string(SelectRules::kNames[static_cast<std::size_t>(options.select)]);
    }
    static GameSize size_of(const G& rules) {
        return {static_cast<std::size_t>(rules.num_players()), static_cast<std::size_t>(num_names(rules))};
    }
};

template <Game G, class Evaluation>
class MctsWorker {
public:
    using State = typename G::State;
    using Task = MctsTask<G, Evaluation>;

    MctsWorker(Task& task, u64 seed)
        : task_(task),
          game_(task.game),
          options_(task.options),
          playout_(task.options.playout_of(task.game)),
          rng_(seed),
          backup_(task),
          buffer_(static_cast<std::size_t>(task.game.max_moves())),
          names_in_edges_(backup_.names_moves() ||
                          std::visit([](const auto& policy) { return policy.moves_before() > 0; }, playout_)) {}

    void reset(u64 seed) {
        rng_ = Rng(seed);
        forget();
    }
    void forget() {
        std::visit([](auto& policy) { policy.forget_all(); }, playout_);
    }
    // Before a search; what was learnt in the last one is kept if the rule keeps it.
    void start() {
        if (!std::visit([](const auto& policy) { return policy.keeps(); }, playout_)) forget();
    }
    Rng& rng() { return rng_; }

    // Called again and again within long playouts, so that a search can end whatever a game does: it throws to end the
    // search.
    using Watch = std::function<void()>;
    void watch_with(Watch watch) { watch_ = std::move(watch); }

    // One iteration; answers the plies from the root to the end of the playout. If something throws, it has not
    // happened.
    int iterate() {
        if (!now_) now_.emplace(*task_.root);
        now_->path = task_.root_path;
        try {
            if (descend(*now_)) evaluate(*now_);
        } catch (...) {
            if (task_.flying) cancel(*now_);
            throw;
        }
        back_up(*now_);
        return now_->plies();
    }

    // ---- down ----
    // To a leaf, from the root; true if it still has to be evaluated, false if its rewards are known.
    bool descend(Flight<G>& flight) {
        Tree& tree = *task_.tree;
        flight.start(*task_.root);
        Tree::Index index = Task::kRoot;
        while (true) {
            flight.leaf = index;
            Node& node = tree.node(index);
            if (peek(node.over)) {
                flight.rewards = game_.outcome(flight.state).rewards;
                return false;
            }
            if (const Proof proof = peek(node.proof); proof != Proof::unknown && index != Task::kRoot) {
                flight.rewards = proven_rewards(node.to_move, proof);
                return false;
            }
            if (see(node.num_edges) == 0 &&
                (task_.priors || (peek(node.visits) == 0 && index != Task::kRoot) || !make_edges(index, flight.state)))
                return true;
            if (see(node.opened) < node.num_edges) {
                const Tree::Index child = open_edge(index, flight);
                if (child != Tree::kNone) {
                    flight.leaf = child;
                    if (!peek(tree.node(child).over)) return true;
                    flight.rewards = game_.outcome(flight.state).rewards;
                    return false;
                }
                if (see(node.opened) == 0) return true;
            }
            const Tree::Index edge = choose_edge(index, flight);
            step(flight, index, edge);
            index = see(tree.edge(edge).child);
            if (index == 0) {
                index = make_child(flight.steps.back().node, edge, flight);
                if (index != Tree::kNone) continue;
                // No room for the position: it is looked at all the same, and node 0 gets its visit.
                advance(game_, flight.state, tree.edge(edge).move, flight.path);
                flight.leaf = 0;
                if (!game_.over(flight.state)) return true;
                flight.rewards = game_.outcome(flight.state).rewards;
                return false;
            }
            advance(game_, flight.state, tree.edge(edge).move, flight.path);
            if (const int symmetry = tree.edge(edge).symmetry; symmetry != 0)
                flight.state = game_.transform(flight.state, symmetry);
        }
    }

    // ---- a leaf ----
    // By a playout, or by the game's evaluation where that is cut.
    void evaluate(Flight<G>& flight) {
        if (task_.priors && flight.leaf != 0) expand_by_rule(flight.leaf, flight.state);
        play_out(flight);
    }
    void play_out(Flight<G>& flight) {
        std::visit([&](auto& policy) { play_out(flight, policy); }, playout_);
    }
    // Gives a node all of its edges at once, the likelier the higher the logit of the move's action.
    void expand_by_logits(Tree::Index index, const State& state, const float* logits) {
        expand(index, state, [&](Move move) { return static_cast<double>(logits[game_.action(state, move)]); });
    }

    // ---- up ----
    void back_up(Flight<G>& flight) {
        Tree& tree = *task_.tree;
        const bool shared = tree.is_shared();
        FixedRewards rewards{};
        const auto num_players = static_cast<std::size_t>(game_.num_players());
        for (std::size_t player = 0; player < num_players; ++player) rewards[player] = to_fixed(flight.rewards[player]);
        const Arrival<G> arrival{game_, tree, flight, rewards};
        add(tree.node(flight.leaf).visits, std::uint32_t{1}, shared);
        backup_.leaf(arrival);
        Tree::Index below = flight.leaf;
        for (auto step = flight.steps.rbegin(); step != flight.steps.rend(); ++step) {
            Node& node = tree.node(step->node);
            Edge& edge = tree.edge(step->edge);
            const Fixed reward = rewards[node.to_move];
            add(node.visits, std::uint32_t{1}, shared);
            if (task_.flying) add(edge.in_flight, std::uint16_t{0xFFFF}, shared);  // one less
            count(edge, reward, shared);
            if (edge.has_twins) count_twins(node, edge, reward, shared);
            backup_.step([&] { return Ascent<G>{{game_, tree, flight, rewards}, *step, node, edge, below, reward}; });
            below = step->node;
        }
        backup_.arrived(arrival);
    }
    // The flight did not arrive: nothing has happened.
    void cancel(Flight<G>& flight) {
        for (const auto& step : flight.steps)
            add(task_.tree->edge(step.edge).in_flight, std::uint16_t{0xFFFF}, task_.tree->is_shared());
    }

    // Makes the root's node, in a tree that is empty.
    void add_root(const State& state) {
        Tree& tree = *task_.tree;
        if (task_.needs.graph)
            tree.node_of(graph_key(state, task_.root_ply), game_.to_move(state));
        else
            tree.add_node(game_.to_move(state));
    }
    // Makes the edges of a node that has none; false if there is no room.
    bool make_edges(Tree::Index index, const State& state) {
        Tree& tree = *task_.tree;
        const auto held = tree.lock_node(index);
        if (peek(tree.node(index).num_edges) != 0) return true;  // another thread was faster
        const int count = game_.legal_moves(state, buffer_.data());
        const Tree::Index first = fill_edges(state, count);
        if (first == Tree::kNone) return false;
        tree.give_edges(index, first, static_cast<std::size_t>(count), 0);
        return true;
    }
    // Without a network: all moves alike, or by the game's evaluation after them.
    void expand_by_rule(Tree::Index index, const State& state) {
        if (options_.prior == PriorRule::uniform) return expand(index, state, [](Move) { return 0.0; });
        expand(index, state, [&](Move move) {
            State next = state;
            game_.play(next, move);
            return value_of(next, game_.to_move(state)) / options_.prior_t;
        });
    }

private:
    // ---- growing ----
    // Edges with their moves, or kNone.
    Tree::Index fill_edges(const State& state, int count) {
        Tree& tree = *task_.tree;
        const Tree::Index first = tree.add_edges(static_cast<std::size_t>(count));
        if (first == Tree::kNone) {
            put(task_.full, true);
            return first;
        }
        for (int i = 0; i < count; ++i) {
            Edge& edge = tree.edge(first + static_cast<Tree::Index>(i));
            edge.move = buffer_[static_cast<std::size_t>(i)];
            if (names_in_edges_) edge.name = static_cast<std::uint16_t>(name_of(game_, state, edge.move));
        }
        return first;
    }
    template <class Logit>
    void expand(Tree::Index index, const State& state, Logit&& logit) {
        Tree& tree = *task_.tree;
        const auto held = tree.lock_node(index);
        if (peek(tree.node(index).num_edges) != 0) return;
        const int count = game_.legal_moves(state, buffer_.data());
        const Tree::Index first = fill_edges(state, count);
        if (first == Tree::kNone) return;
        logits_.resize(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < logits_.size(); ++i) logits_[i] = logit(buffer_[i]);
        softmax(logits_);
        for (std::size_t i = 0; i < logits_.size(); ++i)
            tree.at<Prior>(first + static_cast<Tree::Index>(i)).share = static_cast<float>(logits_[i]);
        tree.give_edges(index, first, logits_.size(), logits_.size());
    }

    Tree::Index choose_edge(Tree::Index index, const Flight<G>& flight) {
        const Tree& tree = *task_.tree;
        if (index == Task::kRoot && task_.halving)
            if (const auto edge = task_.halving->next_edge(tree, tree.node(index))) return *edge;
        return select_edge({tree, flight.steps, index}, task_.selection, options_.minimax);
    }
    void step(Flight<G>& flight, Tree::Index index, Tree::Index edge) {
        flight.steps.push_back({index, edge});
        if (task_.flying) add(task_.tree->edge(edge).in_flight, std::uint16_t{1}, task_.tree->is_shared());
    }

    // Tries a random move of those that have not been tried; kNone if there is no room for its node, or no such move
    // left.
    Tree::Index open_edge(Tree::Index index, Flight<G>& flight) {
        Tree& tree = *task_.tree;
        const auto held = tree.lock_node(index);
        Node& node = tree.node(index);
        const std::uint16_t opened = peek(node.opened);
        if (opened == node.num_edges) return Tree::kNone;
        const Tree::Index place = node.first_edge + opened;
        tree.swap_edges(place, place + static_cast<Tree::Index>(rng_.below(node.num_edges - opened)));
        const Tree::Index child = attach(index, place, flight, flight.steps.size() + 1);
        if (child == Tree::kNone) return child;
        step(flight, index, place);
        publish(node.opened, static_cast<std::uint16_t>(opened + 1));
        return child;
    }
    // The child of an edge that was chosen before it had one; kNone if there is no room.
    Tree::Index make_child(Tree::Index index, Tree::Index edge, Flight<G>& flight) {
        Tree& tree = *task_.tree;
        const auto held = tree.lock_node(index);
        if (const Tree::Index made = peek(tree.edge(edge).child); made != 0) {  // by another thread
            advance(game_, flight.state, tree.edge(edge).move, flight.path);
            return made;
        }
        return attach(index, edge, flight, flight.steps.size());
    }
    // Plays an edge's move, whose child is made and linked. `depth`: of the child, in plies below the root.
    Tree::Index attach(Tree::Index index, Tree::Index place, Flight<G>& flight, std::size_t depth) {
        Tree& tree = *task_.tree;
        Edge& edge = tree.edge(place);
        const int mover = game_.to_move(flight.state);
        State next = flight.state;
        advance(game_, next, edge.move, flight.path);
        if (options_.symmetry) edge.symmetry = make_canonical(next) & 127;
        const Tree::Index child = task_.needs.graph
                                      ? tree.node_of(graph_key(next, task_.root_ply + depth), game_.to_move(next))
                                      : tree.add_node(game_.to_move(next));
        if (child == Tree::kNone) {
            if constexpr (Repeats<G>) flight.path.pop();
            put(task_.full, true);
            return child;
        }
        const bool over = game_.over(next);
        backup_.opened({game_, tree, place, child, next, mover, over},
                       [&](const State& position, int player) { return value_of(position, player); });
        if (over) put(tree.node(child).over, true);
        if (options_.symmetry)
            for (Tree::Index i = tree.node(index).first_edge; i < place; ++i)
                if (tree.edge(i).child == child) tree.edge(i).has_twins = edge.has_twins = true;
        tree.link(index, place, child);
        flight.state = std::move(next);
        return child;
    }

    // ---- the graph ----
    // No way through the graph may come back to a node. Positions that are equal but for their clock or their history
    // have other futures, and both are in the key; in games that know neither, a position may come again, and the
    // number of plies keeps them apart.
    u64 graph_key(const State& state, u64 ply) const {
        u64 key = game_.key(state);
        if constexpr (Repeats<G>)
            key ^= mix(static_cast<u64>(game_.repeats(state)) + (static_cast<u64>(game_.reversible_plies(state)) << 8));
        if constexpr (MayCycle<G>) key ^= mix(ply);
        return key;
    }
    // Turns the state into the one of its images that has the lowest key, and tells the symmetry.
    std::uint8_t make_canonical(State& state) const {
        const State original = state;
        u64 lowest_key = game_.key(state);
        int chosen = 0;
        for (int i = 1; i < game_.num_symmetries(); ++i) {
            State image = game_.transform(original, i);
            const u64 key = game_.key(image);
            if (key >= lowest_key) continue;
            state = std::move(image);
            lowest_key = key;
            chosen = i;
        }
        return static_cast<std::uint8_t>(chosen);
    }

    // ---- playouts and evaluations ----
    template <class Policy>
    void play_out(Flight<G>& flight, Policy& policy) {
        State& state = flight.state;
        if (Policy::kTraced || (backup_.names_moves() && !PlacesStones<G>)) {
            if (Policy::kTraced) trace_steps(flight, policy.moves_before());
            play_on(flight, [&] {
                const Move move = policy.choose(game_, state, flight.trace, rng_, buffer_.data());
                flight.trace.push_back({static_cast<std::uint16_t>(name_of(game_, state, move)),
                                        static_cast<std::uint8_t>(game_.to_move(state))});
                advance(game_, state, move, flight.path);
            });
        } else {
            note_placed(flight);
            play_on(flight,
                    [&] { advance(game_, state, policy.choose(game_, state, {}, rng_, buffer_.data()), flight.path); });
            note_placed(flight);
        }
        if (game_.over(state))
            flight.rewards = game_.outcome(state).rewards;
        else
            flight.rewards = options_.cut == LeafSettings::kNoCut ? Rewards{} : evaluated(state);
        policy.learn(flight.trace, flight.before_playout, flight.rewards);
    }
    // Moves until the game is over or the playout is cut. A game without an end is given up as drawn after
    // kLongestPlayout plies, so that limits of iterations hold for it as well.
    template <class MakeMove>
    void play_on(Flight<G>& flight, MakeMove&& make_move) {
        const int most = options_.cut == LeafSettings::kNoCut ? kLongestPlayout : options_.cut;
        int plies = 0;
        while (true) {
            for (const int pause = std::min(most, plies + kPliesBetweenLooks);
                 !game_.over(flight.state) && plies < pause; ++plies)
                make_move();
            if (game_.over(flight.state) || plies >= most) break;
            if (watch_) watch_();
        }
        flight.playout_plies = plies;
    }
    // The last moves in the tree, so many if there are.
    void trace_steps(Flight<G>& flight, std::size_t most) const {
        flight.before_playout = std::min(most, flight.steps.size());
        for (std::size_t i = flight.steps.size() - flight.before_playout; i < flight.steps.size(); ++i)
            flight.trace.push_back(
                {task_.tree->edge(flight.steps[i].edge).name, task_.tree->node(flight.steps[i].node).to_move});
    }
    // Called before and after a playout: what is placed then and was not before.
    void note_placed(Flight<G>& flight) const {
        if constexpr (PlacesStones<G>)
            if (backup_.names_moves())
                for (int player = 0; player < game_.num_players(); ++player)
                    flight.placed[static_cast<std::size_t>(player)] ^= game_.placed(flight.state, player);
    }
    // What the game's evaluation says.
    Rewards evaluated(const State& state) const { return task_.evaluation.values(game_, state); }
    double value_of(const State& state, int player) const {
        return (game_.over(state) ? game_.outcome(state).rewards : evaluated(state))[static_cast<std::size_t>(player)];
    }

    // ---- statistics ----
    static void count(Edge& edge, Fixed reward, bool shared) {
        add(edge.visits, std::uint32_t{1}, shared);
        add(edge.sum, reward, shared);
    }
    // Moves that are images of each other lead to one node, and learn from each other.
    void count_twins(const Node& node, const Edge& edge, Fixed reward, bool shared) {
        for (Tree::Index i = node.first_edge; i < node.first_edge + see(node.opened); ++i)
            if (Edge& other = task_.tree->edge(i); &other != &edge && other.child == edge.child)
                count(other, reward, shared);
    }

    Rewards proven_rewards(int to_move, Proof proof) const {
        if (proof == Proof::draw) return {};
        return Outcome::win(proof == Proof::win ? to_move : 1 - to_move, game_.num_players(), "").rewards;
    }

    static constexpr int kLongestPlayout = 10000;
    static constexpr int kPliesBetweenLooks = HasSlowRules<G> ? 16 : 256;

    Task& task_;
    const G& game_;
    const MctsOptions& options_;
    Watch watch_;
    Playout<G> playout_;
    Rng rng_;
    Backup<G> backup_;
    std::vector<Move> buffer_;
    bool names_in_edges_;
    std::optional<Flight<G>> now_;
    std::vector<double> logits_;
};

}  // namespace spielbaum
