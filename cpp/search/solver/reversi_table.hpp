// Bounds of Reversi positions that were searched before, in a fixed amount of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#include "core/huge_array.hpp"

namespace spielbaum {

// What is known of a position: its value lies from `lower` to `upper`. `move` was the best one when it was last searched.
struct ReversiBounds {
    u64 key = 0;
    std::int8_t lower = 0;
    std::int8_t upper = 0;
    std::uint8_t move = 0;
    std::uint8_t empties = 0;  // 0: nothing is stored here
    std::uint8_t age = 0;
};

class ReversiTable {
public:
    // `memory` in bytes is rounded down to a power of two, and up to one bucket.
    explicit ReversiTable(std::size_t memory) : buckets_(num_buckets(memory)) {}

    void new_search() { ++age_; }
    void clear() { buckets_.clear(); }
    void prefetch(u64 key) const { __builtin_prefetch(&buckets_[index(key)]); }

    // Null if nothing is known. What is found stays valid until the next store().
    const ReversiBounds* find(u64 key, int empties) const {
        for (const ReversiBounds& entry : buckets_[index(key)])
            if (entry.key == key && entry.empties == empties) return &entry;
        return nullptr;
    }

    // Adds to what is known of the position. In a full bucket what took least to find out gives way: entries of earlier
    // searches before those of this one, then the one with the fewest empty cells.
    void store(u64 key, int empties, int lower, int upper, int move) {
        ReversiBounds* place = nullptr;
        for (ReversiBounds& entry : buckets_[index(key)]) {
            if (entry.key == key && entry.empties == empties) {
                place = &entry;
                if (entry.lower > lower) lower = entry.lower;
                if (entry.upper < upper) upper = entry.upper;
                break;
            }
            if (place == nullptr || worth(entry) < worth(*place)) place = &entry;
        }
        *place = {key,
                  static_cast<std::int8_t>(lower),
                  static_cast<std::int8_t>(upper),
                  static_cast<std::uint8_t>(move),
                  static_cast<std::uint8_t>(empties),
                  age_};
    }

private:
    using Bucket = std::array<ReversiBounds, 4>;
    static_assert(sizeof(Bucket) == 64, "a bucket fills one cache line");

    static std::size_t num_buckets(std::size_t memory) {
        std::size_t count = 1;
        while (count <= memory / (2 * sizeof(Bucket))) count *= 2;
        return count;
    }
    std::size_t index(u64 key) const { return static_cast<std::size_t>(key) & (buckets_.size() - 1); }
    int worth(const ReversiBounds& entry) const { return entry.empties + (entry.age == age_ ? 128 : 0); }

    HugeArray<Bucket> buckets_;
    std::uint8_t age_ = 0;
};

}  // namespace spielbaum
