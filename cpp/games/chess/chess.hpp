// Chess with all its rules: castling (Chess960's too), en passant, promotion, mate, stalemate, and the draws at the
// third occurrence of a position, at a halfmove clock of 100 and with insufficient material. Mate goes before a draw.
//
// The bitboards are drawn in attacks.hpp, moves are in position.hpp, actions in actions.hpp, text in fen.hpp and
// san.hpp.
#pragma once

#include "core/game.hpp"
#include "core/option.hpp"
#include "games/chess/actions.hpp"
#include "games/chess/fen.hpp"
#include "games/chess/planes.hpp"
#include "games/chess/san.hpp"
#include "games/square_board.hpp"

namespace spielbaum {

class Chess {
public:
    using State = chess::Position;

    // ---- turns ----
    static constexpr int num_players() { return 2; }
    static State initial() {
        static const State start = chess::FenParser("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").parse();
        return start;
    }
    static int to_move(const State& state) { return state.turn; }
    static bool over(const State& state) { return state.status != chess::Status::ongoing || state.repeats >= 2; }
    static Outcome outcome(const State& state) {
        switch (state.status) {
            case chess::Status::checkmate:
                return Outcome::win(1 - state.turn, 2, "checkmate");
            case chess::Status::stalemate:
                return Outcome::draw(2, "stalemate");
            case chess::Status::insufficient_material:
                return Outcome::draw(2, "insufficient material");
            case chess::Status::fifty_moves:
                return Outcome::draw(2, "fifty moves");
            default:
                return Outcome::draw(2, "threefold repetition");
        }
    }

    // ---- moves ----
    static constexpr int max_moves() { return chess::kMaxMoves; }
    static int legal_moves(const State& state, Move* out) { return over(state) ? 0 : moves_despite_draws(state, out); }
    static int moves_despite_draws(const State& state, Move* out) {
        chess::MoveWriter writer(out);
        chess::generate_legal(state, writer);
        return writer.count();
    }
    static int count_despite_draws(const State& state) {
        chess::MoveCounter counter;
        chess::generate_legal(state, counter);
        return counter.count();
    }
    static Move random_move(const State& state, Rng& rng) { return chess::random_legal_move(state, rng); }
    static void play(State& state, Move move) { chess::play_move(state, move); }

    // ---- noise: captures and promotions, the most valuable victim first, then the least valuable attacker ----
    static int noise(const State& state, Move move) {
        constexpr std::array<int, 7> kValues{1, 3, 3, 5, 9, 10, 0};
        const int kind = chess::kind_of(move);
        if (kind == chess::kCastling) return 0;
        if (kind == chess::kEnPassant) return 16 * kValues[chess::kPawn] + 9;
        const int victim = contains(state.colors[1 - state.turn], chess::to_of(move))
                               ? kValues[static_cast<std::size_t>(state.piece_at(chess::to_of(move)))]
                               : 0;
        const bool to_queen = chess::is_promotion(move) && chess::promoted_piece(move) == chess::kQueen;
        if (victim == 0 && !to_queen) return 0;
        const int attacker = kind <= chess::kKing ? kValues[static_cast<std::size_t>(kind)] : kValues[chess::kPawn];
        return 16 * (victim + (to_queen ? 8 : 0)) + 10 - attacker;
    }
    static bool must_answer(const State& state) { return state.checkers != 0; }

    // ---- key and repetition ----
    static u64 key(const State& state) { return state.key; }
    static int reversible_plies(const State& state) { return state.halfmove_clock; }
    static constexpr int repeat_cycle() { return 2; }
    static constexpr int clock_limit() { return chess::kClockLimit; }
    static int repeats(const State& state) { return state.repeats; }
    static void set_repeats(State& state, int count) { state.repeats = static_cast<std::uint8_t>(count); }

    // ---- actions ----
    static constexpr bool kPlaneActions = true;
    static constexpr int num_actions() { return 64 * chess::kActionPlanes; }
    static int action(const State&, Move move) { return chess::action_of(move); }
    static std::optional<Move> move(const State& state, int action) {
        return find(state, [action](Move move) { return chess::action_of(move) == action; });
    }

    // ---- symmetries: castling and the pawns' direction leave none ----
    static constexpr int num_symmetries() { return 1; }
    static State transform(const State& state, int) { return state; }
    static constexpr int transform_action(int action, int) { return action; }

    // ---- planes and cells ----
    static std::span<const Encoding> encodings() { return chess::kEncodings; }
    static void write_planes(const State& state, const Path& path, int index, float* out) {
        index == 0 ? chess::write_own_planes(state, out) : chess::write_s4_planes(state, path, out);
    }
    static constexpr int num_cells() { return 64; }
    static int cell(const State& state, int square) {
        const int piece = state.piece_at(square);
        if (piece == chess::kNoPiece) return 0;
        return piece + (contains(state.colors[chess::kWhite], square) ? 1 : 7);
    }
    static MoveCells move_cells(const State&, Move move) { return {chess::from_of(move), chess::shown_target(move)}; }

    // ---- contents of cells for tables: the pieces ----
    static constexpr std::span<const int> contents() { return kContents; }
    static int content(const State& state, int square, int) { return cell(state, square); }
    static int changed_cells(const State& before, const State& after, int, CellChange* out) {
        u64 changed = (before.colors[0] ^ after.colors[0]) | (before.colors[1] ^ after.colors[1]);
        for (std::size_t piece = 0; piece < before.pieces.size(); ++piece)
            changed |= before.pieces[piece] ^ after.pieces[piece];
        int count = 0;
        while (changed != 0) {
            const int square = pop_lowest(changed);
            out[count++] = {static_cast<std::uint16_t>(square), static_cast<std::uint8_t>(cell(before, square)),
                            static_cast<std::uint8_t>(cell(after, square))};
        }
        return count;
    }
    static constexpr int transform_cell(int square, int) { return square; }
    static constexpr GridSize grid() { return {8, 8}; }
    static constexpr int cell_neighbours(int square, int* out) { return grid_neighbours(square, 8, 8, out); }

    // ---- text: UCI moves, algebraic notation for people, and FEN ----
    static std::string move_text(const State&, Move move) {
        std::string text = chess::square_name(chess::from_of(move)) + chess::square_name(chess::shown_target(move));
        if (chess::is_promotion(move))
            text += chess::kPieceLetters[static_cast<std::size_t>(chess::promoted_piece(move))];
        return text;
    }
    static std::string move_label(const State& state, Move move) { return chess::to_san(state, move); }
    // UCI moves as they are written, then algebraic notation, in which capitals are pieces, then UCI moves in capitals.
    static std::optional<Move> parse_move(const State& state, std::string_view text) {
        if (const auto move = parse_uci(state, text)) return move;
        if (const auto move = over(state) ? std::nullopt : chess::parse_san(state, text)) return move;
        std::string lower(text);
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return lower == text ? std::nullopt : parse_uci(state, lower);
    }
    static std::string notation(const State& state) { return chess::to_fen(state); }
    static State parse_state(std::string_view text) { return chess::FenParser(text).parse(); }

private:
    static constexpr std::array<int, 1> kContents{13};

    // Classic castling is also understood as king takes rook ("e1h1").
    static std::optional<Move> parse_uci(const State& state, std::string_view text) {
        if (text.size() != 4 && text.size() != 5) return std::nullopt;
        if (const auto shown = find(state, [&](Move move) { return move_text(state, move) == text; })) return shown;
        return find(state, [&](Move move) {
            return chess::kind_of(move) == chess::kCastling &&
                   chess::square_name(chess::from_of(move)) + chess::square_name(chess::to_of(move)) == text;
        });
    }

    template <class Predicate>
    static std::optional<Move> find(const State& state, Predicate&& predicate) {
        std::array<Move, chess::kMaxMoves> moves;
        const int count = legal_moves(state, moves.data());
        for (int i = 0; i < count; ++i)
            if (predicate(moves[static_cast<std::size_t>(i)])) return moves[static_cast<std::size_t>(i)];
        return std::nullopt;
    }
};

static_assert(fulfils_contract<Chess>());

struct ChessFamily {
    static constexpr std::string_view kName = "chess";
    static constexpr std::string_view kSummary = "all rules, positions of Chess960 included";
    static constexpr std::array<OptionDeclaration, 0> kOptions{};
    template <class Use>
    static auto with(OptionValues, Use&& use) {
        return use(Chess{});
    }
};

}  // namespace spielbaum
