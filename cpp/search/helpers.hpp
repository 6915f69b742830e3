// Threads that help the calling one with a search.
#pragma once

#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/resource.h>
#endif

#include "search/control.hpp"

namespace spielbaum {

// A thread for which there is no core gives way to all others. Where hundreds of equals take turns, whoever reads the command
// to stop would wait for a round of theirs, a third of a second.
inline void give_way() {
#ifdef __linux__
    setpriority(PRIO_PROCESS, 0, 19);  // of this thread alone
#endif
}

// Runs help(i, control) for i from 0 on, each in a thread of its own, until it returns or the helpers are destroyed. Another thread
// starts them one after the other, for that may take long where there are many: the calling thread begins meanwhile, and what
// is stopped early is not started any more.
class Helpers {
public:
    template <class Help>
    Helpers(std::size_t count, const SearchControl& control, u64 interval, Help help) {
        if (count == 0) return;
        threads_.reserve(count);
        starter_ = std::jthread([this, count, own = control.for_helper(ended_, interval), help = std::move(help)] {
            try {
                for (std::size_t i = 0; i < count && !own.stopped(); ++i)
                    threads_.emplace_back([&help, own, i] {
                        if (i + 1 >= std::thread::hardware_concurrency()) give_way();
                        help(i, own);
                    });
            } catch (const std::system_error&) {
                // The system has no more threads: those that it had are enough.
            }
            threads_.clear();
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
    std::vector<std::jthread> threads_;
    std::jthread starter_;  // destroyed first: it waits for the others
};

}  // namespace spielbaum
