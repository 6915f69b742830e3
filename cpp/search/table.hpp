// The transposition table of alpha-beta: what earlier searches found out about a position.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/bits.hpp"
#include "core/move.hpp"
#include "search/huge_array.hpp"

namespace spielbaum {

enum class Bound : std::uint8_t { none, lower, upper, exact };

struct TableEntry {
    u64 key = 0;
    std::int16_t value = 0;  // seen from the position, wins counted from it
    Move move = 0;           // the best one found; meaningful if has_move
    std::uint8_t depth = 0;
    Bound bound = Bound::none;
    bool has_move = false;
    std::uint8_t age = 0;
};
static_assert(sizeof(TableEntry) == 16);

// Buckets of four entries, one cache line each. A new entry replaces that of the same position, else an empty one, else
// the one whose search is worth least: old searches first, then shallow ones.
class TranspositionTable {
public:
    explicit TranspositionTable(std::size_t memory) : buckets_(bucket_count(memory)) {}

    // A new search begins: entries of earlier ones are still used, but give way first.
    void start_search() { ++age_; }
    void clear() { buckets_.clear(); }

    std::optional<TableEntry> find(u64 key) const {
        for (const TableEntry& entry : buckets_[index(key)])
            if (entry.key == key && entry.bound != Bound::none) return entry;
        return std::nullopt;
    }

    void store(TableEntry fresh) {
        fresh.age = age_;
        TableEntry* victim = nullptr;
        for (TableEntry& entry : buckets_[index(fresh.key)]) {
            if (entry.key == fresh.key || entry.bound == Bound::none) {
                victim = &entry;
                break;
            }
            if (victim == nullptr || worth(entry) < worth(*victim)) victim = &entry;
        }
        // A search that found no best move does not forget the one that an earlier search knew.
        if (!fresh.has_move && victim->key == fresh.key && victim->has_move) {
            fresh.move = victim->move;
            fresh.has_move = true;
        }
        *victim = fresh;
    }

private:
    using Bucket = std::array<TableEntry, 4>;

    static std::size_t bucket_count(std::size_t memory) {
        std::size_t count = 16;
        while (2 * count * sizeof(Bucket) <= memory) count *= 2;
        return count;
    }
    std::size_t index(u64 key) const { return static_cast<std::size_t>(key) & (buckets_.size() - 1); }
    int worth(const TableEntry& entry) const { return entry.depth - 8 * static_cast<std::uint8_t>(age_ - entry.age); }

    HugeArray<Bucket> buckets_;
    std::uint8_t age_ = 0;
};

}  // namespace spielbaum
