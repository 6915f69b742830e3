// When a search ends: limits on nodes and time, a stop flag that another thread may set, and a poll that may throw.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>

#include "core/bits.hpp"

namespace spielbaum {

struct Limits {
    u64 nodes = std::numeric_limits<u64>::max();
    double seconds = std::numeric_limits<double>::infinity();
    int depth = std::numeric_limits<int>::max();
};

// Thrown inside a search to unwind it when a limit is reached; never leaves the search.
struct SearchStopped {};

// Counts nodes and looks at the clock, the flag and the poll only now and then, so that a node pays for an increment
// and a comparison. A limit of nodes is kept exactly, so that searches limited by nodes are reproducible.
class SearchControl {
public:
    using Clock = std::chrono::steady_clock;

    using Flag = const std::atomic<bool>*;

    // Either flag ends the search. `interval`: nodes between two looks at the clock; searches of slow games choose a
    // small one.
    SearchControl(Limits limits, Flag stop, std::function<void()> poll, u64 interval = 4096, Flag other_stop = nullptr)
        : limits_(limits),
          stops_{stop, other_stop, nullptr},
          poll_(std::move(poll)),
          interval_(interval),
          start_(Clock::now()) {
        plan_next_check();
    }

    // To be called at every node; throws SearchStopped when the search must end.
    void count_node() {
        if (++nodes_ >= next_check_) [[unlikely]]
            check();
    }

    // Looks at the clock, the flag and the poll, for work that takes long within a node; throws like `count_node`.
    void look() {
        if (poll_) poll_();
        if (stopped()) throw SearchStopped{};
    }

    // Whether a flag is set or the time is over.
    bool stopped() const {
        for (const Flag stop : stops_)
            if (stop != nullptr && stop->load(std::memory_order_relaxed)) return true;
        return seconds() >= limits_.seconds;
    }

    // Other threads may read the number of nodes there, as of the last look at the clock.
    void publish(std::atomic<u64>* nodes) { published_ = nodes; }

    void set_depth(int depth) { limits_.depth = depth; }
    void set_nodes(u64 nodes) {
        limits_.nodes = nodes;
        plan_next_check();
    }
    // For a search within a search: the same flags, poll and end, and nodes of its own.
    SearchControl within() const {
        Limits limits;
        limits.seconds = limits_.seconds - seconds();
        return SearchControl(limits, stops_[0], poll_, interval_, stops_[1]);
    }
    // For another thread of the same search, which `ended` ends as well. It looks at clock and flags itself: where
    // there are many threads, it takes long until the one that was called has its turn. The poll is that one's alone.
    SearchControl for_helper(const std::atomic<bool>& ended, u64 interval) const {
        Limits limits = limits_;
        limits.seconds -= seconds();
        SearchControl helper(limits, stops_[0], {}, interval, stops_[1]);
        helper.stops_[2] = &ended;
        return helper;
    }

    u64 nodes() const { return nodes_; }
    const Limits& limits() const { return limits_; }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    void check() {
        if (nodes_ > limits_.nodes) {
            nodes_ = limits_.nodes;  // the node that is one too many is not searched
            throw SearchStopped{};
        }
        if (published_ != nullptr) published_->store(nodes_, std::memory_order_relaxed);
        look();
        plan_next_check();
    }

    // The first nodes may take milliseconds each, while the system hands out the memory of a new table: they are
    // watched more closely.
    void plan_next_check() {
        next_check_ = nodes_ + std::min(interval_, kFirstInterval + nodes_ / 16);
        if (limits_.nodes < next_check_) next_check_ = limits_.nodes + 1;
    }

    static constexpr u64 kFirstInterval = 64;

    Limits limits_;
    std::array<Flag, 3> stops_;
    std::function<void()> poll_;
    u64 interval_;
    std::atomic<u64>* published_ = nullptr;
    Clock::time_point start_;
    u64 nodes_ = 0;
    u64 next_check_ = 0;
};

}  // namespace spielbaum
