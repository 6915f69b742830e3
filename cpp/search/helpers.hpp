// Threads that help the calling one with a search.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "search/control.hpp"

namespace spielbaum {

// Runs help(i, control) for i from 0 on, until each has returned or the helpers are destroyed. There are at most two
// threads for a core, each of which takes the next i when it is ready: where hundreds of equals took turns, whoever
// reads the command to stop would wait for a round of theirs, a third of a second. Another thread starts them one after
// the other, for that may take long: the calling thread begins meanwhile, and what is stopped early is not started any
// more.
class Helpers {
public:
    template <class Help>
    Helpers(std::size_t count, const SearchControl& control, u64 interval, Help help) {
        if (count == 0) return;
        starter_ = std::jthread([this, count, own = control.for_helper(ended_, interval), help = std::move(help)] {
            std::atomic<std::size_t> next = 0;
            const auto work = [&] {
                for (std::size_t i; (i = next.fetch_add(1)) < count && !own.stopped();) help(i, own);
            };
            std::vector<std::jthread> threads;
            try {
                const std::size_t most = 2 * std::max<std::size_t>(1, std::thread::hardware_concurrency());
                for (std::size_t i = 0; i < std::min(count, most) && !own.stopped(); ++i) threads.emplace_back(work);
            } catch (const std::system_error&) {
                // The system has no more threads: those that it had are enough.
            }
        });
    }
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;
    ~Helpers() { ended_.store(true, std::memory_order_relaxed); }

    // Until all of them have come to the end of their limits.
    void wait() {
        if (starter_.joinable()) starter_.join();
    }

private:
    std::atomic<bool> ended_ = false;
    std::jthread starter_;  // it waits for the others
};

}  // namespace spielbaum
