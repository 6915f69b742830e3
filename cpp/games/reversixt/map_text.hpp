// Reads the text of a map of ReversiXT. What is wrong with it is said in one sentence with line and column.
//
//     players (2-8)
//     override stones of each player
//     bombs of each player, and their strength
//     height width
//     height rows of width cells: 0 empty, 1-8 stone, - hole, c choice, i inversion, b bonus, x expansion
//     x1 y1 r1 <-> x2 y2 r2                  any number of transitions
//
// Words are separated by any white space; lines may end with CRLF, and the last one without an end.
#pragma once

#include <array>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "games/board_text.hpp"

namespace spielbaum::reversixt {

inline constexpr int kMostPlayers = 8;
inline constexpr int kMostSide = 50;
inline constexpr int kMostSupplies = 10'000;  // of overrides, bombs, or strength; what bonus cells add stays in 16 bits
inline constexpr int kDirections = 8;

// A side of a cell, by which a line leaves it: its direction is 0 for north, then clockwise to 7 for north-west.
struct Exit {
    int cell, direction;
    int index() const { return cell * kDirections + direction; }
};

struct Transition {
    Exit first, second;
};

struct MapText {
    int players = 0, overrides = 0, bombs = 0, strength = 0, rows = 0, columns = 0;
    std::string cells;  // row by row
    std::vector<Transition> transitions;
};

class MapReader {
public:
    // `name` stands in messages.
    MapReader(std::string_view name, std::string_view text) : name_(name), text_(text) {}

    MapText read() {
        MapText map;
        map.players = number("the number of players", 2, kMostPlayers);
        map.overrides = number("the number of override stones", 0, kMostSupplies);
        map.bombs = number("the number of bombs", 0, kMostSupplies);
        map.strength = number("the strength of bombs", 0, kMostSupplies);
        map.rows = number("the height", 1, kMostSide);
        map.columns = number("the width", 1, kMostSide);
        for (int i = 0; i < map.rows * map.columns; ++i) map.cells += cell(map, i);
        std::vector<int> partners(map.cells.size() * kDirections, -1);
        while (next()) map.transitions.push_back(transition(map, partners));
        return map;
    }

private:
    // The next word, if there is one.
    bool next() {
        while (at_ < text_.size() && is_space(text_[at_])) step();
        word_line_ = line_;
        word_column_ = column_;
        const std::size_t begin = at_;
        while (at_ < text_.size() && !is_space(text_[at_])) step();
        word_ = text_.substr(begin, at_ - begin);
        return !word_.empty();
    }
    static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
    void step() {
        if (text_[at_++] == '\n') {
            ++line_;
            column_ = 1;
        } else {
            ++column_;
        }
    }

    [[noreturn]] void fail(const std::string& expected) const {
        const std::string found = word_.empty() ? "the map ends" : quoted(word_.substr(0, 20));
        throw OptionError("reversixt with map=" + std::string(name_) + ": line " + std::to_string(word_line_) +
                          ", column " + std::to_string(word_column_) + ": " + found + ", expected " + expected);
    }

    int this_number(std::string_view what, int least, int most) const {
        int value = 0;
        const char* const end = word_.data() + word_.size();
        const auto [stopped, error] = std::from_chars(word_.data(), end, value);
        if (word_.empty() || error != std::errc{} || stopped != end || value < least || value > most)
            fail(std::string(what) + ", from " + std::to_string(least) + " to " + std::to_string(most));
        return value;
    }
    int number(std::string_view what, int least, int most) {
        next();
        return this_number(what, least, most);
    }

    char cell(const MapText& map, int index) {
        next();
        const char last_stone = static_cast<char>('0' + map.players);
        const char c = word_.size() == 1 ? word_[0] : '?';
        if ((c >= '0' && c <= last_stone) || std::string_view("-cibx").find(c) != std::string_view::npos) return c;
        fail("cell " + std::to_string(index % map.columns + 1) + " of row " + std::to_string(index / map.columns + 1) +
             ": 0 to " + last_stone + ", -, c, i, b or x");
    }

    // A side of a cell has one transition; that it is written twice, perhaps from its other end, does no harm.
    Transition transition(const MapText& map, std::vector<int>& partners) {
        const Exit first = exit(map, this_number("the column of a transition", 0, map.columns - 1));
        next();
        if (word_ != "<->") fail("<-> between the ends of a transition");
        const Exit second = exit(map, number("the column of a transition", 0, map.columns - 1));
        const auto join = [&](Exit from, Exit to) {
            int& partner = partners[static_cast<std::size_t>(from.index())];
            if (partner >= 0 && partner != to.index())
                fail("another transition: cell " + std::to_string(from.cell % map.columns) + "," +
                     std::to_string(from.cell / map.columns) + " has one in direction " +
                     std::to_string(from.direction) + " already");
            partner = to.index();
        };
        join(first, second);
        join(second, first);
        return {first, second};
    }
    Exit exit(const MapText& map, int column) {
        const int row = number("the row of a transition", 0, map.rows - 1);
        return {row * map.columns + column, number("the direction of a transition", 0, kDirections - 1)};
    }

    std::string_view name_, text_, word_;
    std::size_t at_ = 0;
    int line_ = 1, column_ = 1, word_line_ = 1, word_column_ = 1;
};

}  // namespace spielbaum::reversixt
