// Bounds of Reversi positions that were searched before, in a fixed amount of memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#include "search/growing_buckets.hpp"

namespace spielbaum {

// What is known of a position: its value lies from `lower` to `upper`. `move` was the best one when it was last
// searched.
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
    // `memory` in bytes, to which the table grows at most.
    explicit ReversiTable(std::size_t memory) : buckets_(memory / sizeof(Bucket)) {}

    void new_search() { ++age_; }
    void clear() {
        buckets_.clear();
        age_ = 0;
    }
    void prefetch(u64 key) const { buckets_.prefetch(key); }

    // Null if nothing is known. What is found stays valid until the next store().
    const ReversiBounds* find(u64 key, int empties) const {
        for (const ReversiBounds& entry : buckets_.of(key).entries)
            if (entry.key == key && entry.empties == empties) return &entry;
        return nullptr;
    }

    // Adds to what is known of the position. At the table's full size, what took least to find out gives way in a full
    // bucket: entries of earlier searches before those of this one, then the one with the fewest empty cells.
    void store(u64 key, int empties, int lower, int upper, int move) {
        ReversiBounds* place = place_for(key, empties);
        while (place == nullptr && buckets_.grow()) place = place_for(key, empties);
        if (place == nullptr) {
            place = least_worth(key);
        } else if (place->empties != 0) {
            if (place->lower > lower) lower = place->lower;
            if (place->upper < upper) upper = place->upper;
        }
        *place = {key,
                  static_cast<std::int8_t>(lower),
                  static_cast<std::int8_t>(upper),
                  static_cast<std::uint8_t>(move),
                  static_cast<std::uint8_t>(empties),
                  age_};
    }

private:
    struct Bucket {
        std::array<ReversiBounds, 4> entries;

        void split(Bucket& upper, u64 bit) {
            std::size_t kept = 0, moved = 0;
            for (const ReversiBounds entry : entries) {
                if (entry.empties == 0) continue;
                ((entry.key & bit) != 0 ? upper.entries[moved++] : entries[kept++]) = entry;
            }
            for (; kept < entries.size(); ++kept) entries[kept] = {};
            for (; moved < entries.size(); ++moved) upper.entries[moved] = {};
        }
    };
    static_assert(sizeof(Bucket) == 64, "a bucket fills one cache line");

    // The entry of the position, or the first empty one; null if there is neither.
    ReversiBounds* place_for(u64 key, int empties) {
        for (ReversiBounds& entry : buckets_.of(key).entries)
            if (entry.empties == 0 || (entry.key == key && entry.empties == empties)) return &entry;
        return nullptr;
    }
    ReversiBounds* least_worth(u64 key) {
        auto& entries = buckets_.of(key).entries;
        return std::min_element(entries.begin(), entries.end(),
                                [this](const ReversiBounds& a, const ReversiBounds& b) { return worth(a) < worth(b); });
    }
    int worth(const ReversiBounds& entry) const { return entry.empties + (entry.age == age_ ? 128 : 0); }

    // find() changes nothing that anybody can see, but it may move entries to where they belong since the table has
    // grown.
    mutable GrowingBuckets<Bucket> buckets_;
    std::uint8_t age_ = 0;
};

}  // namespace spielbaum
