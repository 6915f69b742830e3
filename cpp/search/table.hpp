// The transposition table of alpha-beta: what earlier searches found out about a position.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "core/bits.hpp"
#include "core/move.hpp"
#include "core/huge_array.hpp"

namespace spielbaum {

enum class Bound : std::uint8_t { none, lower, upper, exact };

struct TableEntry {
    std::int16_t value = 0;  // seen from the position, wins counted from it
    Move move = 0;           // the best one found; meaningful if has_move
    std::uint8_t depth = 0;
    Bound bound = Bound::none;
    bool has_move = false;
};

// Buckets of four entries, one cache line each. A new entry replaces that of the same position, else an empty one, else
// the one whose search is worth least: old searches first, then shallow ones.
//
// Threads read and write without locks. An entry is two words, its data and the key mixed with the data, so that a pair
// of words that two threads wrote does not fit any key (Hyatt and Mann 2002).
class TranspositionTable {
public:
    explicit TranspositionTable(std::size_t memory) : buckets_(bucket_count(memory)) {}

    // A new search begins: entries of earlier ones are still used, but give way first.
    void start_search() { ++age_; }
    void clear() { buckets_.clear(); }

    void prefetch(u64 key) const { __builtin_prefetch(&buckets_[index(key)]); }

    std::optional<TableEntry> find(u64 key) const {
        for (Slot& slot : buckets_[index(key)]) {
            const u64 data = load(slot.data);
            if (data != 0 && (load(slot.check) ^ data) == key) return unpack(data);
        }
        return std::nullopt;
    }

    void store(u64 key, TableEntry fresh) {
        Slot* victim = nullptr;
        int least = 0;
        for (Slot& slot : buckets_[index(key)]) {
            const u64 data = load(slot.data);
            if (data == 0 || (load(slot.check) ^ data) == key) {
                const TableEntry known = unpack(data);
                // A search that found no best move does not forget the one that an earlier search knew.
                if (!fresh.has_move && known.has_move) {
                    fresh.move = known.move;
                    fresh.has_move = true;
                }
                victim = &slot;
                break;
            }
            if (victim == nullptr || worth(data) < least) {
                victim = &slot;
                least = worth(data);
            }
        }
        const u64 data = pack(fresh);
        save(victim->data, data);
        save(victim->check, key ^ data);
    }

private:
    struct Slot {
        u64 check, data;  // no data: an empty slot
    };
    using Bucket = std::array<Slot, 4>;

    static u64 load(u64& word) { return std::atomic_ref(word).load(std::memory_order_relaxed); }
    static void save(u64& word, u64 value) { std::atomic_ref(word).store(value, std::memory_order_relaxed); }

    // From the lowest bit: 16 bits value, 16 move, 8 depth, 8 age, 2 bound (never 0), 1 whether there is a move.
    u64 pack(const TableEntry& entry) const {
        return u64{static_cast<std::uint16_t>(entry.value)} | u64{entry.move} << 16 | u64{entry.depth} << 32 | u64{age_} << 40 |
               static_cast<u64>(entry.bound) << 48 | u64{entry.has_move} << 50;
    }
    static TableEntry unpack(u64 data) {
        return {static_cast<std::int16_t>(data), static_cast<Move>(data >> 16), static_cast<std::uint8_t>(data >> 32),
                static_cast<Bound>(data >> 48 & 3), (data >> 50 & 1) != 0};
    }
    int worth(u64 data) const {
        const auto age = static_cast<std::uint8_t>(data >> 40);
        return static_cast<std::uint8_t>(data >> 32) - 8 * static_cast<std::uint8_t>(age_ - age);
    }

    static std::size_t bucket_count(std::size_t memory) {
        std::size_t count = 16;
        while (2 * count * sizeof(Bucket) <= memory) count *= 2;
        return count;
    }
    std::size_t index(u64 key) const { return static_cast<std::size_t>(key) & (buckets_.size() - 1); }

    // Loads by atomic_ref need words that are not const (until C++26), though find() changes nothing.
    mutable HugeArray<Bucket> buckets_;
    std::uint8_t age_ = 0;
};

}  // namespace spielbaum
