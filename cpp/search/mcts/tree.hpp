// The tree of a Monte-Carlo tree search: nodes and edges in two arrays, linked by 32-bit indices.
//
// A node is a position, an edge a move from it. Statistics live on the edges, as sums of the rewards of the player who
// moves at the node, in fixed point, so that they do not depend on the order of rounding. Edges of a node are made all at
// once and side by side; the first `opened` of them may be chosen. What only some rules need lies in arrays beside nodes
// and edges, which take no memory unless asked for.
//
// Several threads may work on one tree. What they change is read and written by the functions of shared.hpp; what they
// do not change after it was published (links, moves) they read as it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include "core/bits.hpp"
#include "core/move.hpp"
#include "core/zobrist.hpp"
#include "core/huge_array.hpp"
#include "search/mcts/shared.hpp"

namespace spielbaum {

using Fixed = std::int64_t;
inline constexpr double kFixedOne = 1 << 30;
inline Fixed to_fixed(double reward) { return static_cast<Fixed>(reward * kFixedOne); }
inline double to_real(Fixed sum) { return static_cast<double>(sum) / kFixedOne; }

// What is certain for the player to move (of a node), or for the player who makes the move (of an edge).
enum class Proof : std::uint8_t { unknown, loss, draw, win };
constexpr Proof opposite(Proof proof) {
    return proof == Proof::win ? Proof::loss : proof == Proof::loss ? Proof::win : proof;
}
constexpr double proven_value(Proof proof) { return proof == Proof::win ? 1.0 : proof == Proof::loss ? -1.0 : 0.0; }

struct Node {
    std::uint32_t first_edge = 0;
    std::uint32_t visits = 0;
    std::uint16_t num_edges = 0;  // 0: not made yet, or the game is over
    std::uint16_t opened = 0;
    std::uint8_t to_move = 0;
    Proof proof = Proof::unknown;
    bool over = false;
    bool has_draw = false;  // a move is proven to draw, so that the player to move need not lose
};
static_assert(sizeof(Node) == 16);

struct Edge {
    Fixed sum = 0;
    std::uint32_t visits = 0;
    std::uint32_t child = 0;  // 0: not made yet
    Move move = 0;
    std::uint16_t name = 0;
    Proof proof = Proof::unknown;
    std::uint8_t symmetry : 7 = 0;  // by which the position after the move became that of the child
    bool has_twins : 1 = false;     // other moves of the node are images of this one and have the same child
    std::uint16_t in_flight = 0;  // visits that have not come back yet; they count as lost

    double mean() const { return visits == 0 ? 0.0 : to_real(sum) / visits; }
};
static_assert(sizeof(Edge) == 24);

// All playouts that contain the move, wherever it was played.
struct AmafStatistics {
    Fixed sum = 0;
    std::uint32_t visits = 0;
    std::uint16_t name = 0;  // of the edge's move, so that counting need not look there
    std::uint16_t unused = 0;
};

// How many positions must at least be decided to prove that the player of the root wins, or that he does not (Allis 1994).
struct alignas(8) ProofNumbers {
    static constexpr std::uint32_t kInfinite = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t proof = 1, disproof = 1;

    static constexpr ProofNumbers known(bool wins) { return wins ? ProofNumbers{0, kInfinite} : ProofNumbers{kInfinite, 0}; }
    static constexpr std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a > kInfinite - b ? kInfinite : a + b; }
};

// Which arrays beside nodes and edges are kept.
struct TreeNeeds {
    bool amaf = false;
    bool squares = false;  // sums of squared rewards
    bool graph = false;    // nodes are found by the key of their position, so that several edges may lead to one
    int values = 0;        // sums of rewards in the nodes, for so many players
    bool proof_numbers = false;
    bool priors = false;   // how likely a move seemed before it was tried
    bool minimax = false;  // evaluations backed up by minimax
    int depths = 0;        // statistics of UCD: so many numbers in each node, and links from nodes to their parents
};

class Tree {
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = std::numeric_limits<Index>::max();

    // `memory`: bytes that all arrays together may use. A shared tree is worked on by several threads.
    Tree(std::size_t memory, TreeNeeds needs, bool is_shared = false)
        : needs_(needs),
          shared_(is_shared),
          memory_(memory),
          edge_size_(sizeof(Edge) + (needs.amaf ? sizeof(AmafStatistics) : 0) + (needs.squares ? sizeof(Fixed) : 0) +
                     (needs.priors ? sizeof(float) : 0) + (needs.minimax ? sizeof(float) : 0) +
                     (needs.depths > 0 ? sizeof(ParentLink) : 0)),
          node_size_(sizeof(Node) + (needs.graph ? sizeof(u64) : 0) + value_row() * sizeof(Fixed) +
                     (needs.proof_numbers ? sizeof(ProofNumbers) : 0) +
                     (needs.depths > 0 ? sizeof(Index) + static_cast<std::size_t>(needs.depths) * sizeof(float) : 0)),
          nodes_(capacity(memory, sizeof(Node))),
          edges_(capacity(memory, sizeof(Edge))),
          amaf_(needs.amaf ? edges_.size() : 0),
          squares_(needs.squares ? edges_.size() : 0),
          priors_(needs.priors ? edges_.size() : 0),
          minimax_(needs.minimax ? edges_.size() : 0),
          parent_links_(needs.depths > 0 ? edges_.size() : 0),
          keys_(needs.graph ? nodes_.size() : 0),
          values_(value_row() * nodes_.size()),
          proof_numbers_(needs.proof_numbers ? nodes_.size() : 0),
          first_parents_(needs.depths > 0 ? nodes_.size() : 0),
          depths_(static_cast<std::size_t>(needs.depths) * nodes_.size()) {
        clear();
    }

    const TreeNeeds& needs() const { return needs_; }
    bool is_shared() const { return shared_; }

    // Index 0 is no node, so that an edge without a child has child 0.
    void clear() {
        num_nodes_ = 1;
        num_edges_ = 0;
        slots_.assign(needs_.graph ? kFirstSlots : 0, 0);
        num_slots_ = slots_.size();
    }
    std::size_t num_nodes() const { return peek(num_nodes_) - 1; }
    std::size_t num_edges() const { return peek(num_edges_); }
    std::size_t bytes() const {
        return peek(num_nodes_) * node_size_ + peek(num_edges_) * edge_size_ + num_slots() * sizeof(Index);
    }

    // A new node, or kNone if the memory is used up.
    Index add_node(int to_move) {
        if (peek(num_nodes_) >= nodes_.size() - kMargin || bytes() + node_size_ > memory_) return kNone;
        const auto index = static_cast<Index>(take(num_nodes_, std::size_t{1}, shared_));
        Node fresh;
        fresh.to_move = static_cast<std::uint8_t>(to_move);
        nodes_[index] = fresh;
        std::fill_n(values_.data() + index * value_row(), value_row(), Fixed{0});
        if (needs_.proof_numbers) proof_numbers_[index] = {};
        if (needs_.depths > 0) {
            first_parents_[index] = kNone;
            std::fill_n(depths(index), needs_.depths, 0.0f);
        }
        return index;
    }
    // The node of a position in a graph, which is made if there is none; kNone if the memory is used up.
    Index node_of(u64 key, int to_move) {
        const auto held = lock_if_shared(slots_mutex_);
        if (2 * num_nodes() >= slots_.size() && !grow_slots()) return kNone;
        Index& slot = slots_[slot_of(key)];
        if (slot != 0) return slot;
        const Index index = add_node(to_move);
        if (index == kNone) return kNone;
        keys_[index] = key;
        return slot = index;
    }
    // The node of a position in a graph, or kNone.
    Index find_node(u64 key) const {
        const Index index = slots_[slot_of(key)];
        return index == 0 ? kNone : index;
    }

    // Room for edges side by side, cleared, or kNone if the memory is used up. They belong to nobody until `give_edges`.
    Index add_edges(std::size_t count) {
        if (peek(num_edges_) + count + kMargin > edges_.size() || bytes() + count * edge_size_ > memory_) return kNone;
        const auto first = static_cast<Index>(take(num_edges_, count, shared_));
        for (std::size_t i = first; i < first + count; ++i) {
            edges_[i] = {};
            if (needs_.amaf) amaf_[i] = {};
            if (needs_.squares) squares_[i] = 0;
            if (needs_.priors) priors_[i] = 0.0f;
            if (needs_.minimax) minimax_[i] = 0.0f;
        }
        return first;
    }
    void give_edges(Index index, Index first, std::size_t count, std::size_t opened) {
        Node& node = nodes_[index];
        node.first_edge = first;
        publish(node.opened, static_cast<std::uint16_t>(opened));
        publish(node.num_edges, static_cast<std::uint16_t>(count));
    }
    // Exchanges two edges that have not been opened, and so have no statistics yet.
    void swap_edges(Index a, Index b) {
        std::swap(edges_[a], edges_[b]);
        if (needs_.priors) std::swap(priors_[a], priors_[b]);
    }
    // An edge of a node gets its child.
    void link(Index node, Index edge, Index child) {
        if (needs_.amaf) amaf_[edge].name = edges_[edge].name;
        if (needs_.depths > 0) {
            const auto held = lock_if_shared(slots_mutex_);
            parent_links_[edge] = {node, first_parents_[child]};
            first_parents_[child] = edge;
        }
        publish(edges_[edge].child, child);
    }

    Node& node(Index index) { return nodes_[index]; }
    const Node& node(Index index) const { return nodes_[index]; }
    Edge& edge(Index index) { return edges_[index]; }
    const Edge& edge(Index index) const { return edges_[index]; }
    std::span<const Edge> edges(const Node& node) const { return {&edges_[node.first_edge], node.num_edges}; }
    AmafStatistics& amaf(Index index) { return amaf_[index]; }
    const AmafStatistics& amaf(Index index) const { return amaf_[index]; }
    Fixed& squares(Index index) { return squares_[index]; }
    const Fixed& squares(Index index) const { return squares_[index]; }
    float& prior(Index index) { return priors_[index]; }
    const float& prior(Index index) const { return priors_[index]; }
    float& minimax(Index index) { return minimax_[index]; }
    const float& minimax(Index index) const { return minimax_[index]; }
    ProofNumbers& proof_numbers(Index index) { return proof_numbers_[index]; }
    const ProofNumbers& proof_numbers(Index index) const { return proof_numbers_[index]; }
    float* depths(Index index) { return depths_.data() + index * static_cast<std::size_t>(needs_.depths); }
    const float* depths(Index index) const { return depths_.data() + index * static_cast<std::size_t>(needs_.depths); }

    // Visits of a node and the rewards of all of them, where nodes have values. Rewards sum to 0, so those of the last
    // player need no room: his place has the visits, so that a look at a child is a look at one place.
    void add_value(Index index, std::span<const Fixed> rewards) {
        Fixed* const row = values_.data() + index * value_row();
        for (std::size_t i = 0; i + 1 < rewards.size(); ++i) add(row[i], rewards[i], shared_);
        add(row[rewards.size() - 1], Fixed{1}, shared_);
    }
    struct Value {
        Fixed sum;
        std::uint32_t visits;
    };
    Value value(Index index, int player) const {
        const Fixed* const row = values_.data() + index * value_row();
        const std::size_t last = value_row() - 1;
        if (last == 1) return {player == 0 ? peek(row[0]) : -peek(row[0]), static_cast<std::uint32_t>(peek(row[1]))};
        Fixed sum = 0;
        if (static_cast<std::size_t>(player) < last)
            sum = peek(row[player]);
        else
            for (std::size_t i = 0; i < last; ++i) sum -= peek(row[i]);
        return {sum, static_cast<std::uint32_t>(peek(row[last]))};
    }

    // Calls `visit` with every node from which an edge leads to this one.
    template <class Visit>
    void for_each_parent(Index index, Visit&& visit) const {
        for (Index edge = first_parents_[index]; edge != kNone; edge = parent_links_[edge].next) visit(parent_links_[edge].node);
    }

    // Whose wins the proof numbers are about: the player to move at the root.
    int prover() const { return prover_; }
    void set_prover(int player) { prover_ = player; }

    // One of a few locks, for what is done to a node by one thread at a time.
    std::unique_lock<SpinLock> lock_node(Index index) {
        return shared_ ? std::unique_lock(node_locks_[index % kLocks]) : std::unique_lock<SpinLock>();
    }

    // Copies what lies below a node of another tree, which becomes node 1 of this one.
    void take_from(const Tree& other, Index root) {
        clear();
        // In a graph a node may be met again. Node i of this tree is waiting[i - 1] of the other.
        std::vector<Index> copies(other.num_nodes_, 0), waiting;
        const auto copy_of = [&](Index from) {
            if (copies[from] == 0) {
                copies[from] = needs_.graph ? node_of(other.keys_[from], 0) : add_node(0);
                waiting.push_back(from);
            }
            return copies[from];
        };
        copy_of(root);
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            const Index from = waiting[i], to = copies[from];
            const Node& old = other.nodes_[from];
            nodes_[to] = old;
            nodes_[to].num_edges = nodes_[to].opened = 0;
            std::copy_n(other.values_.data() + from * value_row(), value_row(), values_.data() + to * value_row());
            if (needs_.proof_numbers) proof_numbers_[to] = other.proof_numbers_[from];
            if (needs_.depths > 0) std::copy_n(other.depths(from), needs_.depths, depths(to));
            if (old.num_edges == 0) continue;
            const Index first = add_edges(old.num_edges);
            for (Index k = 0; k < old.num_edges; ++k) copy_edge(other, old.first_edge + k, first + k);
            for (Index k = 0; k < old.num_edges; ++k)
                if (const Index child = other.edges_[old.first_edge + k].child; child != 0) link(to, first + k, copy_of(child));
            give_edges(to, first, old.num_edges, old.opened);
        }
    }

private:
    struct ParentLink {
        Index node, next;  // the node of the edge, and the next edge that leads to the same child
    };

    static std::size_t capacity(std::size_t memory, std::size_t size) {
        return std::min<std::size_t>(memory / size + 2 + kMargin, kNone);
    }
    std::size_t value_row() const { return static_cast<std::size_t>(needs_.values); }
    std::size_t num_slots() const { return peek(num_slots_); }

    void copy_edge(const Tree& other, Index from, Index to) {
        edges_[to] = other.edges_[from];
        edges_[to].child = 0;
        if (needs_.amaf) amaf_[to] = other.amaf_[from];
        if (needs_.squares) squares_[to] = other.squares_[from];
        if (needs_.priors) priors_[to] = other.priors_[from];
        if (needs_.minimax) minimax_[to] = other.minimax_[from];
    }

    // The slot of a key: that of its node, or the empty one where it would go.
    std::size_t slot_of(u64 key) const {
        std::size_t slot = static_cast<std::size_t>(mix(key)) & (slots_.size() - 1);
        while (slots_[slot] != 0 && keys_[slots_[slot]] != key) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    bool grow_slots() {
        if (bytes() + slots_.size() * sizeof(Index) > memory_) return false;
        slots_.assign(2 * slots_.size(), 0);
        put(num_slots_, slots_.size());
        for (std::size_t i = 1; i < num_nodes_; ++i) slots_[slot_of(keys_[i])] = static_cast<Index>(i);
        return true;
    }
    std::unique_lock<std::mutex> lock_if_shared(std::mutex& mutex) const {
        return shared_ ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
    }

    static constexpr std::size_t kFirstSlots = 1 << 14;
    static constexpr std::size_t kMargin = 1 << 16;  // threads that look at the room at the same time may each take some
    static constexpr std::size_t kLocks = 256;

    TreeNeeds needs_;
    bool shared_;
    std::size_t memory_, edge_size_, node_size_;
    HugeArray<Node> nodes_;
    HugeArray<Edge> edges_;
    HugeArray<AmafStatistics> amaf_;
    HugeArray<Fixed> squares_;
    HugeArray<float> priors_, minimax_;
    HugeArray<ParentLink> parent_links_;
    HugeArray<u64> keys_;
    HugeArray<Fixed> values_;
    HugeArray<ProofNumbers> proof_numbers_;
    HugeArray<Index> first_parents_;
    HugeArray<float> depths_;
    std::vector<Index> slots_;  // of a hash table from keys to nodes; 0: empty
    std::size_t num_slots_ = 0;
    std::size_t num_nodes_ = 1, num_edges_ = 0;
    int prover_ = 0;
    mutable std::mutex slots_mutex_;
    std::vector<SpinLock> node_locks_ = std::vector<SpinLock>(shared_ ? kLocks : 0);
};

}  // namespace spielbaum
