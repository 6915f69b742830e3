// Which cells are legal and which stones turn: the two questions on which the speed of Reversi depends.
//
// GenericReversi answers them for any size; MirroredReversi for 8 x 8 in about half the time. reversi.hpp explains
// the bits.
#pragma once

#include <array>
#include <type_traits>

#include "core/bits.hpp"

namespace spielbaum {

template <int Size>
struct ReversiBoard {
    using Board = std::conditional_t<Size * Size <= 64, u64, u128>;
    static constexpr int kCells = Size * Size;
    static constexpr Board kAll =
        kBoardBits<Board> == kCells ? ~Board{0} : (Board{1} << (kCells % kBoardBits<Board>)) - 1;
    // Without the outer columns: stones there cannot lie between two others of a row or diagonal.
    static constexpr Board kInner = [] {
        Board inner = kAll;
        for (int row = 0; row < Size; ++row) inner &= ~(bit<Board>(row * Size) | bit<Board>(row * Size + Size - 1));
        return inner;
    }();

    struct Axis {
        int rows, columns;  // one step towards higher bits
        constexpr int step() const { return rows * Size + columns; }
        constexpr Board through() const { return columns == 0 ? kAll : kInner; }  // what a line may pass over
    };
    static constexpr std::array<Axis, 4> kAxes{{{0, 1}, {1, 0}, {1, -1}, {1, 1}}};

    // For each cell the rest of its lines, by axis, towards higher bits and towards lower bits.
    struct Rays {
        std::array<Board, 4> up{}, down{};
    };
    static constexpr std::array<Rays, static_cast<std::size_t>(kCells)> kRays = [] {
        std::array<Rays, static_cast<std::size_t>(kCells)> rays{};
        for (int cell = 0; cell < kCells; ++cell)
            for (std::size_t axis = 0; axis < 4; ++axis)
                for (const int sign : {1, -1}) {
                    Rays& of_cell = rays[static_cast<std::size_t>(cell)];
                    Board& ray = (sign > 0 ? of_cell.up : of_cell.down)[axis];
                    int row = cell / Size, column = cell % Size;
                    while (true) {
                        row += sign * kAxes[axis].rows;
                        column += sign * kAxes[axis].columns;
                        if (row < 0 || row >= Size || column < 0 || column >= Size) break;
                        ray |= bit<Board>(row * Size + column);
                    }
                }
        return rays;
    }();

    // Stones of `other` that turn along a ray towards higher bits. Adding 1 at its start carries through the
    // opponent's stones to the first cell that is none; if that is the mover's, all before it turn.
    static constexpr Board flips_up(Board mover, Board other, Board ray) {
        const Board end = ((other | ~ray) + 1) & ray & mover;
        return (end - (end != 0 ? 1 : 0)) & ray;
    }

    // Towards lower bits the first cell that is not the opponent's is the highest such of the ray. The added bit 0
    // stands for "none": it lies in the ray only as an opponent's stone, so that it is never taken for the mover's.
    static constexpr Board flips_down(Board mover, Board other, Board ray) {
        const Board end = bit<Board>(highest(Board{(ray & ~other) | 1})) & mover & ray;
        return ray & (Board{0} - end * 2);
    }
};

template <int Size>
struct GenericReversi : ReversiBoard<Size> {
    using Base = ReversiBoard<Size>;
    using typename Base::Board;

    // Along each axis both ways: the unbroken runs of the opponent's stones next to the mover's, at most Size - 2 long,
    // by one step, a second one, then two at a time; what lies behind a run is a move if it is empty.
    static constexpr Board legal_cells(Board mover, Board other) {
        Board cells = 0;
        for (const auto& axis : Base::kAxes) {
            const int step = axis.step();
            const Board through = other & axis.through();
            Board up = through & (mover << step), down = through & (mover >> step);
            up |= through & (up << step);
            down |= through & (down >> step);
            const Board pairs_up = through & (through << step), pairs_down = pairs_up >> step;
            for (int length = 2; length < Size - 2; length += 2) {
                up |= pairs_up & (up << (2 * step));
                down |= pairs_down & (down >> (2 * step));
            }
            cells |= (up << step) | (down >> step);
        }
        return cells & ~(mover | other) & Base::kAll;
    }

    // The stones that turn when the mover plays on `cell`.
    static constexpr Board flips(Board mover, Board other, int cell) {
        const auto& rays = Base::kRays[static_cast<std::size_t>(cell)];
        Board turned = 0;
        for (std::size_t axis = 0; axis < 4; ++axis)
            turned |= Base::flips_up(mover, other, rays.up[axis]) | Base::flips_down(mover, other, rays.down[axis]);
        return turned;
    }
};

// Swapping the bytes of a word turns the 8 x 8 board upside down, and downward lines into upward ones. A pair of words,
// the board and its mirror image, thus follows two directions at once with two-word vector instructions, which every
// x86-64 processor has (other processors have their like, and compilers translate).
struct MirroredReversi : ReversiBoard<8> {
    using Pair = u64 __attribute__((vector_size(16)));

    static u64 upside_down(u64 board) { return __builtin_bswap64(board); }
    static Pair mirrored(u64 board) { return Pair{board, upside_down(board)}; }
    static u64 merged(Pair boards) { return boards[0] | upside_down(boards[1]); }

    static u64 legal_cells(u64 mover, u64 other) {
        const u64 inner = other & kInner;
        const Pair movers = mirrored(mover), others = mirrored(other), inners = mirrored(inner);
        const u64 columns_and_diagonals =
            merged(behind<8>(movers, others) | behind<7>(movers, inners) | behind<9>(movers, inners));
        // To the right, adding the first stone of each run carries to the cell behind the run.
        const u64 right = (inner + (inner & (mover << 1))) & ~inner;
        u64 left = inner & (mover >> 1);
        left |= inner & (left >> 1);
        const u64 pairs = inner & (inner >> 1);
        left |= pairs & (left >> 2);
        left |= pairs & (left >> 2);
        return (columns_and_diagonals | right | (left >> 1)) & ~(mover | other);
    }

    static u64 flips(u64 mover, u64 other, int cell) {
        const auto& rays = kRays[static_cast<std::size_t>(cell)];
        const auto& mirror_rays = kRays[static_cast<std::size_t>(cell ^ 56)];
        const Pair movers = mirrored(mover), others = mirrored(other);
        Pair turned{0, 0};
        for (std::size_t axis = 1; axis < 4; ++axis) {
            const Pair ray{rays.up[axis], mirror_rays.up[axis]};
            const Pair end = ((others | ~ray) + 1) & ray & movers;
            turned |= (end - ((0 - end) >> 63)) & ray;  // -end has its top bit set exactly if end is not 0
        }
        return merged(turned) | flips_up(mover, other, rays.up[0]) | flips_down(mover, other, rays.down[0]);
    }

private:
    // The cells behind runs of at most six `through` stones that start next to a mover's stone.
    template <int Step>
    static Pair behind(Pair movers, Pair through) {
        Pair run = through & (movers << Step);
        run |= through & (run << Step);
        const Pair pairs = through & (through << Step);
        run |= pairs & (run << (2 * Step));
        run |= pairs & (run << (2 * Step));
        return run << Step;
    }
};

template <int Size>
using ReversiKernel = std::conditional_t<Size == 8, MirroredReversi, GenericReversi<Size>>;

}  // namespace spielbaum
