// ReversiXT written down as its rules are told, for comparison: a board of characters, a map of transitions, and walks
// step by step. It shares no code with the game that it checks.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace spielbaum::testing {

struct NaiveMove {
    int x, y, choice;
    auto operator<=>(const NaiveMove&) const = default;
};

class NaiveReversiXt {
public:
    explicit NaiveReversiXt(const std::string& text) {
        std::istringstream in(text);
        int overrides = 0, bombs = 0;
        in >> players >> overrides >> bombs >> strength_ >> height_ >> width_;
        board.assign(static_cast<std::size_t>(height_), std::string(static_cast<std::size_t>(width_), '-'));
        for (std::string& row : board)
            for (char& cell : row) in >> cell;
        int x1, y1, r1, x2, y2, r2;
        std::string arrow;
        while (in >> x1 >> y1 >> r1 >> arrow >> x2 >> y2 >> r2) {
            transitions_[{x1, y1, r1}] = {x2, y2, (r2 + 4) % 8};
            transitions_[{x2, y2, r2}] = {x1, y1, (r1 + 4) % 8};
        }
        overrides_left.assign(static_cast<std::size_t>(players), overrides);
        bombs_left.assign(static_cast<std::size_t>(players), bombs);
        out.assign(static_cast<std::size_t>(players), false);
        last_mover_ = players - 1;
        choose_next(players - 1);
    }

    std::vector<NaiveMove> legal_moves() const { return over ? std::vector<NaiveMove>{} : moves_of(to_move); }

    void play(NaiveMove move) {
        if (phase == 2) {
            blast(move);
            --bombs_left[index(to_move)];
        } else {
            colour(move);
            last_mover_ = to_move;
        }
        choose_next(to_move);
    }

    void disqualify(int player) {
        out[index(player)] = true;
        if (std::count(out.begin(), out.end(), false) == 1)
            over = true;
        else if (player == to_move)
            choose_next(player);
    }

    int stones(int player) const {
        int count = 0;
        for (const std::string& row : board)
            count += static_cast<int>(std::count(row.begin(), row.end(), letter(player)));
        return count;
    }

    int players = 0, to_move = 0, phase = 1;
    bool over = false;
    std::vector<std::string> board;
    std::vector<int> overrides_left, bombs_left;
    std::vector<bool> out;

private:
    struct Place {
        int x, y, direction;
        auto operator<=>(const Place&) const = default;
    };

    static std::size_t index(int number) { return static_cast<std::size_t>(number); }
    static char letter(int player) { return static_cast<char>('1' + player); }
    void put(int x, int y, char cell) { board[index(y)][index(x)] = cell; }
    char at(int x, int y) const {
        if (x < 0 || y < 0 || x >= width_ || y >= height_) return '-';
        return board[index(y)][index(x)];
    }
    static bool is_stone(char cell) { return cell >= '1' && cell <= '8'; }

    Place step(Place from) const {
        const auto transition = transitions_.find(from);
        if (transition != transitions_.end()) return transition->second;
        static constexpr int kRight[] = {0, 1, 1, 1, 0, -1, -1, -1}, kDown[] = {-1, -1, 0, 1, 1, 1, 0, -1};
        return {from.x + kRight[from.direction], from.y + kDown[from.direction], from.direction};
    }

    // The cells that a walk takes; none if it fails, or goes on for longer than there are ways out of cells.
    std::vector<std::pair<int, int>> line(int player, int x, int y, int direction) const {
        std::vector<std::pair<int, int>> taken;
        for (Place place = step({x, y, direction});; place = step(place)) {
            const char cell = at(place.x, place.y);
            if ((place.x == x && place.y == y) || static_cast<int>(taken.size()) > 8 * width_ * height_) return {};
            if (cell == letter(player)) return taken;
            if (!is_stone(cell) && cell != 'x') return {};
            taken.emplace_back(place.x, place.y);
        }
    }

    bool is_legal(int player, int x, int y) const {
        const char cell = at(x, y);
        if (cell == '-') return false;
        if ((is_stone(cell) || cell == 'x') && overrides_left[index(player)] == 0) return false;
        if (cell == 'x') return true;
        for (int direction = 0; direction < 8; ++direction)
            if (!line(player, x, y, direction).empty()) return true;
        return false;
    }

    std::vector<NaiveMove> moves_of(int player) const {
        std::vector<NaiveMove> moves;
        for (int y = 0; y < height_; ++y)
            for (int x = 0; x < width_; ++x) {
                if (phase == 2 ? at(x, y) == '-' : !is_legal(player, x, y)) continue;
                if (phase == 1 && at(x, y) == 'c')
                    for (int choice = 1; choice <= players; ++choice) moves.push_back({x, y, choice});
                else if (phase == 1 && at(x, y) == 'b')
                    for (int choice = 20; choice <= 21; ++choice) moves.push_back({x, y, choice});
                else
                    moves.push_back({x, y, 0});
            }
        return moves;
    }

    void colour(NaiveMove move) {
        const char special = at(move.x, move.y);
        std::vector<std::pair<int, int>> all{{move.x, move.y}};
        for (int direction = 0; direction < 8; ++direction)
            for (const auto& taken : line(to_move, move.x, move.y, direction)) all.push_back(taken);
        for (const auto& [x, y] : all) put(x, y, letter(to_move));
        if (is_stone(special) || special == 'x') --overrides_left[index(to_move)];
        if (special == 'b') ++(move.choice == 20 ? bombs_left : overrides_left)[index(to_move)];
        for (std::string& row : board)
            for (char& cell : row) {
                if (special == 'c' && cell == letter(to_move))
                    cell = letter(move.choice - 1);
                else if (special == 'c' && cell == letter(move.choice - 1))
                    cell = letter(to_move);
                else if (special == 'i' && is_stone(cell))
                    cell = letter((cell - '0') % players);
            }
    }

    void blast(NaiveMove move) {
        std::set<std::pair<int, int>> hit{{move.x, move.y}}, edge = hit;
        for (int i = 0; i < strength_ && !edge.empty(); ++i) {
            std::set<std::pair<int, int>> further;
            for (const auto& [x, y] : edge)
                for (int direction = 0; direction < 8; ++direction) {
                    const Place next = step({x, y, direction});
                    if (at(next.x, next.y) != '-' && hit.insert({next.x, next.y}).second)
                        further.insert({next.x, next.y});
                }
            edge = further;
        }
        for (const auto& [x, y] : hit) put(x, y, '-');
    }

    void choose_next(int after) {
        if (phase == 1) {
            for (int i = 1; i <= players; ++i) {
                const int player = (after + i) % players;
                if (out[index(player)] || moves_of(player).empty()) continue;
                to_move = player;
                return;
            }
            phase = 2;
            after = last_mover_;
        }
        for (int i = 1; i <= players; ++i) {
            const int player = (after + i) % players;
            if (out[index(player)] || bombs_left[index(player)] == 0 || moves_of(player).empty()) continue;
            to_move = player;
            return;
        }
        over = true;
    }

    int strength_ = 0, height_ = 0, width_ = 0, last_mover_ = 0;
    std::map<Place, Place> transitions_;
};

}  // namespace spielbaum::testing
