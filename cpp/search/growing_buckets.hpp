// The buckets of a hash table that grows with what is stored in it, up to a given size.
//
// A new table uses one page of its address space, and doubles when a bucket is full: bucket i of n becomes the buckets i
// and i + n of 2n. Growing drops nothing, so that a table that grows holds exactly what it would hold at its full size; it
// only does not make a short search pay for memory that it does not need.
//
// Doubling takes no time: each page (chunk) is split when it is next looked at. A split writes all of the new page, so
// that clearing is quick as well: old pages are kept, with whatever they hold, and are written over when the table grows
// into them again.
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

// `Bucket`: all zero when it is empty, and `void split(Bucket& upper, u64 bit)` moves the entries whose key has the bit to
// another bucket, of which nothing else is left. If there is a `void settle()`, it is called for every bucket of the table
// at its full size, after it was split for the last time.
//
// Several threads may work with one table, if split() and all else that they do to buckets is free of data races. A
// thread that has looked up a bucket just before it was split finds too little there, or stores where nobody will look.
template <class Bucket>
class GrowingBuckets {
public:
    // From `least` buckets to `most`, both rounded down to a power of two, and up to a page of them.
    explicit GrowingBuckets(std::size_t most, std::size_t least = 0)
        : last_level_(level_of(most)),
          first_level_(std::min(level_of(least), last_level_)),
          buckets_(kChunk << (last_level_ - 1)),
          levels_(buckets_.size() / kChunk) {
        clear();
    }

    // The bucket in which a key is stored, or would be.
    Bucket& of(u64 key) {
        const std::uint8_t level = level_.load(std::memory_order_relaxed);
        const std::size_t index = index_at(key, level), chunk = index / kChunk;
        if (std::atomic_ref(levels_[chunk]).load(std::memory_order_acquire) < level) [[unlikely]] bring(chunk, level);
        return buckets_[index];
    }
    void prefetch(u64 key) const { __builtin_prefetch(&buckets_[index_at(key, level_.load(std::memory_order_relaxed))]); }

    bool has_full_size() const { return level_.load(std::memory_order_relaxed) == last_level_; }
    // Doubles the table, for when a bucket has no room; false if it has its full size already.
    bool grow() {
        const std::scoped_lock held(mutex_);
        const std::uint8_t level = level_.load(std::memory_order_relaxed);
        if (level == last_level_) return false;
        level_.store(level + 1, std::memory_order_relaxed);
        return true;
    }

    // Empty and small again; no other thread may look at it meanwhile.
    void clear() {
        const std::size_t used = size() / kChunk;
        level_.store(first_level_);
        std::memset(levels_.data(), 0, used);
        std::memset(levels_.data(), first_level_, size() / kChunk);
        std::memset(static_cast<void*>(buckets_.data()), 0, size() * sizeof(Bucket));
    }

    // Buckets in use now.
    std::size_t size() const { return kChunk << (level_.load(std::memory_order_relaxed) - 1); }

private:
    static constexpr std::size_t kChunk = 4096 / sizeof(Bucket);
    static_assert(std::has_single_bit(kChunk));

    // At level n there are 2^(n - 1) chunks.
    static std::uint8_t level_of(std::size_t buckets) {
        return static_cast<std::uint8_t>(buckets <= kChunk ? 1 : std::bit_width(buckets / kChunk));
    }
    static std::size_t index_at(u64 key, std::uint8_t level) { return static_cast<std::size_t>(key) & ((kChunk << (level - 1)) - 1); }

    void bring(std::size_t chunk, std::uint8_t level) {
        const std::scoped_lock held(mutex_);
        split_up_to(chunk, level);
    }
    // A chunk that has not been looked at for several doublings is split once for each. Both halves of a split get their
    // level at once, so a chunk that is behind has a lower half that is behind as well.
    void split_up_to(std::size_t chunk, std::uint8_t level) {
        if (levels_[chunk] >= level) return;
        const std::size_t half = std::size_t{1} << (level - 2);
        const std::size_t lower = chunk & (half - 1), upper = lower + half;
        split_up_to(lower, static_cast<std::uint8_t>(level - 1));
        for (std::size_t i = 0; i < kChunk; ++i) {
            Bucket &below = buckets_[lower * kChunk + i], &above = buckets_[upper * kChunk + i];
            below.split(above, half * kChunk);
            if constexpr (requires { below.settle(); })
                if (level == last_level_) {
                    below.settle();
                    above.settle();
                }
        }
        for (const std::size_t each : {lower, upper}) std::atomic_ref(levels_[each]).store(level, std::memory_order_release);
    }

    const std::uint8_t last_level_, first_level_;
    std::atomic<std::uint8_t> level_ = 1;  // of the table
    HugeArray<Bucket> buckets_;
    HugeArray<std::uint8_t> levels_;  // of each chunk; 0: it is not in use yet
    std::mutex mutex_;
};

}  // namespace spielbaum
