// The contract's laws for every game of the catalog, with many options.
#include "games/catalog.hpp"
#include "laws.hpp"

using namespace spielbaum;

namespace {

template <class Family>
void check_family(std::initializer_list<int> values, int games, u64 seed) {
    const std::vector<int> options(values);
    Family::with(options, [&](auto game) { testing::check_laws(game, games, seed); });
}

}  // namespace

int main() {
    Rng rng(3);
    check_family<TicTacToeFamily>({}, 300, 1);
    check_family<ReversiFamily>({4}, 50, 2);
    check_family<ReversiFamily>({6}, 20, 3);
    check_family<ReversiFamily>({8}, 10, 4);
    check_family<ReversiFamily>({10}, 5, 5);
    check_family<YavalathFamily>({2, 0}, 30, 6);
    check_family<YavalathFamily>({2, 1}, 30, 7);
    check_family<YavalathFamily>({3, 0}, 20, 8);
    check_family<ChessFamily>({}, 6, 9);
    check_family<Connect4Family>({6, 7, 4}, 50, 10);
    for (int i = 0; i < 200; ++i) {
        const int rows = 2 + rng.below(15), columns = 2 + rng.below(15), inarow = 2 + rng.below(20);
        if ((rows + 1) * columns <= 128)
            check_family<Connect4Family>({rows, columns, inarow}, 2, rng.next());
        else
            CHECK_THROWS(check_family<Connect4Family>({rows, columns, inarow}, 2, 0), OptionError);
    }
    CHECK_THROWS(check_family<Connect4Family>({6, 7, 1}, 1, 0), OptionError);
    CHECK_THROWS(check_family<ReversiFamily>({5}, 1, 0), OptionError);
    CHECK_THROWS(check_family<YavalathFamily>({3, 1}, 1, 0), OptionError);
    return testing::finish();
}
