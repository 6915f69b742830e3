#include "check.hpp"
#include "core/bits.hpp"
#include "core/rng.hpp"

using namespace spielbaum;

namespace {

template <class Board>
void check_against_loops(Board bits) {
    int count = 0;
    for (int index = 0; index < kBoardBits<Board>; ++index) {
        if (!contains(bits, index)) continue;
        CHECK(select(bits, count) == index);
        if (count == 0) CHECK(lowest(bits) == index);
        ++count;
    }
    CHECK(popcount(bits) == count);
    CHECK(more_than_one(bits) == (count > 1));
    if (count > 0) CHECK(contains(bits, highest(bits)) && Board{bits >> highest(bits)} == 1);
    int popped = 0;
    for (Board rest = bits; rest != 0; ++popped) pop_lowest(rest);
    CHECK(popped == count);
}

void check_random_numbers() {
    Rng rng(7), same(7), other(8);
    std::array<int, 10> counts{};
    int equal = 0;
    for (int i = 0; i < 100000; ++i) {
        const int number = rng.below(10);
        CHECK(number >= 0 && number < 10);
        ++counts[static_cast<std::size_t>(number)];
        CHECK(number == same.below(10));
        equal += number == other.below(10) ? 1 : 0;
    }
    for (const int count : counts) CHECK(count > 9500 && count < 10500);  // five standard deviations
    CHECK(equal > 9500 && equal < 10500);
}

}  // namespace

int main() {
    Rng rng(1);
    check_against_loops(u64{0});
    check_against_loops(~u64{0});
    check_against_loops(~u128{0});
    for (int i = 0; i < 2000; ++i) {
        const u64 dense = rng.next(), sparse = rng.next() & rng.next() & rng.next();
        check_against_loops(dense);
        check_against_loops(sparse);
        check_against_loops(u128{dense} << 64 | sparse);
        check_against_loops(u128{sparse} << 64);
    }
    check_random_numbers();
    return testing::finish();
}
