// The contract's laws for every game of the catalog: with its usual options, and with others drawn within their limits.
#include "games/catalog.hpp"
#include "initial_file.hpp"
#include "laws.hpp"

using namespace spielbaum;

namespace {

constexpr int kPositions = 4000;    // of each game with its usual options, at least
constexpr u64 kCombinations = 150;  // of options, at most

// Whether the game accepts the options; some combinations within the limits make no board.
template <class Family>
bool check_family(const std::vector<int>& options, int positions, u64 seed) {
    try {
        make_with<Family>(options, testing::initial_file<Family>(),
                          [&](auto game) { testing::check_laws(game, positions, seed); });
        return true;
    } catch (const OptionError&) {
        return false;
    }
}

template <class Family>
void check_catalog_line(Rng& rng) {
    std::vector<int> usual;
    u64 combinations = 1;
    for (const OptionDeclaration& option : Family::kOptions) {
        usual.push_back(option.initial);
        combinations = std::min(kCombinations, combinations * static_cast<u64>(option.high - option.low + 1));
    }
    CHECK(check_family<Family>(usual, kPositions, rng.next()));
    int accepted = 0;
    for (u64 i = 0; combinations > 1 && i < combinations; ++i) {
        std::vector<int> drawn;
        for (const OptionDeclaration& option : Family::kOptions) {
            // Half of the numbers are small ones: what is special about an option lies near its lower limit.
            const int range =
                rng.below(2) == 0 ? std::min(16, option.high - option.low + 1) : option.high - option.low + 1;
            drawn.push_back(option.low + rng.below(range));
        }
        if (check_family<Family>(drawn, 1, rng.next())) ++accepted;
    }
    CHECK(combinations == 1 || accepted > 0);
}

}  // namespace

int main() {
    Rng rng(3);
    for_each_family([&]<class Family>() { check_catalog_line<Family>(rng); });
    return testing::finish();
}
