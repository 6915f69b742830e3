// An n-tuple network (Bledsoe and Browning 1959; for games Lucas 2008, S1): the value of a position is the sum of one
// entry of each of many tables, squeezed by tanh (unless the shape says that it is not). A table belongs to a tuple of
// cells, and the contents of these cells, read as a number, are the index of the entry: sum of content[i] * contents^i.
//
// All entries of all tables lie in one array, in which a tuple begins at its offset. With symmetries, a tuple is also
// laid over the images of its cells and looks up an entry for each of them in the same table: each pair of a tuple and
// an image is a *feature*. A position then is the list of the places of its features (TuplePosition), and its value the
// sum of the weights there; a stone that is placed changes only the features that look at its cell.
//
// The features lie in two *parts*: those of the tuples with even numbers, then the others (and the bias). A sum is that
// of the two parts' sums, so that two threads that have a part each come to the same value, to the bit, as one thread.
//
// A network of two players has one output, the value for the first player; with more players there is one for each.
// With tables for each player to move, an entry exists once for each of them. The weights of an entry, by output and
// player to move, lie side by side (the *stride* of entries): a position and its successors use the same entries of
// most tuples, so that one of them fetches into the cache what the other needs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/bits.hpp"
#include "core/errors.hpp"
#include "core/game.hpp"
#include "core/huge_array.hpp"
#include "core/mathematics.hpp"
#include "core/rng.hpp"

namespace spielbaum {

using Tuple = std::vector<std::uint16_t>;  // its cells, the one with the lowest digit first

struct NTupleShape {
    int num_cells = 0;
    int contents = 3;  // of a cell
    int num_players = 2;
    bool table_per_player = true;  // to move
    bool bias = false;             // an entry that always counts
    double k = 1.0;                // value = tanh(k * sum)
    bool squash = true;            // off: value = k * sum
    std::vector<Tuple> tuples;
    std::vector<Tuple> images;  // of the cells, for each symmetry that is used; the identity first
};

class NTupleNetwork {
public:
    // What changes when the content of a cell changes by one.
    struct Touch {
        std::uint32_t feature;
        std::uint32_t step;
    };
    // Features of one part or of all.
    struct Range {
        std::size_t begin, end;
    };
    enum class Part : std::uint8_t { even, odd, all };

    static constexpr std::size_t kMostWeights = std::size_t{1} << 31;
    static constexpr std::size_t kMostFeatures = std::size_t{1} << 16;

    explicit NTupleNetwork(NTupleShape shape) : shape_(std::move(shape)), weights_(lay_out()) { find_touches(); }

    const NTupleShape& shape() const { return shape_; }
    // Another number for every network, and after every change of its tuples.
    u64 id() const { return id_; }
    int num_outputs() const { return shape_.num_players == 2 ? 1 : shape_.num_players; }
    int num_movers() const { return shape_.table_per_player ? shape_.num_players : 1; }
    // Weights of an entry.
    int stride() const { return num_outputs() * num_movers(); }
    std::size_t num_entries() const { return weights_.size() / static_cast<std::size_t>(stride()); }
    std::size_t num_features() const { return starts_.size(); }
    std::size_t num_images() const { return shape_.images.size(); }
    // The place of a tuple's entry 0, in weights.
    std::size_t offset(std::size_t tuple) const { return offsets_[tuple]; }
    std::size_t table_size(std::size_t tuple) const { return table_sizes_[tuple]; }

    std::span<float> weights() { return {weights_.data(), weights_.size()}; }
    std::span<const float> weights() const { return {weights_.data(), weights_.size()}; }

    // Which of an entry's weights counts for an output in positions of a player.
    std::size_t column(int output, int to_move) const {
        return static_cast<std::size_t>(output * num_movers() + (shape_.table_per_player ? to_move : 0));
    }
    // The places of all features if the content of every cell is 0; the bias, if there is one, comes last.
    std::span<const std::uint32_t> starts() const { return starts_; }
    // The feature of a tuple under an image; the bias is the last one.
    std::size_t feature(std::size_t tuple, std::size_t image) const {
        const std::size_t evens = (shape_.tuples.size() + 1) / 2;
        return (tuple % 2 == 0 ? tuple / 2 : evens + tuple / 2) * num_images() + image;
    }
    Range range(Part part) const {
        const std::size_t middle = feature(1, 0);
        return {part == Part::odd ? middle : 0, part == Part::even ? middle : num_features()};
    }
    std::span<const Touch> touches(int cell, Part part) const {
        const auto* const bounds = first_touch_.data() + 2 * static_cast<std::size_t>(cell);
        const std::size_t from = bounds[part == Part::odd ? 1 : 0], to = bounds[part == Part::even ? 1 : 2];
        return {touches_.data() + from, to - from};
    }

    // The sum of the weights at the places of a part, in an order that is the same on every machine.
    float sum(const std::uint32_t* places, std::size_t column, Part part) const {
        const float* const weights = weights_.data() + column;
        if (part != Part::all) return sum_of(weights, places, range(part));
        return sum_of(weights, places, range(Part::even)) + sum_of(weights, places, range(Part::odd));
    }
    // What training is about. Without tanh it may lie beyond 1.
    double value_of_sum(float sum) const {
        const double scaled = shape_.k * static_cast<double>(sum);
        return shape_.squash ? hyperbolic_tangent(scaled) : scaled;
    }
    // Of value_of_sum by the sum, where that has this value.
    double slope(double value) const { return shape_.squash ? shape_.k * (1.0 - value * value) : shape_.k; }
    // The sum that has a value; a win or loss is beyond all sums.
    double sum_of_value(double value) const {
        if (value >= 1.0 || value <= -1.0) return value * std::numeric_limits<double>::infinity();
        if (!shape_.squash) return value / shape_.k;
        return value == 0.0 ? 0.0 : 0.5 * natural_log((1.0 + value) / (1.0 - value)) / shape_.k;
    }

    // Draws weights evenly from -size to size, the same on every machine.
    static void draw(std::span<float> weights, double size, Rng& rng) {
        for (float& weight : weights)
            weight = static_cast<float>(size * (static_cast<double>(rng.next() >> 11) * 0x1p-52 - 1.0));
    }

    // Puts another tuple of the same length in the place of one, with all weights 0.
    void replace(std::size_t tuple, Tuple cells) {
        if (cells.size() != shape_.tuples[tuple].size())
            throw OptionError("a tuple can only be replaced by one of the same length");
        check(cells);
        shape_.tuples[tuple] = std::move(cells);
        const std::size_t from = offsets_[tuple], size = table_sizes_[tuple] * static_cast<std::size_t>(stride());
        std::fill_n(weights_.data() + from, size, 0.0f);
        find_touches();
        id_ = next_id();
    }

private:
    static float sum_of(const float* weights, const std::uint32_t* places, Range range) {
        float sums[2] = {0, 0};
        std::size_t i = range.begin;
        for (; i + 2 <= range.end; i += 2)
            for (std::size_t lane = 0; lane < 2; ++lane) sums[lane] += weights[places[i + lane]];
        if (i < range.end) sums[0] += weights[places[i]];
        return sums[0] + sums[1];
    }

    static u64 next_id() {
        static std::atomic<u64> last = 0;
        return ++last;
    }

    void check(const Tuple& tuple) const {
        if (tuple.empty()) throw OptionError("a tuple needs at least one cell");
        std::vector<bool> seen(static_cast<std::size_t>(shape_.num_cells));
        for (const std::uint16_t cell : tuple) {
            if (cell >= shape_.num_cells)
                throw OptionError("a tuple has cell " + std::to_string(cell) + "; cells go from 0 to " +
                                  std::to_string(shape_.num_cells - 1));
            if (seen[cell]) throw OptionError("a tuple has cell " + std::to_string(cell) + " twice");
            seen[cell] = true;
        }
    }

    // Offsets of the tuples; answers the number of all weights.
    std::size_t lay_out() {
        const auto width = static_cast<std::size_t>(stride());
        std::size_t total = 0;
        for (const Tuple& tuple : shape_.tuples) {
            check(tuple);
            std::size_t size = 1;
            for (std::size_t i = 0; i < tuple.size(); ++i) {
                size *= static_cast<std::size_t>(shape_.contents);
                if (size > kMostWeights)
                    throw OptionError("a tuple of " + std::to_string(tuple.size()) +
                                      " cells is too long: its table would have more than 2^31 entries");
            }
            offsets_.push_back(total);
            table_sizes_.push_back(size);
            total += size * width;
            if (total > kMostWeights)
                throw OptionError("the tables have more than 2^31 weights; use fewer or shorter tuples");
        }
        if (shape_.tuples.empty()) throw OptionError("a network needs at least one tuple");
        if (shape_.tuples.size() * shape_.images.size() > kMostFeatures)
            throw OptionError(std::to_string(shape_.tuples.size()) + " tuples are too many; with " +
                              std::to_string(shape_.images.size()) + " symmetries there can be " +
                              std::to_string(kMostFeatures / shape_.images.size()));
        starts_.resize(shape_.tuples.size() * shape_.images.size());
        for (std::size_t tuple = 0; tuple < shape_.tuples.size(); ++tuple)
            for (std::size_t image = 0; image < shape_.images.size(); ++image)
                starts_[feature(tuple, image)] = static_cast<std::uint32_t>(offsets_[tuple]);
        if (shape_.bias) {
            starts_.push_back(static_cast<std::uint32_t>(total));
            total += width;
        }
        return total;
    }

    void find_touches() {
        const std::size_t num_cells = static_cast<std::size_t>(shape_.num_cells);
        std::vector<std::vector<Touch>> by_cell_and_part(2 * num_cells);
        for (std::size_t tuple = 0; tuple < shape_.tuples.size(); ++tuple)
            for (std::size_t image = 0; image < shape_.images.size(); ++image) {
                auto step = static_cast<std::uint32_t>(stride());
                for (const std::uint16_t cell : shape_.tuples[tuple]) {
                    const std::size_t place = 2 * std::size_t{shape_.images[image][cell]} + tuple % 2;
                    by_cell_and_part[place].push_back({static_cast<std::uint32_t>(feature(tuple, image)), step});
                    step *= static_cast<std::uint32_t>(shape_.contents);
                }
            }
        touches_.clear();
        first_touch_.assign(1, 0);
        for (const auto& each : by_cell_and_part) {
            touches_.insert(touches_.end(), each.begin(), each.end());
            first_touch_.push_back(touches_.size());
        }
    }

    NTupleShape shape_;
    u64 id_ = next_id();
    std::vector<std::size_t> offsets_, table_sizes_;
    std::vector<std::uint32_t> starts_;
    HugeArray<float> weights_;
    std::vector<Touch> touches_;
    std::vector<std::size_t> first_touch_;  // by cell and part
};

// The images of the cells of a game under its symmetries, or only the identity.
template <Game G>
    requires HasTupleCells<G>
std::vector<Tuple> cell_images(const G& game, bool symmetries) {
    std::vector<Tuple> images;
    for (int index = 0; index < (symmetries ? game.num_symmetries() : 1); ++index) {
        Tuple image;
        for (int cell = 0; cell < game.num_cells(); ++cell)
            image.push_back(static_cast<std::uint16_t>(game.transform_cell(cell, index)));
        images.push_back(std::move(image));
    }
    return images;
}

}  // namespace spielbaum
