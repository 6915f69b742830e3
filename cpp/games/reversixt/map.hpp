// A map of ReversiXT and all that can be known about it before a game: where steps lead, which lines there are, and how
// far bombs reach. Maps are shared by all games and searches on them and never change.
//
// A *line* is where a walk leads that starts at a cell in a direction: from neighbour to neighbour and through
// transitions, until the border or a hole. The walks of all cells in all directions are laid out one behind the other,
// each line from its end to its start, with one empty place between two lines. One word then holds places of 64 steps,
// and whether a walk comes over stones of others to an own one is a matter of one addition (see ReversiXt::targets).
// Here player o may put a stone on a and take b, c and d:
//
//     place         0 1 2 3 4 5 6      the walk from a goes down: b, c, d, e, f
//     cell            f e d c b a
//     stones          . o x x x .
//     others T      0 0 0 1 1 1 0      runs of stones that may be taken
//     run starts X  0 0 0 1 0 0 0      of those, the ones that touch an own stone at their end: (own << 1) & T
//     T + X         0 0 0 0 0 0 1      the carry clears such a run and comes out at the place behind it
//     targets       0 0 0 0 1 1 1      (T ^ (T + X)) & ~X: a, which is empty, and with override stones c and b
//
// Lines that run in a circle are laid out twice, so that each of their cells has one place with the whole circle below.
// A walk that returns to its target has failed; `returns` says where.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "core/bits.hpp"
#include "core/zobrist.hpp"
#include "games/reversixt/map_text.hpp"

namespace spielbaum::reversixt {

inline constexpr std::size_t kMostCells = kMostSide * kMostSide;
inline constexpr std::size_t kMostCellWords = (kMostCells + 63) / 64;
// Of one cell on all lines: sixteen, unless transitions lead from cells that have a neighbour there, too.
inline constexpr std::size_t kMostPlacesOfCell = 64;

// A set of cells: bit i % 64 of word i / 64.
using Words = std::vector<u64>;
inline bool has(const u64* words, int index) {
    return contains(words[static_cast<std::size_t>(index) / 64], index % 64);
}
inline void add(u64* words, int index) { words[static_cast<std::size_t>(index) / 64] |= bit<u64>(index % 64); }
inline void toggle(u64* words, int index) { words[static_cast<std::size_t>(index) / 64] ^= bit<u64>(index % 64); }
inline std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

template <class Visit>
void for_each(const u64* words, std::size_t count, Visit&& visit) {
    for (std::size_t i = 0; i < count; ++i)
        for (u64 rest = words[i]; rest != 0;) visit(static_cast<int>(64 * i) + pop_lowest(rest));
}

class Map {
public:
    static constexpr int kNowhere = -1;

    explicit Map(MapText text, std::string_view name = "") : text_(std::move(text)) {
        const auto cells = static_cast<std::size_t>(num_cells());
        cell_words_ = words_for(cells);
        for (Words* set : {&open_, &bonus_, &choice_, &inversion_}) set->assign(cell_words_, 0);
        for (int cell = 0; cell < num_cells(); ++cell) {
            if (symbol(cell) == '-') continue;
            add(open_.data(), cell);
            if (symbol(cell) == 'b') add(bonus_.data(), cell);
            if (symbol(cell) == 'c') add(choice_.data(), cell);
            if (symbol(cell) == 'i') add(inversion_.data(), cell);
        }
        const auto count = [](const Words& set) {
            int total = 0;
            for (const u64 word : set) total += popcount(word);
            return total;
        };
        max_moves_ = count(open_) + count(bonus_) + (num_players() - 1) * count(choice_);
        variants_ = count(choice_) > 0 ? num_players() : count(bonus_) > 0 ? 2 : 1;
        open_cells_ = count(open_);
        bonus_cells_ = count(bonus_);
        find_steps();
        find_crossings();
        lay_out_lines(name);
        if (text_.bombs > 0 || bonus_cells_ > 0) find_reaches();
        numbers_.reserve(3 * cells);
        for (std::size_t i = 0; i < 3 * cells; ++i) numbers_.push_back(combine(mix(0x7874), static_cast<u64>(i)));
    }

    // ---- what the file says ----
    int num_players() const { return text_.players; }
    int overrides() const { return text_.overrides; }
    int bombs() const { return text_.bombs; }
    int strength() const { return text_.strength; }
    int rows() const { return text_.rows; }
    int columns() const { return text_.columns; }
    int num_cells() const { return text_.rows * text_.columns; }
    char symbol(int cell) const { return text_.cells[static_cast<std::size_t>(cell)]; }

    // ---- cells ----
    std::size_t cell_words() const { return cell_words_; }
    const Words& open() const { return open_; }  // all cells but holes
    const Words& bonus() const { return bonus_; }
    const Words& choice() const { return choice_; }
    const Words& inversion() const { return inversion_; }
    int open_cells() const { return open_cells_; }
    int bonus_cells() const { return bonus_cells_; }
    // On how many of the four axes walks lead over a cell, so that a stone on it can be taken: on none of them in a
    // corner, on one at an edge. Transitions are steps like others.
    int crossings(int cell) const { return crossings_[static_cast<std::size_t>(cell)]; }
    const Words& crossed(int times) const { return crossed_[static_cast<std::size_t>(times)]; }
    int variants() const { return variants_; }  // ways to play one cell, at most; the same for all cells
    int max_moves() const { return max_moves_; }
    // Where a step out of a cell leads: the index of the exit by which the walk goes on from there, or kNowhere.
    int step(Exit exit) const { return steps_[static_cast<std::size_t>(exit.index())]; }
    // Cells that a bomb reaches while no cell of them has become a hole; only in games with bombs.
    const u64* reach(int cell) const { return reaches_.data() + static_cast<std::size_t>(cell) * cell_words_; }
    // Adds the cells that a blast at `start` reaches through `open` cells to `reached`, which is empty before. `queue`
    // has room for all cells.
    void flood(int start, const u64* open, u64* reached, std::uint16_t* queue) const {
        int head = 0, tail = 0;
        queue[tail++] = static_cast<std::uint16_t>(start);
        add(reached, start);
        for (int distance = 0; distance < strength() && head < tail; ++distance)
            for (const int end = tail; head < end; ++head)
                for (int direction = 0; direction < kDirections; ++direction) {
                    const int to = step({queue[head], direction});
                    if (to == kNowhere) continue;
                    const int cell = to / kDirections;
                    if (!has(open, cell) || has(reached, cell)) continue;
                    add(reached, cell);
                    queue[tail++] = static_cast<std::uint16_t>(cell);
                }
    }
    // Random numbers of a cell with a stone, of one with an expansion stone, and of a hole, for keys.
    u64 stone_number(int cell) const { return numbers_[static_cast<std::size_t>(cell)]; }
    u64 expansion_number(int cell) const { return numbers_[static_cast<std::size_t>(num_cells() + cell)]; }
    u64 hole_number(int cell) const { return numbers_[static_cast<std::size_t>(2 * num_cells() + cell)]; }

    // ---- lines ----
    std::size_t line_words() const { return on_line_.size(); }
    const Words& on_line() const { return on_line_; }  // places that hold a cell
    const Words& looping() const { return looping_; }  // places whose walk returns to their cell
    int returns(int place) const { return returns_[static_cast<std::size_t>(place)]; }  // where it does
    int cell_at(int place) const { return cell_at_[static_cast<std::size_t>(place)]; }
    std::span<const std::int32_t> places(int cell) const {
        const std::int32_t first = first_place_[static_cast<std::size_t>(cell)];
        return {places_.data() + first,
                static_cast<std::size_t>(first_place_[static_cast<std::size_t>(cell) + 1] - first)};
    }

private:
    static constexpr std::size_t kMostPlaces = 1u
                                               << 17;  // twice what 50 x 50 cells need if all their lines are circles

    void find_steps() {
        constexpr std::array<std::array<int, 2>, kDirections> kSteps{
            {{-1, 0}, {-1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}}};
        steps_.assign(static_cast<std::size_t>(num_cells()) * kDirections, kNowhere);
        for (int cell = 0; cell < num_cells(); ++cell)
            for (int direction = 0; direction < kDirections; ++direction) {
                const auto& [down, right] = kSteps[static_cast<std::size_t>(direction)];
                const int row = cell / columns() + down, column = cell % columns() + right;
                if (row < 0 || row >= rows() || column < 0 || column >= columns()) continue;
                steps_[static_cast<std::size_t>(Exit{cell, direction}.index())] =
                    Exit{row * columns() + column, direction}.index();
            }
        // Who enters a cell by one side goes on towards the opposite one.
        const auto join = [&](Exit from, Exit to) {
            steps_[static_cast<std::size_t>(from.index())] =
                Exit{to.cell, (to.direction + kDirections / 2) % kDirections}.index();
        };
        for (const auto& [first, second] : text_.transitions) {
            join(first, second);
            join(second, first);
        }
        for (std::size_t i = 0; i < steps_.size(); ++i)
            if (symbol(static_cast<int>(i) / kDirections) == '-' ||
                (steps_[i] != kNowhere && symbol(steps_[i] / kDirections) == '-'))
                steps_[i] = kNowhere;
    }

    void find_crossings() {
        crossings_.assign(static_cast<std::size_t>(num_cells()), 0);
        for (Words& set : crossed_) set.assign(cell_words_, 0);
        for_each(open_.data(), cell_words_, [&](int cell) {
            std::uint8_t& times = crossings_[static_cast<std::size_t>(cell)];
            for (int axis = 0; axis < kDirections / 2; ++axis)
                times += step({cell, axis}) != kNowhere && step({cell, axis + kDirections / 2}) != kNowhere;
            add(crossed_[times].data(), cell);
        });
    }

    // Every walk is the end of one that starts where no other step leads, or goes round a circle.
    void lay_out_lines(std::string_view name) {
        std::vector<int> steps_to(steps_.size()), seen_by(steps_.size(), -1);
        for (const int to : steps_)
            if (to != kNowhere) ++steps_to[static_cast<std::size_t>(to)];
        std::vector<int> walk;
        std::vector<std::vector<int>> found(static_cast<std::size_t>(num_cells()));
        cell_at_.push_back(0);  // the empty place below the first line
        on_line_.assign(1, 0);
        const auto follow = [&](int start, int mark) {
            walk.clear();
            int exit = start;
            for (; exit != kNowhere && seen_by[static_cast<std::size_t>(exit)] != mark;
                 exit = steps_[static_cast<std::size_t>(exit)]) {
                seen_by[static_cast<std::size_t>(exit)] = mark;
                walk.push_back(exit);
            }
            return exit;
        };
        const auto lay_out = [&] {
            if (walk.size() < 3) return;  // a target, a stone to take and an own one
            if (cell_at_.size() + walk.size() > kMostPlaces) too_many_lines(name);
            lay_out_line(walk, found);
        };
        std::vector<bool> settled(steps_.size());  // whether it is known to which lines the exit belongs
        const int walks = static_cast<int>(steps_.size());
        for (int start = 0; start < walks; ++start)
            if (steps_to[static_cast<std::size_t>(start)] == 0) {
                const bool ends = follow(start, start) == kNowhere;
                if (ends)
                    for (const int exit : walk) settled[static_cast<std::size_t>(exit)] = true;
                lay_out();
            }
        for (int start = 0; start < walks; ++start) {
            if (settled[static_cast<std::size_t>(start)] || follow(start, walks + start) != start) continue;
            for (const int exit : walk) settled[static_cast<std::size_t>(exit)] = true;
            const std::size_t length = walk.size();
            if (length < 3) continue;
            for (std::size_t i = 0; i < length; ++i) walk.push_back(walk[i]);
            lay_out();
        }
        for (Words* set : {&on_line_, &looping_}) set->resize(words_for(cell_at_.size()));
        first_place_.push_back(0);
        for (const std::vector<int>& each : found) {
            if (each.size() > kMostPlacesOfCell) too_many_lines(name);
            places_.insert(places_.end(), each.begin(), each.end());
            first_place_.push_back(static_cast<std::int32_t>(places_.size()));
        }
    }
    [[noreturn]] static void too_many_lines(std::string_view name) {
        throw OptionError("reversixt with map=" + std::string(name) +
                          ": too many of its lines run together; expected transitions that lead from cells without a "
                          "neighbour in their direction");
    }
    void lay_out_line(const std::vector<int>& walk, std::vector<std::vector<int>>& found) {
        const auto bottom = static_cast<int>(cell_at_.size());
        returns_.resize(cell_at_.size(), kNowhere);
        for (auto exit = walk.rbegin(); exit != walk.rend(); ++exit) {
            const int cell = *exit / kDirections, place = static_cast<int>(cell_at_.size());
            std::vector<int>& earlier = found[static_cast<std::size_t>(cell)];
            cell_at_.push_back(static_cast<std::uint16_t>(cell));
            for (Words* set : {&on_line_, &looping_}) set->resize(words_for(cell_at_.size()));
            add(on_line_.data(), place);
            const bool comes_again = !earlier.empty() && earlier.back() >= bottom;
            if (comes_again) add(looping_.data(), place);
            returns_.push_back(comes_again ? earlier.back() : kNowhere);
            earlier.push_back(place);
        }
        cell_at_.push_back(0);  // the empty place above the line
        returns_.push_back(kNowhere);
    }

    void find_reaches() {
        reaches_.assign(static_cast<std::size_t>(num_cells()) * cell_words_, 0);
        std::vector<std::uint16_t> queue(static_cast<std::size_t>(num_cells()));
        for_each(open_.data(), cell_words_, [&](int cell) {
            flood(cell, open_.data(), reaches_.data() + static_cast<std::size_t>(cell) * cell_words_, queue.data());
        });
    }

    MapText text_;
    std::size_t cell_words_ = 0;
    int variants_ = 1, max_moves_ = 0, open_cells_ = 0, bonus_cells_ = 0;
    Words open_, bonus_, choice_, inversion_;
    std::vector<std::uint8_t> crossings_;
    std::array<Words, kDirections / 2 + 1> crossed_;
    std::vector<int> steps_;  // by index of an exit
    Words reaches_;           // cell_words_ for each cell
    std::vector<u64> numbers_;
    Words on_line_, looping_;
    std::vector<std::uint16_t> cell_at_;
    std::vector<std::int32_t> returns_;
    std::vector<std::int32_t> first_place_, places_;  // of each cell
};

using MapPtr = std::shared_ptr<const Map>;

}  // namespace spielbaum::reversixt
