// A position as an n-tuple network sees it: the places of its features, kept up to date move by move.
#pragma once

#include <algorithm>
#include <vector>

#include "eval/ntuple/network.hpp"

namespace spielbaum {

template <Game G>
    requires HasTupleCells<G>
class TuplePosition {
public:
    using State = typename G::State;
    using Part = NTupleNetwork::Part;

    // Only the places of this part's features are kept up to date.
    TuplePosition(const NTupleNetwork& network, int num_cells, Part part = Part::all)
        : part_(part), changes_(static_cast<std::size_t>(num_cells)), places_(network.num_features()) {}

    const std::uint32_t* places() const { return places_.data(); }

    void set(const G& game, const NTupleNetwork& network, const State& state) {
        std::copy(network.starts().begin(), network.starts().end(), places_.begin());
        for (int cell = 0; cell < game.num_cells(); ++cell)
            move_places(network, cell, game.content(state, cell, network.shape().contents));
    }

    // This shows `before`; afterwards it shows `after`, whichever states these are.
    void advance(const G& game, const NTupleNetwork& network, const State& before, const State& after) {
        const int count = game.changed_cells(before, after, network.shape().contents, changes_.data());
        for (int i = 0; i < count; ++i) {
            const CellChange& change = changes_[static_cast<std::size_t>(i)];
            move_places(network, change.cell, change.after - change.before);
        }
    }
    // The same, from another one that shows `before`.
    void advance_from(const TuplePosition& from, const G& game, const NTupleNetwork& network, const State& before,
                      const State& after) {
        const auto [begin, end] = network.range(part_);
        std::copy(from.places_.data() + begin, from.places_.data() + end, places_.data() + begin);
        advance(game, network, before, after);
    }

    void swap(TuplePosition& other) { places_.swap(other.places_); }

    float sum(const NTupleNetwork& network, int output, int to_move) const {
        return network.sum(places_.data(), network.column(output, to_move), part_);
    }

private:
    void move_places(const NTupleNetwork& network, int cell, int by) {
        if (by == 0) return;
        for (const auto& [feature, step] : network.touches(cell, part_))
            places_[feature] += static_cast<std::uint32_t>(by) * step;
    }

    Part part_;
    std::vector<CellChange> changes_;
    std::vector<std::uint32_t> places_;
};

}  // namespace spielbaum
