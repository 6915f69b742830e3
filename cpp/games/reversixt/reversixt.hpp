// ReversiXT: Reversi for two to eight players on maps with holes, transitions, special cells, override stones and
// bombs.
//
// Colouring: players in turn put a stone where at least one walk from the cell leads over stones of others (or of
// nobody: expansion stones, x) to an own stone; what lies between becomes theirs. A cell with a stone or an x costs an
// override stone, and an x needs no walk. The cell may be special: choice (c) exchanges the stones of the mover and of
// a player of choice, inversion (i) gives everybody's stones to the next player, bonus (b) gives a bomb or an override
// stone. Who cannot move is skipped; when nobody can, bombing starts.
//
// Bombing: who has a bomb must use one; it makes holes of all cells in its reach. Then whoever has most stones wins.
// The disqualified do not move any more, but their stones stay and can be taken.
//
// A cell has a code: 0 empty, 1 to n a stone of player 0 to n - 1, n + 1 an expansion stone. Codes are stored as two to
// four bit planes, once in the order of the cells and once in that of the places on lines (see map.hpp), so that the
// targets of a player are found by a few operations for every 64 places. Playing a move must find out who can move
// next, and the targets that it finds are kept: playouts are a sixth faster than if they were found again.
//
//     words of a state: open cells | targets | planes of cells (two to four) | planes of places (as many)
//
// That is 300 bytes for 8 x 8 cells and 10 kB for 50 x 50 with eight players. The words are in a vector as long as the
// map needs, not in an array for the largest one: a search that goes back to a state assigns it, which copies these
// words and allocates nothing, and a recursion of hundreds of plies does not fill the stack. The planes of places are
// dropped when bombing begins.
#pragma once

#include <array>
#include <memory>

#include "core/game.hpp"
#include "core/option.hpp"
#include "games/reversixt/map.hpp"

namespace spielbaum {

class ReversiXt {
public:
    // How a game is rewarded: by the places of the players, or by their shares of the stones.
    enum class Rewards : std::uint8_t { rank, stones };
    enum class Phase : std::uint8_t { colouring = 1, bombing = 2 };
    static constexpr bool kPlaneActions = true;

    struct State {
        reversixt::Words words;
        std::array<u64, kMaxPlayers> stones{};  // keys of the players' stones; exchanged along with them
        u64 ground = 0;                         // key of holes and expansion stones
        std::array<std::uint16_t, kMaxPlayers> overrides{}, bombs{};
        std::uint8_t to_move = 0;
        std::uint8_t last_mover = 0;    // bombing starts with the player after him, also if others are disqualified
        std::uint8_t disqualified = 0;  // bit per player
        Phase phase = Phase::colouring;
        bool over = false;
        bool operator==(const State&) const = default;
    };

    explicit ReversiXt(reversixt::MapPtr map, Rewards rewards = Rewards::rank)
        : map_(std::move(map)), rewards_(rewards) {
        const int players = num_players();
        num_planes_ = std::bit_width(static_cast<unsigned>(players + 1));
        encodings_ = {{{"own", {4 * players + 7, map_->rows(), map_->columns()}, players + 3}}};
        initial_ = std::make_shared<const State>(first_state());
    }

    const reversixt::Map& map() const { return *map_; }

    // ---- turns ----
    int num_players() const { return map_->num_players(); }
    State initial() const { return *initial_; }
    static int to_move(const State& state) { return state.to_move; }
    static bool over(const State& state) { return state.over; }
    Outcome outcome(const State& state) const {
        const auto counts = count_stones(state);
        Outcome outcome = rewards_ == Rewards::rank ? by_rank(state, counts) : by_stones(state, counts);
        outcome.reason = num_remaining(state) == 1 ? "last player left"
                         : is_empty(open(state))   ? "no cells left"
                                                   : "no moves left";
        return outcome;
    }

    // ---- moves: a move is its action: the cell times the variants of the map, plus the variant. On a choice cell the
    // variant is the player, on a bonus cell 0 for a bomb and 1 for an override stone, else 0. ----
    int max_moves() const { return map_->max_moves(); }
    int legal_moves(const State& state, Move* out) const {
        int count = 0;
        reversixt::for_each(targets(state), map_->cell_words(), [&](int cell) {
            const int variants = variants_at(state, cell);
            for (int variant = 0; variant < variants; ++variant) out[count++] = to_move_of(cell, variant);
        });
        return count;
    }
    int count_moves(const State& state) const {
        const Choices choices = choices_at(state);
        return choices.targets + choices.bonus + choices.choice * (num_players() - 1);
    }
    // The first variant of all targets, then the second of bonus cells, then the others of choice cells.
    Move random_move(const State& state, Rng& rng) const {
        const Choices choices = choices_at(state);
        int rank = rng.below(choices.targets + choices.bonus + choices.choice * (num_players() - 1));
        const auto nth = [&](int place, auto&& word) {
            for (std::size_t i = 0;; ++i) {
                const int here = popcount(word(i));
                if (place < here) return static_cast<int>(64 * i) + select(word(i), place);
                place -= here;
            }
        };
        const u64* const cells = targets(state);
        if (rank < choices.targets) return to_move_of(nth(rank, [&](std::size_t i) { return cells[i]; }), 0);
        rank -= choices.targets;
        if (rank < choices.bonus)
            return to_move_of(nth(rank, [&](std::size_t i) { return bonus_targets(state, i); }), 1);
        rank -= choices.bonus;
        const int others = num_players() - 1;
        return to_move_of(nth(rank / others, [&](std::size_t i) { return choice_targets(state, i); }),
                          1 + rank % others);
    }
    void play(State& state, Move move) const {
        const int cell = move / map_->variants(), variant = move % map_->variants();
        if (state.phase == Phase::bombing) return bomb(state, cell);
        colour(state, cell, variant);
        state.last_mover = state.to_move;
        find_next_mover(state, state.to_move);
    }

    // ---- disqualification ----
    bool eliminated(const State& state, int player) const { return (state.disqualified >> player & 1) != 0; }
    // The game must not be over, nor the player be out of it.
    void eliminate(State& state, int player) const {
        state.disqualified |= static_cast<std::uint8_t>(1u << player);
        if (num_remaining(state) == 1) return finish(state);
        if (player != state.to_move) return;
        if (state.phase == Phase::colouring)
            find_next_mover(state, player);
        else
            find_next_bomber(state, player);
    }

    // ---- key ----
    u64 key(const State& state) const {
        u64 sum = state.ground;
        for (std::size_t player = 0; player < static_cast<std::size_t>(num_players()); ++player)
            sum += mix(state.stones[player] +
                       (u64{state.overrides[player]} << 32 | u64{state.bombs[player]} << 8 | player));
        return combine(sum, u64{state.to_move} << 16 | u64{state.disqualified} << 8 | static_cast<u64>(state.phase));
    }

    // ---- actions ----
    int num_actions() const { return map_->num_cells() * map_->variants(); }
    static constexpr int action(const State&, Move move) { return move; }
    std::optional<Move> move(const State& state, int action) const {
        if (action < 0 || action >= num_actions()) return std::nullopt;
        const int cell = action / map_->variants();
        if (!reversixt::has(targets(state), cell) || action % map_->variants() >= variants_at(state, cell))
            return std::nullopt;
        return static_cast<Move>(action);
    }

    // ---- symmetries: none that all maps have ----
    static constexpr int num_symmetries() { return 1; }
    static State transform(const State& state, int) { return state; }
    static constexpr int transform_action(int action, int) { return action; }

    // ---- planes: stones of the side to move and of the others in turn order, empty cells, expansion stones, holes; then
    // bonus, choice and inversion cells; override stones, bombs and disqualified, in turn order; and the phase ----
    std::span<const Encoding> encodings() const { return encodings_; }
    void write_planes(const State& state, const Path&, int, float* out) const {
        const int players = num_players(), cells = map_->num_cells();
        std::fill_n(out, (4 * players + 7) * cells, 0.0f);
        const auto plane = [&](int index) { return out + index * cells; };
        const auto in_turn = [&](int player) { return (player - state.to_move + players) % players; };
        for (int i = 0; i < cells; ++i) {
            const int content = cell(state, i);
            if (content > 0 && content <= players)
                plane(in_turn(content - 1))[i] = 1.0f;
            else
                plane(players + (content == kExpansion ? 1 : content == kHole ? 2 : 0))[i] = 1.0f;
            if (content >= kBonus) plane(players + 3 + content - kBonus)[i] = 1.0f;
        }
        const auto share = [](int supplies) { return static_cast<float>(std::min(supplies, 16)) / 16.0f; };
        for (int player = 0; player < players; ++player) {
            const auto index = static_cast<std::size_t>(player);
            const int first = players + 6 + in_turn(player);
            std::fill_n(plane(first), cells, share(state.overrides[index]));
            std::fill_n(plane(first + players), cells, share(state.bombs[index]));
            std::fill_n(plane(first + 2 * players), cells, eliminated(state, player) ? 1.0f : 0.0f);
        }
        std::fill_n(plane(4 * players + 6), cells, state.phase == Phase::bombing ? 1.0f : 0.0f);
    }

    // ---- cells: 0 empty, 1 to 8 a stone, and these ----
    static constexpr int kExpansion = 9, kHole = 10, kBonus = 11, kChoice = 12, kInversion = 13;
    int num_cells() const { return map_->num_cells(); }
    int cell(const State& state, int cell) const {
        if (!reversixt::has(open(state), cell)) return kHole;
        const int code = code_at(state, cell);
        if (code != 0) return code == expansion_code() ? kExpansion : code;
        switch (map_->symbol(cell)) {
            case 'b':
                return kBonus;
            case 'c':
                return kChoice;
            case 'i':
                return kInversion;
            default:
                return 0;
        }
    }
    MoveCells move_cells(const State&, Move move) const { return {-1, move / map_->variants()}; }

    // What the cells do not show, by name; players count from 0.
    Details details(const State& state) const {
        const auto players = static_cast<std::size_t>(num_players());
        std::vector<int> disqualified;
        for (int player = 0; player < num_players(); ++player)
            if (eliminated(state, player)) disqualified.push_back(player);
        return {{"phase", {static_cast<int>(state.phase)}},
                {"overrides", {state.overrides.begin(), state.overrides.begin() + players}},
                {"bombs", {state.bombs.begin(), state.bombs.begin() + players}},
                {"disqualified", disqualified}};
    }

    // ---- text: moves as the protocol has them, "x,y" or "x,y,choice" ----
    static constexpr int kBombChoice = 20, kOverrideChoice = 21;
    std::string move_text(const State& state, Move move) const {
        const int cell = move / map_->variants(), choice = choice_of(state, cell, move % map_->variants());
        return std::to_string(cell % map_->columns()) + "," + std::to_string(cell / map_->columns()) +
               (choice == 0 ? "" : "," + std::to_string(choice));
    }
    // In the bombing phase any choice is read, for the rules ignore it there.
    std::optional<Move> parse_move(const State& state, std::string_view text) const {
        const auto fields = split_fields(text, ',');
        if (fields.size() < 2 || fields.size() > 3) return std::nullopt;
        const auto x = small_number(fields[0]), y = small_number(fields[1]);
        const auto choice = fields.size() == 3 ? small_number(fields[2]) : 0;
        if (!x || !y || !choice || *x >= map_->columns() || *y >= map_->rows()) return std::nullopt;
        const int cell = *y * map_->columns() + *x;
        for (int variant = 0; variant < variants_at(state, cell); ++variant)
            if (state.phase == Phase::bombing || choice_of(state, cell, variant) == *choice)
                return this->move(state, cell * map_->variants() + variant);
        return std::nullopt;
    }
    static std::string moves_notation(std::span<const std::string> moves) { return join(moves, " "); }
    static std::optional<std::vector<std::string>> split_moves(std::string_view text) {
        std::vector<std::string> moves;
        for (const std::string_view word : split_fields(text, ' ')) {
            if (word.find_first_not_of("0123456789,") != std::string_view::npos) return std::nullopt;
            if (!word.empty()) moves.emplace_back(word);
        }
        return moves;
    }

    // "rows/of/cells 2 phase=1 last=1 overrides=3,3 bombs=1,0 out=-": cells as in a map, the side to move (- if the
    // game is over), the last mover, supplies by player, and who is disqualified. Players count from 1.
    std::string notation(const State& state) const {
        std::string text;
        for (int i = 0; i < num_cells(); ++i) {
            if (i > 0 && i % map_->columns() == 0) text += '/';
            text += kSymbols[static_cast<std::size_t>(cell(state, i))];
        }
        const auto list = [&](const auto& numbers) {
            std::string shown;
            for (std::size_t i = 0; i < static_cast<std::size_t>(num_players()); ++i)
                shown += (i == 0 ? "" : ",") + std::to_string(numbers[i]);
            return shown;
        };
        std::string out;
        for (int player = 0; player < num_players(); ++player)
            if (eliminated(state, player)) out += (out.empty() ? "" : ",") + std::to_string(player + 1);
        return text + ' ' + (state.over ? "-" : std::to_string(state.to_move + 1)) +
               " phase=" + std::to_string(static_cast<int>(state.phase)) +
               " last=" + std::to_string(state.last_mover + 1) + " overrides=" + list(state.overrides) +
               " bombs=" + list(state.bombs) + " out=" + (out.empty() ? "-" : out);
    }
    State parse_state(std::string_view text) const;

    // ---- for searches and evaluations ----
    bool hand_turn(State& state, int player) const {
        if (eliminated(state, player)) return false;
        if (state.phase == Phase::bombing) {
            if (state.bombs[static_cast<std::size_t>(player)] == 0) return false;
        } else {
            std::array<u64, reversixt::kMostCellWords> found;
            targets_of(state, player, found.data());
            if (is_empty(found.data())) return false;
            std::copy_n(found.begin(), map_->cell_words(), targets(state));
        }
        state.to_move = static_cast<std::uint8_t>(player);
        return true;
    }
    double least_reward() const { return rewards_ == Rewards::rank ? -1.0 : -1.0 / (num_players() - 1); }
    void order_moves(const State& state, const Move* moves, int count, int* ranks) const;
    // Sets of cells, in words of 64: a player's stones, all that is not empty, and what is no hole.
    u64 stones_at(const State& state, int player, std::size_t index) const {
        return coded(cell_planes(state), map_->cell_words(), player + 1, index);
    }
    u64 occupied_at(const State& state, std::size_t index) const {
        u64 occupied = 0;
        for (std::size_t k = 0; k < planes(); ++k) occupied |= cell_planes(state)[k * map_->cell_words() + index];
        return occupied;
    }
    u64 open_at(const State& state, std::size_t index) const { return open(state)[index]; }
    // Where the side to move may put a stone, or a bomb.
    const u64* targets(const State& state) const { return state.words.data() + map_->cell_words(); }
    // How many cells a bomb destroys where nothing is in its way.
    int blast() const {
        const int side = 2 * map_->strength() + 1;
        return std::min(side * side, map_->open_cells());
    }
    std::array<int, kMaxPlayers> count_stones(const State& state) const {
        std::array<int, kMaxPlayers> counts{};
        for (int player = 0; player < num_players(); ++player)
            for (std::size_t i = 0; i < map_->cell_words(); ++i)
                counts[static_cast<std::size_t>(player)] += popcount(stones_at(state, player, i));
        return counts;
    }
    // Where a player could put a stone if it were his turn; `out` has room for the cells of the map. Colouring phase
    // only.
    void targets_of(const State& state, int player, u64* out) const {
        switch (num_planes_) {
            case 2:
                return find_targets<2>(state, player, out);
            case 3:
                return find_targets<3>(state, player, out);
            default:
                return find_targets<4>(state, player, out);
        }
    }

private:
    static constexpr std::string_view kSymbols = "012345678x-bci";  // by content of a cell

    // ---- words of a state ----
    u64* open(State& state) const { return state.words.data(); }
    const u64* open(const State& state) const { return state.words.data(); }
    u64* targets(State& state) const { return state.words.data() + map_->cell_words(); }
    u64* cell_planes(State& state) const { return state.words.data() + 2 * map_->cell_words(); }
    const u64* cell_planes(const State& state) const { return state.words.data() + 2 * map_->cell_words(); }
    std::size_t words_before_lines() const { return (2 + planes()) * map_->cell_words(); }
    u64* line_planes(State& state) const { return state.words.data() + words_before_lines(); }
    const u64* line_planes(const State& state) const { return state.words.data() + words_before_lines(); }
    std::size_t planes() const { return static_cast<std::size_t>(num_planes_); }

    bool is_empty(const u64* cells) const {
        return std::all_of(cells, cells + map_->cell_words(), [](u64 word) { return word == 0; });
    }

    // ---- codes ----
    int expansion_code() const { return num_players() + 1; }
    int code_at(const State& state, int cell) const {
        int code = 0;
        for (std::size_t k = 0; k < planes(); ++k)
            code |= static_cast<int>(reversixt::has(cell_planes(state) + k * map_->cell_words(), cell)) << k;
        return code;
    }
    // The bits of word `index` that have a code.
    u64 coded(const u64* first_plane, std::size_t stride, int code, std::size_t index) const {
        u64 found = ~u64{0};
        for (std::size_t k = 0; k < planes(); ++k)
            found &= first_plane[k * stride + index] ^ ((static_cast<u64>(code) >> k & 1) - 1);
        return found;
    }
    void set_code(State& state, int cell, int code) const {
        const int before = code_at(state, cell);
        if (before == code) return;
        account(state, cell, before);
        account(state, cell, code);
        const bool has_lines = state.phase == Phase::colouring;
        for (std::size_t k = 0; k < planes(); ++k) {
            if (((before ^ code) >> k & 1) == 0) continue;
            reversixt::toggle(cell_planes(state) + k * map_->cell_words(), cell);
            if (!has_lines) continue;
            u64* const plane = line_planes(state) + k * map_->line_words();
            for (const std::int32_t place : map_->places(cell)) reversixt::toggle(plane, place);
        }
    }
    // Adds a cell's content to the keys, or takes it out again.
    void account(State& state, int cell, int code) const {
        if (code == expansion_code())
            state.ground ^= map_->expansion_number(cell);
        else if (code != 0)
            state.stones[static_cast<std::size_t>(code - 1)] ^= map_->stone_number(cell);
    }

    // ---- moves ----
    Move to_move_of(int cell, int variant) const { return static_cast<Move>(cell * map_->variants() + variant); }
    int variants_at(const State& state, int cell) const {
        if (state.phase == Phase::bombing || map_->variants() == 1 || code_at(state, cell) != 0) return 1;
        return map_->symbol(cell) == 'c' ? num_players() : map_->symbol(cell) == 'b' ? 2 : 1;
    }
    // The number of the protocol for a variant.
    int choice_of(const State& state, int cell, int variant) const {
        if (variants_at(state, cell) == 1) return 0;
        return map_->symbol(cell) == 'c' ? variant + 1 : kBombChoice + variant;
    }
    // Targets in one word that are bonus or choice cells which nobody has played yet. (A cell that was one keeps a
    // stone until it becomes a hole.)
    u64 untouched(const State& state, std::size_t index) const {
        return targets(state)[index] & ~occupied_at(state, index);
    }
    u64 bonus_targets(const State& state, std::size_t index) const {
        return untouched(state, index) & map_->bonus()[index];
    }
    u64 choice_targets(const State& state, std::size_t index) const {
        return untouched(state, index) & map_->choice()[index];
    }
    struct Choices {
        int targets = 0, bonus = 0, choice = 0;
    };
    Choices choices_at(const State& state) const {
        Choices choices;
        const bool special = map_->variants() > 1 && state.phase == Phase::colouring;
        for (std::size_t i = 0; i < map_->cell_words(); ++i) {
            choices.targets += popcount(targets(state)[i]);
            if (!special) continue;
            choices.bonus += popcount(bonus_targets(state, i));
            choices.choice += popcount(choice_targets(state, i));
        }
        return choices;
    }

    // ---- colouring ----
    // What a player can do on 64 places: his own stones, and those that he may take.
    struct Sides {
        u64 own, others;
    };
    template <int kPlanes>
    Sides sides_at(const u64* lines, std::size_t stride, int player, std::size_t index) const {
        u64 own = ~u64{0}, any = 0;
        for (std::size_t k = 0; k < kPlanes; ++k) {
            const u64 word = lines[k * stride + index];
            own &= word ^ ((static_cast<u64>(player + 1) >> k & 1) - 1);
            any |= word;
        }
        return {own, any & ~own};
    }

    // See map.hpp for the addition.
    template <int kPlanes>
    void find_targets(const State& state, int player, u64* out) const {
        const u64* const lines = line_planes(state);
        const std::size_t stride = map_->line_words();
        const u64 overrides = state.overrides[static_cast<std::size_t>(player)] > 0 ? ~u64{0} : 0;
        std::fill_n(out, map_->cell_words(), 0);
        u64 own_below = 0, carry = 0;
        for (std::size_t i = 0; i < stride; ++i) {
            const auto [own, others] = sides_at<kPlanes>(lines, stride, player, i);
            const u64 starts = (own << 1 | own_below) & others;
            own_below = own >> 63;
            const u64 partial = others + starts, sum = partial + carry;
            carry = static_cast<u64>(partial < others) | static_cast<u64>(sum < partial);
            const u64 occupied = own | others;
            u64 found = (others ^ sum) & ~starts & map_->on_line()[i] & (~occupied | overrides);
            u64 looping = found & occupied & map_->looping()[i];
            found &= ~looping;
            while (found != 0) reversixt::add(out, map_->cell_at(static_cast<int>(64 * i) + pop_lowest(found)));
            while (looping != 0) {
                const int place = static_cast<int>(64 * i) + pop_lowest(looping), cell = map_->cell_at(place);
                if (!reversixt::has(out, cell) && run_below<kPlanes>(state, player, place) > 0)
                    reversixt::add(out, cell);
            }
        }
        if (overrides == 0) return;
        for (std::size_t i = 0; i < map_->cell_words(); ++i)
            out[i] |= coded(cell_planes(state), map_->cell_words(), expansion_code(), i);
    }

    // How many stones the walk from a place takes; 0 if it fails.
    template <int kPlanes>
    int run_below(const State& state, int player, int place) const {
        const u64* const lines = line_planes(state);
        auto index = static_cast<std::size_t>(place - 1) / 64;
        const int top = (place - 1) % 64;
        Sides sides = sides_at<kPlanes>(lines, map_->line_words(), player, index);
        // The first place that is not to be taken; there is one, for below each line there is an empty place.
        u64 ends = ~sides.others & (~u64{0} >> (63 - top));
        while (ends == 0) {
            sides = sides_at<kPlanes>(lines, map_->line_words(), player, --index);
            ends = ~sides.others;
        }
        const int bit_of_end = highest(ends), end = static_cast<int>(64 * index) + bit_of_end;
        if (!contains(sides.own, bit_of_end)) return 0;
        return end > map_->returns(place) ? place - 1 - end : 0;
    }
    int run_below(const State& state, int player, int place) const {
        switch (num_planes_) {
            case 2:
                return run_below<2>(state, player, place);
            case 3:
                return run_below<3>(state, player, place);
            default:
                return run_below<4>(state, player, place);
        }
    }

    void colour(State& state, int cell, int variant) const {
        const int mover = state.to_move, before = code_at(state, cell);
        const auto me = static_cast<std::size_t>(mover);
        // All walks are judged before any stone changes.
        const auto places = map_->places(cell);
        std::array<int, reversixt::kMostPlacesOfCell> runs;
        for (std::size_t i = 0; i < places.size(); ++i) runs[i] = run_below(state, mover, places[i]);
        for (std::size_t i = 0; i < places.size(); ++i)
            for (int step = 1; step <= runs[i]; ++step) set_code(state, map_->cell_at(places[i] - step), mover + 1);
        set_code(state, cell, mover + 1);
        if (before != 0) {
            --state.overrides[me];
            return;
        }
        switch (map_->symbol(cell)) {
            case 'b':
                ++(variant == 0 ? state.bombs : state.overrides)[me];
                break;
            case 'c':
                exchange_stones(state, mover, variant);
                break;
            case 'i':
                pass_stones_on(state);
                break;
            default:
                break;
        }
    }

    // All planes as one: of the cells, then of the places.
    template <class Change>
    void change_words(State& state, Change&& change) const {
        for (std::size_t i = 0; i < map_->cell_words(); ++i) change(cell_planes(state), map_->cell_words(), i);
        for (std::size_t i = 0; i < map_->line_words(); ++i) change(line_planes(state), map_->line_words(), i);
    }
    void exchange_stones(State& state, int one, int other) const {
        if (one == other) return;
        const int difference = (one + 1) ^ (other + 1);
        change_words(state, [&](u64* first_plane, std::size_t stride, std::size_t i) {
            const u64 either = coded(first_plane, stride, one + 1, i) | coded(first_plane, stride, other + 1, i);
            for (std::size_t k = 0; k < planes(); ++k)
                if ((difference >> k & 1) != 0) first_plane[k * stride + i] ^= either;
        });
        std::swap(state.stones[static_cast<std::size_t>(one)], state.stones[static_cast<std::size_t>(other)]);
    }
    void pass_stones_on(State& state) const {
        const int players = num_players();
        change_words(state, [&](u64* first_plane, std::size_t stride, std::size_t i) {
            std::array<u64, 4> changed{};
            for (int player = 0; player < players; ++player) {
                const u64 stones = coded(first_plane, stride, player + 1, i);
                const int difference = (player + 1) ^ ((player + 1) % players + 1);
                for (std::size_t k = 0; k < planes(); ++k)
                    if ((difference >> k & 1) != 0) changed[k] |= stones;
            }
            for (std::size_t k = 0; k < planes(); ++k) first_plane[k * stride + i] ^= changed[k];
        });
        std::rotate(state.stones.begin(), state.stones.begin() + players - 1, state.stones.begin() + players);
    }

    // ---- turns ----
    int num_remaining(const State& state) const { return num_players() - std::popcount(state.disqualified); }

    // The next player after `player` who can put a stone, himself last; if there is none, bombing begins.
    void find_next_mover(State& state, int player) const {
        for (int i = 1; i <= num_players(); ++i) {
            const int next = (player + i) % num_players();
            if (eliminated(state, next)) continue;
            targets_of(state, next, targets(state));
            if (is_empty(targets(state))) continue;
            state.to_move = static_cast<std::uint8_t>(next);
            return;
        }
        state.phase = Phase::bombing;
        state.words.resize(words_before_lines());
        std::copy_n(open(state), map_->cell_words(), targets(state));
        find_next_bomber(state, state.last_mover);
    }
    void find_next_bomber(State& state, int player) const {
        if (is_empty(open(state))) return finish(state);
        for (int i = 1; i <= num_players(); ++i) {
            const int next = (player + i) % num_players();
            if (eliminated(state, next) || state.bombs[static_cast<std::size_t>(next)] == 0) continue;
            state.to_move = static_cast<std::uint8_t>(next);
            return;
        }
        finish(state);
    }
    void finish(State& state) const {
        state.over = true;
        state.to_move = 0;
        std::fill_n(targets(state), map_->cell_words(), 0);
    }

    // ---- bombing ----
    void bomb(State& state, int cell) const {
        std::array<u64, reversixt::kMostCellWords> blast{};
        const std::size_t words = map_->cell_words();
        std::copy_n(map_->reach(cell), words, blast.begin());
        u64 holes = 0;
        for (std::size_t i = 0; i < words; ++i) holes |= blast[i] & ~open(state)[i];
        if (holes != 0) {  // they stand in the way
            std::array<std::uint16_t, reversixt::kMostCells> queue;
            std::fill_n(blast.begin(), words, 0);
            map_->flood(cell, open(state), blast.data(), queue.data());
        }
        reversixt::for_each(blast.data(), words, [&](int hit) { make_hole(state, hit); });
        std::copy_n(open(state), words, targets(state));
        --state.bombs[state.to_move];
        find_next_bomber(state, state.to_move);
    }
    void make_hole(State& state, int cell) const {
        set_code(state, cell, 0);
        reversixt::toggle(open(state), cell);
        state.ground ^= map_->hole_number(cell);
    }

    // ---- rewards ----
    // Places from the first to the last are worth 1 to -1 in even steps. Who has as many stones shares places; the
    // disqualified share the last ones.
    Outcome by_rank(const State& state, const std::array<int, kMaxPlayers>& counts) const {
        const int players = num_players(), remaining = num_remaining(state);
        Outcome outcome{{}, players, {}};
        for (int player = 0; player < players; ++player) {
            int better = 0, equal = 0;
            for (int other = 0; other < players; ++other) {
                if (eliminated(state, other)) continue;
                const int lead = counts[static_cast<std::size_t>(other)] - counts[static_cast<std::size_t>(player)];
                better += lead > 0;
                equal += lead == 0;
            }
            if (eliminated(state, player)) {
                better = remaining;
                equal = players - remaining;
            }
            outcome.rewards[static_cast<std::size_t>(player)] =
                1.0 - static_cast<double>(2 * better + equal - 1) / (players - 1);
        }
        return outcome;
    }
    // All stones are worth 1, none -1 / (players - 1); those of the disqualified do not count.
    Outcome by_stones(const State& state, const std::array<int, kMaxPlayers>& counts) const {
        const int players = num_players();
        const auto stones_of = [&](int player) {
            return eliminated(state, player) ? 0 : counts[static_cast<std::size_t>(player)];
        };
        int total = 0;
        for (int player = 0; player < players; ++player) total += stones_of(player);
        Outcome outcome{{}, players, {}};
        for (int player = 0; total > 0 && player < players; ++player)
            outcome.rewards[static_cast<std::size_t>(player)] =
                static_cast<double>(players * stones_of(player) - total) / (total * (players - 1));
        return outcome;
    }

    // ---- setting up positions ----
    State blank_state(Phase phase) const {
        State state;
        state.phase = phase;
        state.words.resize(words_before_lines() + (phase == Phase::colouring ? planes() * map_->line_words() : 0));
        std::copy_n(map_->open().data(), map_->cell_words(), open(state));
        return state;
    }
    State first_state() const {
        State state = blank_state(Phase::colouring);
        for (int cell = 0; cell < num_cells(); ++cell) {
            const char symbol = map_->symbol(cell);
            if (symbol == 'x') set_code(state, cell, expansion_code());
            if (symbol >= '1' && symbol <= '8') set_code(state, cell, symbol - '0');
        }
        const auto players = static_cast<std::size_t>(num_players());
        std::fill_n(state.overrides.begin(), players, static_cast<std::uint16_t>(map_->overrides()));
        std::fill_n(state.bombs.begin(), players, static_cast<std::uint16_t>(map_->bombs()));
        state.last_mover = static_cast<std::uint8_t>(players - 1);
        find_next_mover(state, state.last_mover);
        return state;
    }

    // ---- reading positions ----
    static std::optional<int> small_number(std::string_view text) {
        if (text.empty() || text.size() > 5 || text.find_first_not_of("0123456789") != std::string_view::npos)
            return std::nullopt;
        int value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    }
    class Reader;

    reversixt::MapPtr map_;
    Rewards rewards_;
    int num_planes_;
    std::array<Encoding, 1> encodings_{};
    std::shared_ptr<const State> initial_;
};

// Reads what notation() wrote, and checks that such a position can arise on the map.
class ReversiXt::Reader {
public:
    Reader(const ReversiXt& game, std::string_view text) : game_(game), text_(text), fields_(split_fields(text, ' ')) {}

    State read() {
        if (fields_.size() != 7)
            fail(
                "has " + std::to_string(fields_.size()) +
                " fields; expected a list of moves such as 4,2 5,3 or the rows of the board joined by '/', the side to "
                "move, phase=, last=, overrides=, bombs= and out=");
        const int phase = one_number(2, "phase=", 1, 2);
        State state = game_.blank_state(static_cast<Phase>(phase));
        read_cells(state);
        const int players = game_.num_players();
        state.last_mover = static_cast<std::uint8_t>(one_number(3, "last=", 1, players) - 1);
        read_supplies(4, "overrides=", game_.map_->overrides(), state.overrides);
        read_supplies(5, "bombs=", game_.map_->bombs(), state.bombs);
        const std::string_view out = value(6, "out=");
        if (out != "-")
            for (const std::string_view player : split_fields(out, ','))
                state.disqualified |= static_cast<std::uint8_t>(1u << (number(player, "out=", 1, players) - 1));
        if (game_.num_remaining(state) == 0) fail("has no player left");
        if (fields_[1] == "-")
            end(state);
        else
            give_turn(state, number(fields_[1], "the side to move", 1, players) - 1);
        return state;
    }

private:
    [[noreturn]] void fail(const std::string& problem) const {
        throw NotationError("position " + quoted(text_) + " " + problem);
    }
    std::string_view value(std::size_t field, std::string_view name) const {
        if (!fields_[field].starts_with(name))
            fail("has " + quoted(fields_[field]) + " where " + std::string(name) + " is expected");
        return fields_[field].substr(name.size());
    }
    int number(std::string_view word, std::string_view what, int least, int most) const {
        const auto found = small_number(word);
        if (!found || *found < least || *found > most)
            fail("has " + quoted(word) + " for " + std::string(what) + "; expected a number from " +
                 std::to_string(least) + " to " + std::to_string(most));
        return *found;
    }
    int one_number(std::size_t field, std::string_view name, int least, int most) const {
        return number(value(field, name), name, least, most);
    }
    // Nobody has more than at first and a bonus for each cell that has one.
    void read_supplies(std::size_t field, std::string_view name, int at_first,
                       std::array<std::uint16_t, kMaxPlayers>& out) const {
        const auto words = split_fields(value(field, name), ',');
        if (static_cast<int>(words.size()) != game_.num_players())
            fail("has " + std::to_string(words.size()) + " numbers for " + std::string(name) +
                 "; expected one for each of " + std::to_string(game_.num_players()) + " players");
        for (std::size_t i = 0; i < words.size(); ++i)
            out[i] = static_cast<std::uint16_t>(number(words[i], name, 0, at_first + game_.map_->bonus_cells()));
    }

    void read_cells(State& state) const {
        const reversixt::Map& map = *game_.map_;
        const auto rows = split_fields(fields_[0], '/');
        if (static_cast<int>(rows.size()) != map.rows())
            fail("has " + std::to_string(rows.size()) + " rows; this map has " + std::to_string(map.rows()));
        for (int row = 0; row < map.rows(); ++row) {
            const std::string_view cells = rows[static_cast<std::size_t>(row)];
            if (static_cast<int>(cells.size()) != map.columns())
                fail("has " + std::to_string(cells.size()) + " cells in row " + std::to_string(row + 1) +
                     "; this map has " + std::to_string(map.columns()));
            for (int column = 0; column < map.columns(); ++column)
                if (!place(state, row * map.columns() + column, cells[static_cast<std::size_t>(column)]))
                    fail("has " + quoted(cells.substr(static_cast<std::size_t>(column), 1)) + " at " +
                         std::to_string(column) + "," + std::to_string(row) + ", which this map does not allow");
        }
    }
    // Whether the symbol can stand there: holes stay, stones may be anywhere else and never go but by a bomb.
    bool place(State& state, int cell, char symbol) const {
        const char original = game_.map_->symbol(cell);
        if (symbol == original && (symbol == '-' || symbol == '0' || symbol == 'b' || symbol == 'c' || symbol == 'i'))
            return true;
        if (original == '-') return false;
        if (symbol == '-') {
            if (state.phase == Phase::colouring) return false;
            game_.make_hole(state, cell);
            return true;
        }
        const bool stone = symbol >= '1' && symbol <= '0' + game_.num_players();
        if (!stone && (symbol != 'x' || original != 'x')) return false;
        game_.set_code(state, cell, stone ? symbol - '0' : game_.expansion_code());
        return true;
    }

    void end(State& state) const {
        bool may_bomb = state.phase == Phase::bombing && !game_.is_empty(game_.open(state));
        if (may_bomb) {
            int bombs = 0;
            for (int player = 0; player < game_.num_players(); ++player)
                if (!game_.eliminated(state, player)) bombs += state.bombs[static_cast<std::size_t>(player)];
            may_bomb = bombs > 0;
        }
        if (game_.num_remaining(state) > 1 && (state.phase == Phase::colouring || may_bomb))
            fail("has nobody to move, but the game is not over");
        game_.finish(state);
    }
    void give_turn(State& state, int player) const {
        const std::string shown = std::to_string(player + 1);
        if (game_.num_remaining(state) == 1) fail("has one player left: the game is over, and nobody is to move");
        if (game_.eliminated(state, player)) fail("gives the move to player " + shown + ", who is disqualified");
        state.to_move = static_cast<std::uint8_t>(player);
        if (state.phase == Phase::colouring) {
            game_.targets_of(state, player, game_.targets(state));
        } else if (state.bombs[static_cast<std::size_t>(player)] > 0) {
            std::copy_n(game_.open(state), game_.map_->cell_words(), game_.targets(state));
        }
        if (game_.is_empty(game_.targets(state))) fail("gives the move to player " + shown + ", who cannot move");
    }

    const ReversiXt& game_;
    std::string_view text_;
    std::vector<std::string_view> fields_;
};

inline ReversiXt::State ReversiXt::parse_state(std::string_view text) const { return Reader(*this, text).read(); }

static_assert(fulfils_contract<ReversiXt>());
static_assert(Eliminates<ReversiXt> && OrdersMoves<ReversiXt> && HandsTurn<ReversiXt>);

struct ReversiXtFamily {
    static constexpr std::string_view kName = "reversixt";
    static constexpr std::string_view kSummary =
        "Reversi for two to eight players on maps with transitions, special cells, override stones and bombs";
    static constexpr FileOption kFile{"map", "othello8x8", "name of a map of the package, or the path of a map file"};
    static constexpr std::array<std::string_view, 2> kRewards{"rank", "stones"};
    static constexpr std::array<OptionDeclaration, 1> kOptions{{
        {"rewards", 0, 0, 1, false, "what the end is worth: the rank, or the share of the stones", kRewards},
    }};
    template <class Use>
    static auto with(OptionValues values, const NamedFile& file, Use&& use) {
        auto map =
            std::make_shared<const reversixt::Map>(reversixt::MapReader(file.name, file.content).read(), file.name);
        return use(ReversiXt(std::move(map), static_cast<ReversiXt::Rewards>(values[0])));
    }
};

}  // namespace spielbaum

#include "games/reversixt/order.hpp"
