// Two threads that train one network: each has the tuples of a part, and they tell each other the sums of their parts.
//
// Both play the same games with the same random numbers, so that all that either needs to know of the other is a few
// numbers at each ply. No weight is ever read or written by both, and what they learn is what one thread would, to the
// bit.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <thread>

#include "core/bits.hpp"

namespace spielbaum {

class Team {
public:
    static constexpr std::size_t kMembers = 2;

    // Adds what the other member says at the same time to each of the values; both get the same sums.
    void add(std::size_t member, std::span<float> values) {
        for (std::size_t from = 0; from < values.size(); from += kLetter)
            add_letter(member, values.subspan(from, std::min(kLetter, values.size() - from)));
    }

    // The other one need not wait any longer.
    void leave() { left_.store(true, std::memory_order_release); }

private:
    // As many values as most positions have moves; they and the number share lines of the cache.
    static constexpr std::size_t kLetter = 31;
    static constexpr int kPatience = 2000;

    struct alignas(64) Letter {
        std::atomic<u64> number = 0;
        std::array<float, kLetter> values{};
    };
    struct alignas(64) Member {
        u64 written = 0;
        // Nobody is more than one letter ahead of the other, so that two places suffice.
        std::array<Letter, 2> letters;
    };

    void add_letter(std::size_t member, std::span<float> values) {
        Member& self = members_[member];
        const u64 number = ++self.written;
        Letter& sent = self.letters[number % 2];
        std::copy(values.begin(), values.end(), sent.values.begin());
        sent.number.store(number, std::memory_order_release);
        const Letter& received = members_[1 - member].letters[number % 2];
        for (int tries = 0; received.number.load(std::memory_order_acquire) != number; ++tries)
            if (tries > kPatience) {
                if (left_.load(std::memory_order_acquire))
                    throw std::runtime_error("a thread of the training has failed");
                std::this_thread::yield();
            }
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += received.values[i];
    }

    std::array<Member, kMembers> members_;
    std::atomic<bool> left_ = false;
};

}  // namespace spielbaum
