// Eligibility traces of the weights that the states of a game have used (Sutton 1988), for one output of a network.
//
// Only weights that were used in the last steps have a trace that counts, so traces are a list: an item for each
// weight, in the order of the steps that used it last. A weight that is used again gets a new item, and its old one is
// struck out.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/bits.hpp"
#include "core/zobrist.hpp"

namespace spielbaum {

class Traces {
public:
    // After each step a trace is worth `decay` times as much. Replacing: a weight that is used again has the trace of
    // that step alone, else the sum (Singh and Sutton 1996).
    Traces(double decay, bool replacing)
        : decay_(static_cast<float>(decay)), replacing_(replacing), slots_(kFirstSlots) {
        float power = 1.0f;
        do {
            powers_.push_back(power);
            power *= decay_;
        } while (power >= kLeast && powers_.size() < kMostSteps);
    }

    void clear() {
        items_.clear();
        steps_.clear();
        if (++generation_ == 0) {
            slots_.assign(slots_.size(), {});
            generation_ = 1;
        }
    }

    // A new step, in which weights are used that have this gradient.
    void begin_step() { steps_.push_back(items_.size()); }
    void use(std::uint32_t weight, float gradient) {
        if (2 * (items_.size() + 1) > slots_.size()) grow();
        Slot& slot = find(weight);
        float value = gradient;
        if (slot.generation == generation_) {
            Item& old = items_[slot.item];
            if (slot.item >= steps_.back()) {  // twice in the same step
                old.value += gradient;
                return;
            }
            if (!replacing_) value += old.value * power(steps_.size() - old.step);
            old.value = 0.0f;
        }
        slot = {weight, static_cast<std::uint32_t>(items_.size()), generation_};
        items_.push_back({weight, static_cast<std::uint32_t>(steps_.size()), value});
    }

    // Calls visit(weight, trace) for every trace that still counts, and fetch(weight) some time before.
    template <class Visit, class Fetch>
    void for_each(Visit&& visit, Fetch&& fetch) const {
        const std::size_t last = steps_.size();
        const std::size_t first = last > powers_.size() ? last - powers_.size() : 0;
        for (std::size_t step = first; step < last; ++step) {
            const std::size_t end = step + 1 < last ? steps_[step + 1] : items_.size();
            const float weakened = powers_[last - 1 - step];
            for (std::size_t i = steps_[step]; i < end; ++i) {
                if (i + kAhead < items_.size() && items_[i + kAhead].value != 0.0f) fetch(items_[i + kAhead].weight);
                if (items_[i].value != 0.0f) visit(items_[i].weight, items_[i].value * weakened);
            }
        }
    }

private:
    struct Item {
        std::uint32_t weight, step;  // steps are counted from 1
        float value;                 // as of its step; 0: struck out
    };
    struct Slot {
        std::uint32_t weight = 0, item = 0, generation = 0;
    };

    static constexpr float kLeast = 0.01f;  // weaker traces are taken for 0
    static constexpr std::size_t kMostSteps = 1024;
    static constexpr std::size_t kAhead = 16;
    static constexpr std::size_t kFirstSlots = std::size_t{1} << 12;

    float power(std::size_t steps) const { return steps < powers_.size() ? powers_[steps] : 0.0f; }

    // Where a weight is, or would be.
    Slot& find(std::uint32_t weight) {
        std::size_t index = static_cast<std::size_t>(mix(weight)) & (slots_.size() - 1);
        while (slots_[index].generation == generation_ && slots_[index].weight != weight)
            index = (index + 1) & (slots_.size() - 1);
        return slots_[index];
    }
    void grow() {
        slots_.assign(2 * slots_.size(), {});
        for (std::size_t i = 0; i < items_.size(); ++i)
            find(items_[i].weight) = {items_[i].weight, static_cast<std::uint32_t>(i),
                                      generation_};  // the newest comes last
    }

    float decay_;
    bool replacing_;
    std::vector<float> powers_;  // of the decay
    std::vector<Item> items_;
    std::vector<std::size_t> steps_;  // the first item of each step
    std::vector<Slot> slots_;         // by weight: its newest item
    std::uint32_t generation_ = 1;
};

}  // namespace spielbaum
