// Board texts of the games in which stones are placed: rows from the top joined by "/", one character a cell, then
// the side to move: ".../.x./... o". They express any position, also one whose moves are not known.
#pragma once

#include <cctype>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"

namespace spielbaum {

inline constexpr std::string_view kStoneLetters = "xoz";  // by player

// A text as it may stand in an error message: quoted, one line, and short.
inline std::string quoted(std::string_view text) {
    std::string shown = "'";
    for (const char c : text.substr(0, 100)) shown += c >= ' ' && c <= '~' ? c : '?';
    return shown + (text.size() > 100 ? "...'" : "'");
}

inline std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

inline std::vector<std::string_view> split_fields(std::string_view text, char separator) {
    std::vector<std::string_view> fields;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = text.find(separator, begin);
        fields.push_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return fields;
        begin = end + 1;
    }
}

// Cuts a list of cell names ("e5 d4", "e5d4", "E5,d4") into the names, in lower case. Nothing if the text is not of
// that form; whether the names make sense is for the game to say.
inline std::optional<std::vector<std::string>> split_cell_names(std::string_view text) {
    std::vector<std::string> names;
    char previous = ' ';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool after_letter = std::isalpha(static_cast<unsigned char>(previous)) != 0;
        const bool after_digit = std::isdigit(static_cast<unsigned char>(previous)) != 0;
        if (std::isalpha(byte)) {
            if (!after_letter) names.emplace_back();
            names.back() += static_cast<char>(std::tolower(byte));
        } else if (std::isdigit(byte)) {
            if (!after_letter && !after_digit) return std::nullopt;
            names.back() += c;
        } else if (c != ' ' && c != ',' && c != ';') {
            return std::nullopt;
        }
        previous = c;
    }
    return names;
}

inline std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string text;
    for (const std::string& part : parts) {
        if (!text.empty()) text += separator;
        text += part;
    }
    return text;
}

// Writes a board; `row_length(r)` and `owner(r, c)` (a player, or -1 if empty) describe it, row 0 being the top.
template <class RowLength, class Owner>
std::string write_board_text(int rows, RowLength&& row_length, Owner&& owner, int to_move) {
    std::string text;
    for (int row = 0; row < rows; ++row) {
        if (row > 0) text += '/';
        for (int column = 0; column < row_length(row); ++column) {
            const int player = owner(row, column);
            text += player < 0 ? '.' : kStoneLetters[static_cast<std::size_t>(player)];
        }
    }
    return text + ' ' + kStoneLetters[static_cast<std::size_t>(to_move)];
}

// Reads what write_board_text wrote; calls `place(r, c, player)` for every stone and returns the side to move.
template <class RowLength, class Place>
int read_board_text(std::string_view text, int rows, RowLength&& row_length, int num_players, Place&& place) {
    const auto letters = kStoneLetters.substr(0, static_cast<std::size_t>(num_players));
    const auto player_of = [&](char c) {
        const auto index = letters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
        return index == std::string_view::npos ? -1 : static_cast<int>(index);
    };
    if (text.find('/') == std::string_view::npos)
        throw NotationError("position " + quoted(text) +
                            " is neither a list of moves nor a board (rows from the top "
                            "joined by '/', a space, and the side to move)");
    const auto fields = split_fields(text, ' ');
    if (fields.size() != 2)
        throw NotationError("board text " + quoted(text) +
                            " should be rows from the top joined by '/', one space, "
                            "and the side to move");
    const auto lines = split_fields(fields[0], '/');
    if (static_cast<int>(lines.size()) != rows)
        throw NotationError("board text " + quoted(text) + " has " + std::to_string(lines.size()) +
                            " rows; this board has " + std::to_string(rows));
    for (int row = 0; row < rows; ++row) {
        const auto line = lines[static_cast<std::size_t>(row)];
        if (static_cast<int>(line.size()) != row_length(row))
            throw NotationError("row " + std::to_string(row + 1) + " of the board text, " + quoted(line) + ", has " +
                                std::to_string(line.size()) + " cells; expected " + std::to_string(row_length(row)));
        for (int column = 0; column < row_length(row); ++column) {
            const char c = line[static_cast<std::size_t>(column)];
            const int player = player_of(c);
            if (player >= 0)
                place(row, column, player);
            else if (c != '.' && c != '-')
                throw NotationError("board text has " + quoted({&c, 1}) + " in row " + std::to_string(row + 1) +
                                    "; a cell is '.' or one of '" + std::string(letters) + "'");
        }
    }
    const int side = fields[1].size() == 1 ? player_of(fields[1][0]) : -1;
    if (side < 0)
        throw NotationError("side to move " + quoted(fields[1]) + " should be one of '" + std::string(letters) + "'");
    return side;
}

}  // namespace spielbaum
