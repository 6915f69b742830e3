// The tree of a Monte-Carlo tree search: nodes and edges in two arrays, linked by 32-bit indices.
//
// A node is a position, an edge a move from it. Statistics live on the edges, as sums of the rewards of the player who
// moves at the node, in fixed point, so that they do not depend on the order of rounding. Edges of a node are made all
// at once and side by side; the first `opened` of them may be chosen. What only some rules need lies in arrays beside
// nodes and edges, which take no memory unless asked for.
//
// Several threads may work on one tree. What they change is read and written by the functions of shared.hpp; what they
// do not change after it was published (links, moves) they read as it is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/bits.hpp"
#include "core/huge_array.hpp"
#include "core/move.hpp"
#include "core/zobrist.hpp"
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

// What an array beside nodes and edges has a row for: edges, nodes, or nodes that have edges, which are fewer.
enum class Per : std::uint8_t { edge, node, inner };

// Statistics that only some rules need are types of their own, with a constant kPer; the tree has an array of each that
// is asked for, allocates and clears it with its nodes and edges, copies it when a part of the tree is kept, and counts
// its memory.
template <class T>
concept Statistics = std::is_trivially_copyable_v<T> && std::is_same_v<decltype(T::kPer), const Per>;

// Arrays are found by a number for each type of statistics.
inline constexpr std::size_t kMostArrays = 16;
namespace tree_detail {
inline std::size_t num_slots = 0;
}
template <Statistics T>
inline const std::size_t kArraySlot = tree_detail::num_slots++;

// What a tree keeps beside nodes and edges.
struct TreeNeeds {
    struct Array {
        std::size_t slot;
        Per per;
        std::size_t width;     // elements of a row
        std::size_t row_size;  // bytes
        void (*clear)(std::byte* elements, std::size_t count);
    };

    bool graph = false;    // nodes are found by the key of their position, so that several edges may lead to one
    bool parents = false;  // nodes know the nodes that lead to them
    std::vector<Array> arrays{};

    // Rows of `width` elements; asked for twice, there is one array.
    template <Statistics T>
    TreeNeeds with(std::size_t width = 1) && {
        if (!has<T>())
            arrays.push_back(
                {kArraySlot<T>, T::kPer, width, width * sizeof(T), [](std::byte* elements, std::size_t count) {
                     std::fill_n(reinterpret_cast<T*>(elements), count, T{});
                 }});
        return std::move(*this);
    }
    template <Statistics T>
    bool has() const {
        return std::any_of(arrays.begin(), arrays.end(),
                           [](const Array& array) { return array.slot == kArraySlot<T>; });
    }
};

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
    std::uint16_t in_flight = 0;    // visits that have not come back yet; they count as lost

    double mean() const { return visits == 0 ? 0.0 : to_real(sum) / visits; }
};
static_assert(sizeof(Edge) == 24);

// How likely a move seemed before it was tried.
struct Prior {
    static constexpr Per kPer = Per::edge;
    float share = 0.0f;
};

// A step down the tree.
struct Step {
    std::uint32_t node, edge;
};

class Tree {
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = std::numeric_limits<Index>::max();

    // `memory`: bytes that all arrays together may use. A shared tree is worked on by several threads.
    Tree(std::size_t memory, TreeNeeds needs, bool is_shared = false)
        : needs_(std::move(needs)),
          shared_(is_shared),
          memory_(memory),
          edge_size_(sizeof(Edge) + size_of_rows(Per::edge) + (needs_.parents ? sizeof(ParentLink) : 0)),
          inner_size_(size_of_rows(Per::inner)),
          node_size_(sizeof(Node) + size_of_rows(Per::node) + (needs_.graph ? sizeof(u64) : 0) +
                     (needs_.parents ? sizeof(Index) : 0) + (inner_size_ > 0 ? sizeof(Index) : 0)),
          nodes_(capacity(memory, node_size_)),
          edges_(capacity(memory, edge_size_)),
          parent_links_(needs_.parents ? edges_.size() : 0),
          keys_(needs_.graph ? nodes_.size() : 0),
          first_parents_(needs_.parents ? nodes_.size() : 0),
          inner_rows_(inner_size_ > 0 ? nodes_.size() : 0) {
        const std::size_t inner = inner_size_ == 0 ? 0 : memory / inner_size_ + 2 + kInnerMargin;
        for (const TreeNeeds::Array& array : needs_.arrays) {
            const std::size_t rows = array.per == Per::edge   ? edges_.size()
                                     : array.per == Per::node ? nodes_.size()
                                                              : inner;
            memory_of_arrays_.emplace_back(rows * array.row_size);
            arrays_.at(array.slot) = memory_of_arrays_.back().data();
            widths_[array.slot] = array.width;
        }
        clear();
    }
    // Arrays are known by their addresses.
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    const TreeNeeds& needs() const { return needs_; }
    bool is_shared() const { return shared_; }

    // Index 0 is no node, so that an edge without a child has child 0.
    void clear() {
        num_nodes_ = 1;
        num_edges_ = num_inner_ = 0;
        slots_.assign(needs_.graph ? kFirstSlots : 0, 0);
        num_slots_ = slots_.size();
    }
    std::size_t num_nodes() const { return peek(num_nodes_) - 1; }
    std::size_t num_edges() const { return peek(num_edges_); }
    std::size_t bytes() const {
        return peek(num_nodes_) * node_size_ + peek(num_edges_) * edge_size_ + peek(num_inner_) * inner_size_ +
               num_slots() * sizeof(Index);
    }

    // A new node, or kNone if the memory is used up.
    Index add_node(int to_move) {
        if (peek(num_nodes_) >= nodes_.size() - kMargin || bytes() + node_size_ > memory_) return kNone;
        const auto index = static_cast<Index>(take(num_nodes_, std::size_t{1}, shared_));
        Node fresh;
        fresh.to_move = static_cast<std::uint8_t>(to_move);
        nodes_[index] = fresh;
        clear_rows(Per::node, index, 1);
        if (needs_.parents) first_parents_[index] = kNone;
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

    // Room for edges side by side, cleared, or kNone if the memory is used up. They belong to nobody until
    // `give_edges`.
    Index add_edges(std::size_t count) {
        if (peek(num_edges_) + count + kMargin > edges_.size() || bytes() + count * edge_size_ + inner_size_ > memory_)
            return kNone;
        const auto first = static_cast<Index>(take(num_edges_, count, shared_));
        std::fill_n(&edges_[first], count, Edge{});
        clear_rows(Per::edge, first, count);
        return first;
    }
    void give_edges(Index index, Index first, std::size_t count, std::size_t opened) {
        Node& node = nodes_[index];
        if (inner_size_ > 0) {
            inner_rows_[index] = static_cast<Index>(take(num_inner_, std::size_t{1}, shared_));
            clear_rows(Per::inner, inner_rows_[index], 1);
        }
        node.first_edge = first;
        publish(node.opened, static_cast<std::uint16_t>(opened));
        publish(node.num_edges, static_cast<std::uint16_t>(count));
    }
    // Exchanges two edges that have not been opened, and so have no statistics yet.
    void swap_edges(Index a, Index b) { std::swap(edges_[a], edges_[b]); }
    // An edge of a node gets its child.
    void link(Index node, Index edge, Index child) {
        if (needs_.parents) {
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

    // The array of statistics of edges or nodes, by their index.
    template <Statistics T>
    T* array() {
        return reinterpret_cast<T*>(arrays_[kArraySlot<T>]);
    }
    template <Statistics T>
    const T* array() const {
        return reinterpret_cast<const T*>(arrays_[kArraySlot<T>]);
    }
    template <Statistics T>
    T& at(Index index) {
        return array<T>()[index];
    }
    template <Statistics T>
    const T& at(Index index) const {
        return array<T>()[index];
    }
    // The row of a node, where rows have several elements.
    template <Statistics T>
    std::size_t width() const {
        return widths_[kArraySlot<T>];
    }
    template <Statistics T>
    T* row(Index node) {
        return array<T>() + row_number<T>(node) * width<T>();
    }
    template <Statistics T>
    const T* row(Index node) const {
        return array<T>() + row_number<T>(node) * width<T>();
    }

    // Calls `visit` with every node from which an edge leads to this one.
    template <class Visit>
    void for_each_parent(Index index, Visit&& visit) const {
        for (Index edge = first_parents_[index]; edge != kNone; edge = parent_links_[edge].next)
            visit(parent_links_[edge].node);
    }

    // Whose wins the proof numbers are about, and against whom paranoid players are: the player to move at the root.
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
            copy_rows(Per::node, other, from, to, 1);
            if (old.num_edges == 0) continue;
            const Index first = add_edges(old.num_edges);
            for (Index k = 0; k < old.num_edges; ++k) {
                edges_[first + k] = other.edges_[old.first_edge + k];
                edges_[first + k].child = 0;
            }
            copy_rows(Per::edge, other, old.first_edge, first, old.num_edges);
            for (Index k = 0; k < old.num_edges; ++k)
                if (const Index child = other.edges_[old.first_edge + k].child; child != 0)
                    link(to, first + k, copy_of(child));
            give_edges(to, first, old.num_edges, old.opened);
            if (inner_size_ > 0) copy_rows(Per::inner, other, other.inner_rows_[from], inner_rows_[to], 1);
        }
    }

private:
    struct ParentLink {
        Index node, next;  // the node of the edge, and the next edge that leads to the same child
    };

    static std::size_t capacity(std::size_t memory, std::size_t size) {
        return std::min<std::size_t>(memory / size + 2 + kMargin, kNone);
    }
    std::size_t num_slots() const { return peek(num_slots_); }

    template <Statistics T>
    std::size_t row_number(Index node) const {
        static_assert(T::kPer != Per::edge);
        return T::kPer == Per::inner ? inner_rows_[node] : node;
    }
    std::size_t size_of_rows(Per per) const {
        std::size_t size = 0;
        for (const TreeNeeds::Array& array : needs_.arrays) size += array.per == per ? array.row_size : 0;
        return size;
    }
    void clear_rows(Per per, std::size_t first, std::size_t count) {
        for (const TreeNeeds::Array& array : needs_.arrays)
            if (array.per == per) array.clear(arrays_[array.slot] + first * array.row_size, count * array.width);
    }
    void copy_rows(Per per, const Tree& other, std::size_t from, std::size_t to, std::size_t count) {
        for (const TreeNeeds::Array& array : needs_.arrays)
            if (array.per == per)
                std::memcpy(arrays_[array.slot] + to * array.row_size,
                            other.arrays_[array.slot] + from * array.row_size, count * array.row_size);
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
    static constexpr std::size_t kMargin = 1
                                           << 16;  // threads that look at the room at the same time may each take some
    static constexpr std::size_t kInnerMargin = 1
                                                << 8;  // the same of rows, which are large, and of which each takes one
    static constexpr std::size_t kLocks = 256;

    TreeNeeds needs_;
    bool shared_;
    std::size_t memory_, edge_size_, inner_size_, node_size_;
    HugeArray<Node> nodes_;
    HugeArray<Edge> edges_;
    HugeArray<ParentLink> parent_links_;
    HugeArray<u64> keys_;
    HugeArray<Index> first_parents_;
    HugeArray<Index> inner_rows_;  // by node
    std::vector<HugeArray<std::byte>> memory_of_arrays_;
    std::array<std::byte*, kMostArrays> arrays_{};  // by slot
    std::array<std::size_t, kMostArrays> widths_{};
    std::vector<Index> slots_;  // of a hash table from keys to nodes; 0: empty
    std::size_t num_slots_ = 0;
    std::size_t num_nodes_ = 1, num_edges_ = 0, num_inner_ = 0;
    int prover_ = 0;
    mutable std::mutex slots_mutex_;
    std::vector<SpinLock> node_locks_ = std::vector<SpinLock>(shared_ ? kLocks : 0);
};

}  // namespace spielbaum
