// The transposition table of alpha-beta: what earlier searches found out about a position.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "core/bits.hpp"
#include "core/move.hpp"
#include "search/growing_buckets.hpp"

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
// the one whose search is worth least: old searches first, then shallow ones. That happens at the table's full size
// only: until then it grows.
//
// Threads read and write without locks. An entry is two words, its data and the key mixed with the data, so that a pair
// of words that two threads wrote does not fit any key (Hyatt and Mann 2002).
class TranspositionTable {
public:
    explicit TranspositionTable(std::size_t memory) : buckets_(memory / sizeof(Bucket)) {}

    // A new search begins: entries of earlier ones are still used, but give way first.
    void start_search() { ++age_; }
    void clear() {
        buckets_.clear();
        age_ = 0;
    }

    void prefetch(u64 key) const { buckets_.prefetch(key); }

    std::optional<TableEntry> find(u64 key) const {
        for (Slot& slot : buckets_.of(key).slots) {
            const u64 data = load(slot.data);
            if (data != 0 && (load(slot.check) ^ data) == key) return unpack(data);
        }
        return std::nullopt;
    }

    void store(u64 key, TableEntry fresh) {
        Slot* slot = place_for(key);
        while (slot == nullptr && buckets_.grow()) slot = place_for(key);
        if (slot == nullptr) slot = least_worth(key);
        const u64 data = load(slot->data);
        // A search that found no best move does not forget the one that an earlier search knew.
        if (const TableEntry known = unpack(data);
            !fresh.has_move && known.has_move && (load(slot->check) ^ data) == key) {
            fresh.move = known.move;
            fresh.has_move = true;
        }
        write(*slot, key, pack(fresh));
    }

private:
    struct Slot {
        u64 check, data;  // no data: an empty slot
    };
    struct Bucket {
        std::array<Slot, 4> slots;

        void split(Bucket& upper, u64 bit) {
            std::size_t kept = 0, moved = 0;
            for (Slot& slot : slots) {
                const u64 data = load(slot.data), key = load(slot.check) ^ data;
                if (data == 0) continue;
                write((key & bit) != 0 ? upper.slots[moved++] : slots[kept++], key, data);
            }
            for (; kept < slots.size(); ++kept) write(slots[kept], 0, 0);
            for (; moved < slots.size(); ++moved) write(upper.slots[moved], 0, 0);
        }
    };

    static u64 load(u64& word) { return std::atomic_ref(word).load(std::memory_order_relaxed); }
    static void save(u64& word, u64 value) { std::atomic_ref(word).store(value, std::memory_order_relaxed); }
    static void write(Slot& slot, u64 key, u64 data) {
        save(slot.data, data);
        save(slot.check, key ^ data);
    }

    // The slot that has the position already, or the first empty one; null if there is neither.
    Slot* place_for(u64 key) {
        for (Slot& slot : buckets_.of(key).slots) {
            const u64 data = load(slot.data);
            if (data == 0 || (load(slot.check) ^ data) == key) return &slot;
        }
        return nullptr;
    }
    Slot* least_worth(u64 key) {
        auto& slots = buckets_.of(key).slots;
        return std::min_element(slots.begin(), slots.end(),
                                [this](Slot& a, Slot& b) { return worth(load(a.data)) < worth(load(b.data)); });
    }

    // From the lowest bit: 16 bits value, 16 move, 8 depth, 8 age, 2 bound (never 0), 1 whether there is a move.
    u64 pack(const TableEntry& entry) const {
        return u64{static_cast<std::uint16_t>(entry.value)} | u64{entry.move} << 16 | u64{entry.depth} << 32 |
               u64{age_} << 40 | static_cast<u64>(entry.bound) << 48 | u64{entry.has_move} << 50;
    }
    static TableEntry unpack(u64 data) {
        return {static_cast<std::int16_t>(data), static_cast<Move>(data >> 16), static_cast<std::uint8_t>(data >> 32),
                static_cast<Bound>(data >> 48 & 3), (data >> 50 & 1) != 0};
    }
    int worth(u64 data) const {
        const auto age = static_cast<std::uint8_t>(data >> 40);
        return static_cast<std::uint8_t>(data >> 32) - 8 * static_cast<std::uint8_t>(age_ - age);
    }

    // find() changes nothing that anybody can see, but it may move entries to where they belong since the table has
    // grown.
    mutable GrowingBuckets<Bucket> buckets_;
    std::uint8_t age_ = 0;
};

}  // namespace spielbaum
