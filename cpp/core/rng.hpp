// The generator of random numbers of all kernels: ours, so that a seed means the same on every machine and compiler.
#pragma once

#include "core/bits.hpp"
#include "core/zobrist.hpp"

namespace spielbaum {

// SplitMix64: one addition and one mix per number, equidistributed, and any seed is a good seed.
class Rng {
public:
    explicit constexpr Rng(u64 seed = 0) : state_(mix(seed + 0x9E3779B97F4A7C15ULL)) {}

    constexpr u64 next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        return mix(state_);
    }

    // A number from 0 to n - 1, n > 0. Multiplying 32 random bits by n (Lemire) has a bias below n / 2^32, far under
    // what any number of games could show.
    constexpr int below(int n) { return static_cast<int>(((next() >> 32) * static_cast<u64>(n)) >> 32); }

private:
    u64 state_;
};

// Index of a random set bit; the set must not be empty.
constexpr int random_bit(u64 bits, Rng& rng) {
    const u64 counts = running_counts(bits);
    return select(bits, counts, rng.below(static_cast<int>(counts >> 56)));
}

constexpr int random_bit(u128 bits, Rng& rng) { return select(bits, rng.below(popcount(bits))); }

}  // namespace spielbaum
