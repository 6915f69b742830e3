// When a search ends: limits on nodes and time, a stop flag that another thread may set, and a poll that may throw.
#pragma once

#include <algorithm>
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

// Counts nodes and looks at the clock, the flag and the poll only now and then, so that a node pays for an increment and
// a comparison. A limit of nodes is kept exactly, so that searches limited by nodes are reproducible.
class SearchControl {
public:
    using Clock = std::chrono::steady_clock;

    // `interval`: nodes between two looks at the clock; searches of slow games choose a small one.
    SearchControl(Limits limits, const std::atomic<bool>* stop, std::function<void()> poll, u64 interval = 4096)
        : limits_(limits), stop_(stop), poll_(std::move(poll)), interval_(interval), start_(Clock::now()) {
        plan_next_check();
    }

    // To be called at every node; throws SearchStopped when the search must end.
    void count_node() {
        if (++nodes_ >= next_check_) [[unlikely]] check();
    }

    // Other threads may read the number of nodes there, as of the last look at the clock.
    void publish(std::atomic<u64>* nodes) { published_ = nodes; }

    void set_depth(int depth) { limits_.depth = depth; }
    void set_nodes(u64 nodes) {
        limits_.nodes = nodes;
        plan_next_check();
    }
    // For a search within a search: the same flag, poll and end, and nodes of its own.
    SearchControl within() const {
        Limits limits;
        limits.seconds = limits_.seconds - seconds();
        return SearchControl(limits, stop_, poll_, interval_);
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
        if (poll_) poll_();
        if ((stop_ != nullptr && stop_->load(std::memory_order_relaxed)) || seconds() >= limits_.seconds)
            throw SearchStopped{};
        plan_next_check();
    }

    // The first nodes may take milliseconds each, while the system hands out the memory of a new table: they are watched
    // more closely.
    void plan_next_check() {
        next_check_ = nodes_ + std::min(interval_, kFirstInterval + nodes_ / 16);
        if (limits_.nodes < next_check_) next_check_ = limits_.nodes + 1;
    }

    static constexpr u64 kFirstInterval = 64;

    Limits limits_;
    const std::atomic<bool>* stop_;
    std::function<void()> poll_;
    u64 interval_;
    std::atomic<u64>* published_ = nullptr;
    Clock::time_point start_;
    u64 nodes_ = 0;
    u64 next_check_ = 0;
};

// Tells threads to end; to be declared after them, so that it is destroyed before they are joined, also by an exception.
struct StopAtEnd {
    std::atomic<bool>& stop;
    ~StopAtEnd() { stop.store(true, std::memory_order_relaxed); }
};

}  // namespace spielbaum
