// The tree of a Monte-Carlo tree search: nodes and edges in two arrays, linked by 32-bit indices.
//
// A node is a position, an edge a move from it. Statistics live on the edges, as sums of the rewards of the player who
// moves at the node, in fixed point, so that they do not depend on the order of rounding. Edges of a node are made when
// it is visited for the second time, all at once and side by side; the first `opened` of them have been tried. What only
// some rules need lies in arrays beside the edges, which take no memory unless asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/bits.hpp"
#include "core/move.hpp"
#include "core/zobrist.hpp"
#include "search/huge_array.hpp"

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
    std::uint32_t child = 0;
    Move move = 0;
    std::uint16_t name = 0;
    Proof proof = Proof::unknown;
    std::uint8_t symmetry = 0;  // by which the position after the move became that of the child
    std::uint8_t unused[2] = {};

    double mean() const { return visits == 0 ? 0.0 : to_real(sum) / visits; }
};
static_assert(sizeof(Edge) == 24);

// All playouts that contain the move, wherever it was played.
struct AmafStatistics {
    Fixed sum = 0;
    std::uint32_t visits = 0;
    std::uint32_t unused = 0;
};

// How many positions must at least be decided to prove that the player of the root wins, or that he does not (Allis 1994).
struct ProofNumbers {
    static constexpr std::uint32_t kInfinite = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t proof = 1, disproof = 1;

    static constexpr ProofNumbers known(bool wins) { return wins ? ProofNumbers{0, kInfinite} : ProofNumbers{kInfinite, 0}; }
    static constexpr std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a > kInfinite - b ? kInfinite : a + b; }
};

// Which arrays beside the edges are kept.
struct TreeNeeds {
    bool amaf = false;
    bool squares = false;  // sums of squared rewards
    bool graph = false;    // nodes are found by the key of their position, so that several edges may lead to one
    int values = 0;        // sums of rewards in the nodes, for so many players
    bool proof_numbers = false;
};

class Tree {
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = std::numeric_limits<Index>::max();

    // `memory`: bytes that all arrays together may use.
    Tree(std::size_t memory, TreeNeeds needs)
        : needs_(needs),
          memory_(memory),
          edge_size_(sizeof(Edge) + (needs.amaf ? sizeof(AmafStatistics) : 0) + (needs.squares ? sizeof(Fixed) : 0)),
          node_size_(sizeof(Node) + (needs.graph ? sizeof(u64) : 0) + static_cast<std::size_t>(needs.values) * sizeof(Fixed) +
                     (needs.proof_numbers ? sizeof(ProofNumbers) : 0)),
          nodes_(capacity(memory, sizeof(Node))),
          edges_(capacity(memory, sizeof(Edge))),
          amaf_(needs.amaf ? edges_.size() : 0),
          squares_(needs.squares ? edges_.size() : 0),
          keys_(needs.graph ? nodes_.size() : 0),
          values_(static_cast<std::size_t>(needs.values) * nodes_.size()),
          proof_numbers_(needs.proof_numbers ? nodes_.size() : 0) {
        clear();
    }

    // Index 0 is no node, so that an edge without a child has child 0.
    void clear() {
        num_nodes_ = 1;
        num_edges_ = 0;
        if (needs_.graph) slots_.assign(kFirstSlots, 0);
    }
    std::size_t num_nodes() const { return num_nodes_ - 1; }
    std::size_t num_edges() const { return num_edges_; }
    std::size_t bytes() const {
        return num_nodes_ * node_size_ + num_edges_ * edge_size_ + slots_.size() * sizeof(Index);
    }

    // A new node, or kNone if the memory is used up. The key counts only in a graph.
    Index add_node(int to_move, u64 key) {
        if (num_nodes_ >= nodes_.size() || bytes() + node_size_ > memory_) return kNone;
        if (needs_.graph && 2 * num_nodes_ >= slots_.size() && !grow_slots()) return kNone;
        Node fresh;
        fresh.to_move = static_cast<std::uint8_t>(to_move);
        const auto index = static_cast<Index>(num_nodes_++);
        nodes_[index] = fresh;
        for (int i = 0; i < needs_.values; ++i) value(index, i) = 0;
        if (needs_.proof_numbers) proof_numbers_[index] = {};
        if (needs_.graph) {
            keys_[index] = key;
            slots_[slot_of(key)] = index;
        }
        return index;
    }
    // The node of a position in a graph, or kNone.
    Index find_node(u64 key) const {
        const Index index = slots_[slot_of(key)];
        return index == 0 ? kNone : index;
    }
    // The sum of a player's rewards over all visits of a node, where nodes have values.
    Fixed& value(Index index, int player) {
        return values_[index * static_cast<std::size_t>(needs_.values) + static_cast<std::size_t>(player)];
    }
    const Fixed& value(Index index, int player) const {
        return values_[index * static_cast<std::size_t>(needs_.values) + static_cast<std::size_t>(player)];
    }
    // Gives a node its edges; false if the memory is used up.
    bool add_edges(Index index, std::size_t count) {
        if (num_edges_ + count > edges_.size() || bytes() + count * edge_size_ > memory_) return false;
        Node& node = nodes_[index];
        node.first_edge = static_cast<Index>(num_edges_);
        node.num_edges = static_cast<std::uint16_t>(count);
        for (std::size_t i = num_edges_; i < num_edges_ + count; ++i) {
            edges_[i] = {};
            if (needs_.amaf) amaf_[i] = {};
            if (needs_.squares) squares_[i] = 0;
        }
        num_edges_ += count;
        return true;
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

    ProofNumbers& proof_numbers(Index index) { return proof_numbers_[index]; }
    const ProofNumbers& proof_numbers(Index index) const { return proof_numbers_[index]; }
    // Whose wins the numbers are about: the player to move at the root.
    int prover() const { return prover_; }
    void set_prover(int player) { prover_ = player; }

    // Copies what lies below a node of another tree, which becomes node 1 of this one.
    void take_from(const Tree& other, Index root) {
        clear();
        // In a graph a node may be met again. Node i of this tree is waiting[i - 1] of the other.
        std::vector<Index> copies(other.num_nodes_, 0), waiting;
        const auto copy_of = [&](Index from) {
            if (copies[from] == 0) {
                copies[from] = add_node(0, needs_.graph ? other.keys_[from] : 0);
                waiting.push_back(from);
            }
            return copies[from];
        };
        copy_of(root);
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            const Index from = waiting[i], to = copies[from];
            const Node& old = other.nodes_[from];
            nodes_[to] = old;
            for (int k = 0; k < needs_.values; ++k) value(to, k) = other.value(from, k);
            if (needs_.proof_numbers) proof_numbers_[to] = other.proof_numbers_[from];
            if (old.num_edges == 0) continue;
            add_edges(to, old.num_edges);
            const Index first = nodes_[to].first_edge;
            for (Index k = 0; k < old.num_edges; ++k) {
                edges_[first + k] = other.edges_[old.first_edge + k];
                if (needs_.amaf) amaf_[first + k] = other.amaf_[old.first_edge + k];
                if (needs_.squares) squares_[first + k] = other.squares_[old.first_edge + k];
                if (k < old.opened) edges_[first + k].child = copy_of(other.edges_[old.first_edge + k].child);
            }
            nodes_[to].opened = old.opened;
        }
    }

private:
    static std::size_t capacity(std::size_t memory, std::size_t size) {
        return std::min<std::size_t>(memory / size + 2, kNone);
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
        for (std::size_t i = 1; i < num_nodes_; ++i) slots_[slot_of(keys_[i])] = static_cast<Index>(i);
        return true;
    }

    static constexpr std::size_t kFirstSlots = 1024;

    TreeNeeds needs_;
    std::size_t memory_, edge_size_, node_size_;
    HugeArray<Node> nodes_;
    HugeArray<Edge> edges_;
    HugeArray<AmafStatistics> amaf_;
    HugeArray<Fixed> squares_;
    HugeArray<u64> keys_;
    HugeArray<Fixed> values_;
    HugeArray<ProofNumbers> proof_numbers_;
    std::vector<Index> slots_;  // of a hash table from keys to nodes; 0: empty
    std::size_t num_nodes_ = 1, num_edges_ = 0;
    int prover_ = 0;
};

}  // namespace spielbaum
