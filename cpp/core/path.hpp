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
    void clear() { keys_.clear(); }
    std::size_t size() const { return keys_.size(); }

    // How often `key` occurs among the last `plies` positions, at most 2: a third occurrence ends the game anyway.
    int count(u64 key, int plies) const {
        const auto window = std::min(keys_.size(), static_cast<std::size_t>(plies));
        return static_cast<int>(std::min<std::ptrdiff_t>(std::count(keys_.end() - static_cast<std::ptrdiff_t>(window), keys_.end(), key), 2));
    }

private:
    std::vector<u64> keys_;
};

}  // namespace spielbaum
