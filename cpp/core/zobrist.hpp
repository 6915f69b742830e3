// 64-bit keys of positions: a mixing function, and tables of random numbers made from it at compile time.
#pragma once

#include <array>
#include <cstddef>

#include "core/bits.hpp"

namespace spielbaum {

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection of 64-bit words in which every input bit
// changes about half of the output bits. Being a bijection, it maps positions that fit one word to keys without
// any collision.
constexpr u64 mix(u64 word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ULL;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBULL;
    return word ^ (word >> 31);
}

// Adds a word to a running key; not symmetric, so the order of words matters.
constexpr u64 combine(u64 key, u64 word) { return mix(key * 0x9E3779B97F4A7C15ULL + word + 0x9E3779B97F4A7C15ULL); }

constexpr u64 combine(u64 key, u128 word) {
    return combine(combine(key, static_cast<u64>(word)), static_cast<u64>(word >> 64));
}

// Random numbers for `N` features of a game. `salt` keeps the tables of different games apart.
template <std::size_t N>
constexpr std::array<u64, N> zobrist_table(u64 salt) {
    std::array<u64, N> table{};
    for (std::size_t i = 0; i < N; ++i) table[i] = combine(mix(salt), static_cast<u64>(i));
    return table;
}

}  // namespace spielbaum
