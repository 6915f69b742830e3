// Sets of cells as 64-bit or 128-bit integers, and the few operations on them that every game needs.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace spielbaum {

using u64 = std::uint64_t;
__extension__ using u128 = unsigned __int128;

template <class Board>
inline constexpr int kBoardBits = static_cast<int>(sizeof(Board)) * 8;

// Running counts of a word's bytes: byte i holds the number of set bits in bytes 0 to i, so the top byte the total.
constexpr u64 running_counts(u64 bits) {
    u64 sums = bits - ((bits >> 1) & 0x5555555555555555ULL);
    sums = (sums & 0x3333333333333333ULL) + ((sums >> 2) & 0x3333333333333333ULL);
    return ((sums + (sums >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL;
}

// Without the POPCNT instruction (the baseline x86-64 build) compilers call a table-driven library routine, which is
// slower than adding up bit pairs in registers.
constexpr int popcount(u64 bits) {
#if defined(__POPCNT__) || !defined(__x86_64__)
    return std::popcount(bits);
#else
    return static_cast<int>(running_counts(bits) >> 56);
#endif
}

constexpr int popcount(u128 bits) { return popcount(static_cast<u64>(bits)) + popcount(static_cast<u64>(bits >> 64)); }

// Index of the lowest set bit; the set must not be empty.
constexpr int lowest(u64 bits) { return std::countr_zero(bits); }

constexpr int lowest(u128 bits) {
    const u64 low = static_cast<u64>(bits);
    return low != 0 ? lowest(low) : 64 + lowest(static_cast<u64>(bits >> 64));
}

// Index of the highest set bit; the set must not be empty.
constexpr int highest(u64 bits) { return 63 - std::countl_zero(bits); }

constexpr int highest(u128 bits) {
    const u64 high = static_cast<u64>(bits >> 64);
    return high != 0 ? 64 + highest(high) : highest(static_cast<u64>(bits));
}

template <class Board>
constexpr int pop_lowest(Board& bits) {
    const int index = lowest(bits);
    bits &= bits - 1;
    return index;
}

template <class Board>
constexpr bool more_than_one(Board bits) {
    return (bits & (bits - 1)) != 0;
}

template <class Board>
constexpr Board bit(int index) {
    return Board{1} << index;
}

template <class Board>
constexpr bool contains(Board bits, int index) {
    return ((bits >> index) & 1) != 0;
}

// For each byte and rank: the index of the set bit with `rank` set bits below it.
inline constexpr auto kSelectInByte = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte)
        for (unsigned index = 0, rank = 0; index < 8; ++index)
            if ((byte >> index & 1) != 0) table[byte][rank++] = static_cast<std::uint8_t>(index);
    return table;
}();

// Index of the set bit with `rank` set bits below it (rank 0 = the lowest); rank must be below the number of bits.
// Finds the byte by the running counts of all bytes at once: no loop and no branch.
constexpr int select(u64 bits, u64 counts, int rank) {
    const u64 ranks = static_cast<u64>(rank) * 0x0101010101010101ULL;
    // A byte whose running count is <= rank lies wholly below the wanted bit.
    const u64 below = (((ranks | 0x8080808080808080ULL) - counts) >> 7) & 0x0101010101010101ULL;
    const int shift = static_cast<int>((below * 0x0101010101010101ULL) >> 56) * 8;
    const u64 in_byte = static_cast<u64>(rank) - (((counts << 8) >> shift) & 0xFF);
    return shift + kSelectInByte[(bits >> shift) & 0xFF][in_byte];
}

constexpr int select(u64 bits, int rank) { return select(bits, running_counts(bits), rank); }

constexpr int select(u128 bits, int rank) {
    const u64 low = static_cast<u64>(bits);
    const int in_low = popcount(low);
    return rank < in_low ? select(low, rank) : 64 + select(static_cast<u64>(bits >> 64), rank - in_low);
}

}  // namespace spielbaum
