// The fast kernel of 8 x 8 against the generic one.
#include "check.hpp"
#include "core/rng.hpp"
#include "games/reversi_kernels.hpp"

using namespace spielbaum;

int main() {
    Rng rng(11);
    for (int i = 0; i < 20000; ++i) {
        const u64 stones = rng.next() | rng.next(), colors = rng.next();
        const u64 mover = stones & colors, other = stones & ~colors;
        CHECK(MirroredReversi::legal_cells(mover, other) == GenericReversi<8>::legal_cells(mover, other));
        for (u64 empty = ~stones; empty != 0;) {
            const int cell = pop_lowest(empty);
            CHECK(MirroredReversi::flips(mover, other, cell) == GenericReversi<8>::flips(mover, other, cell));
            // A cell is legal exactly if something turns.
            CHECK((GenericReversi<8>::flips(mover, other, cell) != 0) ==
                  contains(GenericReversi<8>::legal_cells(mover, other), cell));
        }
    }
    return testing::finish();
}
