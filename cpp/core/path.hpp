// The keys of earlier positions: the one piece of history that a rule (chess: repetition) looks at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/bits.hpp"

namespace spielbaum {

// Keys of the positions before the current one, oldest first, at least as far back as the last irreversible move.
class Path {
public:
    void push(u64 key) { keys_.push_back(key); }
    void pop() { keys_.pop_back(); }
    std::size_t size() const { return keys_.size(); }
    void shorten(std::size_t size) { keys_.resize(size); }

    // How often `key` occurs among the last `plies` positions, at most 2: a third occurrence ends the game anyway.
    // Only every `cycle`-th position back is looked at.
    int count(u64 key, int plies, int cycle = 1) const {
        const auto size = static_cast<std::ptrdiff_t>(keys_.size());
        const std::ptrdiff_t oldest = std::max<std::ptrdiff_t>(0, size - plies);
        int found = 0;
        for (std::ptrdiff_t i = size - cycle; i >= oldest; i -= cycle)
            if (keys_[static_cast<std::size_t>(i)] == key && ++found == 2) break;
        return found;
    }

    // Whether both end with the same `plies` positions, or are the same if they are shorter.
    bool ends_like(const Path& other, int plies) const {
        const auto own = static_cast<std::ptrdiff_t>(keys_.size()),
                   others = static_cast<std::ptrdiff_t>(other.keys_.size());
        const std::ptrdiff_t length = std::min<std::ptrdiff_t>(plies, own);
        return length == std::min<std::ptrdiff_t>(plies, others) &&
               std::equal(keys_.end() - length, keys_.end(), other.keys_.end() - length);
    }

private:
    std::vector<u64> keys_;
};

}  // namespace spielbaum
