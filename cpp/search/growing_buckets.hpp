// The buckets of a hash table that grows with what is stored in it, up to a given size.
//
// A new table uses a small part of its address space, and doubles when a bucket is full: bucket i of n becomes the
// buckets i and i + n of 2n. Growing drops nothing, so that a table that grows holds exactly what it would hold at its
// full size; it only does not make a short search pay for memory that it does not need.
//
// Doubling takes no time: each chunk of buckets is split when it is next looked at. A split writes all of the new
// chunk, so that clearing is quick as well: the memory is kept, with whatever it holds, and is written over when the
// table grows into it again.
//
//      after one doubling:   chunk 0 | chunk 1       chunk 1 is the upper half of what chunk 0 was
//      after two:            chunk 0 | chunk 1 | chunk 2 | chunk 3       2 from 0, 3 from 1
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "core/bits.hpp"
#include "core/huge_array.hpp"

namespace spielbaum {

// `Bucket`: all zero when it is empty, and `void split(Bucket& upper, u64 bit)` moves the entries whose key has the bit
// to another bucket, of which nothing else is left. If there is a `void settle()`, it is called for every bucket of the
// table at its full size, after it was split for the last time.
//
// Several threads may work with one table, if split() and all else that they do to buckets is free of data races. A
// thread that has looked up a bucket just before it was split finds too little there, or stores where nobody will look.
template <class Bucket>
class GrowingBuckets {
public:
    // From `least` buckets to `most`, both rounded down to a power of two, and up to a chunk of them.
    explicit GrowingBuckets(std::size_t most, std::size_t least = 0)
        : last_level_(level_of(most)),
          first_level_(std::min(level_of(least), last_level_)),
          buckets_(buckets_at(last_level_)),
          levels_(buckets_.size() / kChunk) {
        clear();
    }

    // The bucket in which a key is stored, or would be.
    Bucket& of(u64 key) {
        const std::size_t index = static_cast<std::size_t>(key) & mask_.load(std::memory_order_acquire);
        const std::uint8_t wanted = wanted_.load(std::memory_order_acquire);
        if (wanted != 0 && std::atomic_ref(levels_[index / kChunk]).load(std::memory_order_acquire) < wanted)
            [[unlikely]]
            bring(index / kChunk, wanted);
        return buckets_[index];
    }
    void prefetch(u64 key) const {
        __builtin_prefetch(&buckets_[static_cast<std::size_t>(key) & mask_.load(std::memory_order_relaxed)]);
    }

    bool has_full_size() const { return size() == buckets_.size(); }
    // All buckets, by index, once the table has its full size and every chunk is in its place; null until then.
    Bucket* all_in_place() {
        return has_full_size() && wanted_.load(std::memory_order_acquire) == 0 ? buckets_.data() : nullptr;
    }
    // Doubles the table, for when a bucket has no room; false if it has its full size already.
    [[gnu::noinline]] bool grow() {
        const std::scoped_lock held(mutex_);
        if (level_ == last_level_) return false;
        begin_level(static_cast<std::uint8_t>(level_ + 1));
        return true;
    }

    // Empty and small again; no other thread may look at it meanwhile.
    void clear() {
        std::memset(levels_.data(), 0, size() / kChunk);
        begin_level(first_level_);
        std::memset(levels_.data(), first_level_, size() / kChunk);
        std::memset(static_cast<void*>(buckets_.data()), 0, size() * sizeof(Bucket));
        behind_ = 0;
        wanted_.store(0);
    }

    // Buckets in use now.
    std::size_t size() const { return mask_.load(std::memory_order_relaxed) + 1; }

private:
    // Large enough that the levels of a large table fit into the cache beside it, small enough that a split takes no
    // time.
    static constexpr std::size_t kChunk = 16384 / sizeof(Bucket);
    static_assert(std::has_single_bit(kChunk));

    // At level n there are 2^(n - 1) chunks.
    static std::uint8_t level_of(std::size_t buckets) {
        return static_cast<std::uint8_t>(buckets <= kChunk ? 1 : std::bit_width(buckets / kChunk));
    }
    static std::size_t buckets_at(std::uint8_t level) { return kChunk << (level - 1); }

    // In this order: a thread that sees the new size must see that chunks have to be brought to it.
    void begin_level(std::uint8_t level) {
        level_ = level;
        behind_ = buckets_at(level) / kChunk;
        wanted_.store(level, std::memory_order_release);
        mask_.store(buckets_at(level) - 1, std::memory_order_release);
    }
    // Not inlined, so that what happens rarely does not crowd what happens at every node.
    [[gnu::noinline, gnu::cold]] void bring(std::size_t chunk, std::uint8_t level) {
        const std::scoped_lock held(mutex_);
        split_up_to(chunk, level);
    }
    // A chunk that has not been looked at for several doublings is split once for each. Both halves of a split get
    // their level at once, so a chunk that is behind has a lower half that is behind as well.
    void split_up_to(std::size_t chunk, std::uint8_t level) {
        if (levels_[chunk] >= level) return;
        const std::size_t half = buckets_at(level) / 2;
        const std::size_t lower = chunk & (half / kChunk - 1), upper = lower + half / kChunk;
        split_up_to(lower, static_cast<std::uint8_t>(level - 1));
        for (std::size_t i = lower * kChunk; i < (lower + 1) * kChunk; ++i) {
            Bucket &below = buckets_[i], &above = buckets_[i + half];
            below.split(above, half);
            if constexpr (requires { below.settle(); })
                if (level == last_level_) {
                    below.settle();
                    above.settle();
                }
        }
        for (const std::size_t each : {lower, upper})
            std::atomic_ref(levels_[each]).store(level, std::memory_order_release);
        if (level == level_ && (behind_ -= 2) == 0) wanted_.store(0, std::memory_order_release);
    }

    const std::uint8_t last_level_, first_level_;
    std::atomic<std::size_t> mask_ = 0;     // of the indices of buckets in use
    std::atomic<std::uint8_t> wanted_ = 0;  // the level of the table; 0: all chunks have it
    std::uint8_t level_ = 1;                // of the table
    std::size_t behind_ = 0;                // chunks in use that do not have this level yet
    HugeArray<Bucket> buckets_;
    HugeArray<std::uint8_t> levels_;  // of each chunk; 0: it is not in use yet
    std::mutex mutex_;
};

}  // namespace spielbaum
