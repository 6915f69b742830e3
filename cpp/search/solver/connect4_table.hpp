// Bounds of Connect Four positions that were searched before. Each position has one slot, which belongs to the last
// position that was stored there; the table grows to where every slot has its place.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <optional>

#include "core/bits.hpp"
#include "search/growing_buckets.hpp"

namespace spielbaum {

// Positions are known by 64-bit hashes, of which the upper bits choose the slot. An entry is the hash, turned so that
// these bits are the lowest, with a bound in the place of 9 bits that follow from where the entry lies:
//
//      turned hash, from its lowest bit:   3 bits slot of the bucket | 9 bits bucket | more bits bucket | the rest
//      entry:                              the same                  | the bound     | the same         | the same
//
// While the table is small, the positions of many slots share a bucket, in which they lie one after the other.
class Connect4Table {
public:
    struct Bound {
        int value;
        bool is_lower;
    };

    // `memory` in bytes, to which the table grows at most, is rounded down to a power of two.
    explicit Connect4Table(std::size_t memory)
        : index_bits_(bits_of(memory)),
          buckets_(std::size_t{1} << (index_bits_ - kSlotBits), std::size_t{1} << kBoundBits) {}

    void prefetch(u64 hash) const {
        const u64 key = turned(hash);
        if (flat_ != nullptr)
            __builtin_prefetch(&flat_[key & index_mask_]);
        else
            buckets_.prefetch(bucket_key(key));
    }

    std::optional<Bound> find(u64 hash) const {
        const u64 key = turned(hash);
        return flat_ != nullptr ? bound_in(flat_[key & index_mask_], key) : find_growing(key);
    }

    void store(u64 hash, Bound bound) {
        const u64 key = turned(hash);
        u64& place = flat_ != nullptr ? flat_[key & index_mask_] : place_growing(key);
        place = (key & ~kBound) | static_cast<u64>(bound.value + kOffset + (bound.is_lower ? 256 : 0)) << kSlotBits;
    }

private:
    static constexpr int kSlotBits = 3, kBoundBits = 9;
    static constexpr u64 kBound = ((u64{1} << kBoundBits) - 1) << kSlotBits;
    static constexpr int kOffset = 128;  // code of a score of 0; codes are never 0, which means an empty slot

    static std::size_t slot_of(u64 key) { return key & ((1 << kSlotBits) - 1); }
    static u64 bucket_key(u64 key) { return key >> kSlotBits; }

    struct Bucket {
        std::array<u64, 1 << kSlotBits> slots;

        void split(Bucket& upper, u64 bit) {
            std::size_t kept = 0, moved = 0;
            for (const u64 entry : std::array(slots))
                if (entry != 0) ((bucket_key(entry) & bit) != 0 ? upper.slots[moved++] : slots[kept++]) = entry;
            for (; kept < slots.size(); ++kept) slots[kept] = 0;
            for (; moved < slots.size(); ++moved) upper.slots[moved] = 0;
        }
        // No two entries have the same slot now.
        void settle() {
            const auto entries = slots;
            slots = {};
            for (const u64 entry : entries)
                if (entry != 0) slots[slot_of(entry)] = entry;
        }
    };

    static int bits_of(std::size_t memory) {
        int bits = kBoundBits + kSlotBits;
        while ((std::size_t{16} << bits) <= memory && bits < 40) ++bits;
        return bits;
    }
    u64 turned(u64 hash) const { return std::rotl(hash, index_bits_); }

    static std::optional<Bound> bound_in(u64 entry, u64 key) {
        const int code = static_cast<int>((entry & kBound) >> kSlotBits);
        if (((entry ^ key) & ~kBound) != 0 || code == 0) return std::nullopt;
        return Bound{(code & 255) - kOffset, code >= 256};
    }

    // ---- while the table grows ----
    [[gnu::noinline]] std::optional<Bound> find_growing(u64 key) const {
        const Bucket& bucket = buckets_.of(bucket_key(key));
        if (buckets_.has_full_size()) return bound_in(bucket.slots[slot_of(key)], key);
        for (const u64 entry : bucket.slots) {
            if (entry == 0) break;
            if (const auto bound = bound_in(entry, key)) return bound;
        }
        return std::nullopt;
    }
    [[gnu::noinline]] u64& place_growing(u64 key) {
        u64* place = place_for(key);
        while (place == nullptr) {
            buckets_.grow();
            place = place_for(key);
        }
        if (Bucket* const all = buckets_.all_in_place()) flat_ = all->slots.data();
        return *place;
    }
    // The slot of a position. In a small table, the place of the entry that has this slot, or else an empty one; null
    // if there is neither.
    u64* place_for(u64 key) {
        Bucket& bucket = buckets_.of(bucket_key(key));
        if (buckets_.has_full_size()) return &bucket.slots[slot_of(key)];
        for (u64& entry : bucket.slots)
            if (entry == 0 || ((entry ^ key) & index_mask_ & ~kBound) == 0) return &entry;
        return nullptr;
    }

    int index_bits_;
    u64 index_mask_ = (u64{1} << index_bits_) - 1;
    // find() changes nothing that anybody can see, but it may move entries to where they belong since the table has
    // grown.
    mutable GrowingBuckets<Bucket> buckets_;
    u64* flat_ = nullptr;  // the slots of all buckets, once each has its final place
};

}  // namespace spielbaum
