// Tables that grow: they hold exactly what a table of their full size would hold, take little memory while they hold
// little, and can be used by several threads.
#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/rng.hpp"
#include "search/solver/connect4_table.hpp"
#include "search/solver/reversi_table.hpp"
#include "search/table.hpp"

using namespace spielbaum;

namespace {

// The rule of replacement written down for a table that has its full size from the start.
class FixedTable {
public:
    explicit FixedTable(std::size_t buckets) : buckets_(buckets) {}

    void start_search() { ++age_; }
    void clear() {
        for (auto& bucket : buckets_) bucket = {};
        age_ = 0;
    }
    std::optional<TableEntry> find(u64 key) const {
        for (const Slot& slot : buckets_[key % buckets_.size()])
            if (slot.used && slot.key == key) return slot.entry;
        return std::nullopt;
    }
    void store(u64 key, TableEntry fresh) {
        auto& bucket = buckets_[key % buckets_.size()];
        auto place =
            std::find_if(bucket.begin(), bucket.end(), [&](const Slot& slot) { return !slot.used || slot.key == key; });
        if (place == bucket.end())
            place = std::min_element(bucket.begin(), bucket.end(),
                                     [this](const Slot& a, const Slot& b) { return worth(a) < worth(b); });
        else if (place->used && !fresh.has_move && place->entry.has_move) {
            fresh.move = place->entry.move;
            fresh.has_move = true;
        }
        *place = {key, fresh, age_, true};
    }

private:
    struct Slot {
        u64 key = 0;
        TableEntry entry;
        std::uint8_t age = 0;
        bool used = false;
    };
    int worth(const Slot& slot) const { return slot.entry.depth - 8 * static_cast<std::uint8_t>(age_ - slot.age); }

    std::vector<std::array<Slot, 4>> buckets_;
    std::uint8_t age_ = 0;
};

bool equal(const std::optional<TableEntry>& a, const std::optional<TableEntry>& b) {
    if (a.has_value() != b.has_value()) return false;
    return !a || (a->value == b->value && a->move == b->move && a->depth == b->depth && a->bound == b->bound &&
                  a->has_move == b->has_move);
}

TableEntry random_entry(Rng& rng) {
    const bool has_move = rng.below(2) == 0;
    return {static_cast<std::int16_t>(rng.below(1000) - 500), static_cast<Move>(has_move ? rng.below(100) : 0),
            static_cast<std::uint8_t>(rng.below(20)), static_cast<Bound>(1 + rng.below(3)), has_move};
}

// From the first entry until long after it is full, a table that grows answers what one of full size answers.
void check_growing_drops_nothing(int clears) {
    constexpr std::size_t kBuckets = 2048;
    TranspositionTable table(kBuckets * 64);
    FixedTable fixed(kBuckets);
    Rng rng(static_cast<u64>(clears) + 1);
    for (int clear = 0; clear <= clears; ++clear) {
        std::vector<u64> keys;
        for (int i = 0; i < 20'000; ++i) {
            const bool known = !keys.empty() && rng.below(4) == 0;
            const u64 key =
                known ? keys[static_cast<std::size_t>(rng.below(static_cast<int>(keys.size())))] : rng.next();
            keys.push_back(key);
            const TableEntry entry = random_entry(rng);
            table.store(key, entry);
            fixed.store(key, entry);
            for (int look = 0; look < 3; ++look) {
                const u64 asked = keys[static_cast<std::size_t>(rng.below(static_cast<int>(keys.size())))];
                CHECK(equal(table.find(asked), fixed.find(asked)));
            }
            if (i % 3000 == 2999) {
                table.start_search();
                fixed.start_search();
            }
        }
        for (const u64 key : keys) CHECK(equal(table.find(key), fixed.find(key)));
        table.clear();
        fixed.clear();
        for (const u64 key : keys) CHECK(!table.find(key));
    }
}

// As many buckets as a few entries need, and not more than were allowed.
struct Counters {
    std::array<u64, 4> keys;  // 0: none
    void split(Counters& upper, u64 bit) {
        std::size_t kept = 0, moved = 0;
        for (const u64 key : std::array(keys))
            if (key != 0) ((key & bit) != 0 ? upper.keys[moved++] : keys[kept++]) = key;
        for (; kept < 4; ++kept) keys[kept] = 0;
        for (; moved < 4; ++moved) upper.keys[moved] = 0;
    }
};
void check_size() {
    GrowingBuckets<Counters> buckets(std::size_t{1} << 24);
    const auto store = [&](u64 key) {
        while (true) {
            auto& keys = buckets.of(key).keys;
            const auto place = std::find(keys.begin(), keys.end(), u64{0});
            if (place != keys.end()) {
                *place = key;
                return true;
            }
            if (!buckets.grow()) return false;
        }
    };
    Rng rng(3);
    for (int round = 0; round < 2; ++round) {
        std::vector<u64> keys;
        for (int i = 0; i < 10'000; ++i) {
            keys.push_back(rng.next() | 1);
            CHECK(store(keys.back()));
        }
        CHECK(buckets.size() <= std::size_t{1} << 17);
        for (const u64 key : keys) {
            const auto& found = buckets.of(key).keys;
            CHECK(std::find(found.begin(), found.end(), key) != found.end());
        }
        buckets.clear();
        CHECK(buckets.size() <= 1024);
    }
    // Keys that no doubling can tell apart.
    for (u64 i = 1; i <= 4; ++i) CHECK(store(i << 40));
    CHECK(!store(u64{5} << 40));
    CHECK(buckets.size() == std::size_t{1} << 24);
    CHECK(GrowingBuckets<Counters>(0).size() > 0);
}

void check_reversi_table() {
    ReversiTable table(std::size_t{1} << 26);
    Rng rng(7);
    std::vector<u64> keys;
    for (int i = 0; i < 20'000; ++i) keys.push_back(rng.next());
    table.new_search();
    for (const u64 key : keys) table.store(key, 10, static_cast<int>(key % 5), 20, static_cast<int>(key % 64));
    for (const u64 key : keys) table.store(key, 10, -64, 15, static_cast<int>(key % 64));  // both bounds are kept
    for (const u64 key : keys) {
        const ReversiBounds* const found = table.find(key, 10);
        CHECK(found != nullptr && found->lower == static_cast<int>(key % 5) && found->upper == 15);
        CHECK(table.find(key, 11) == nullptr);
    }
    table.clear();
    for (const u64 key : keys) CHECK(table.find(key, 10) == nullptr);
}

// A slot for the upper bits of each hash, as the table of Connect Four's solver has them at its full size.
void check_connect4_table() {
    constexpr int kBits = 17;  // a megabyte
    Connect4Table table(std::size_t{8} << kBits);
    struct Slot {
        u64 hash = 0;
        Connect4Table::Bound bound{};
        bool used = false;
    };
    std::vector<Slot> slots(std::size_t{1} << kBits);
    Rng rng(11);
    std::vector<u64> hashes;
    for (int i = 0; i < 300'000; ++i) {
        // Some of them differ in nothing but the lowest bits, and so have the same slot.
        const bool near = !hashes.empty() && rng.below(8) == 0;
        const u64 hash = near ? hashes[static_cast<std::size_t>(rng.below(static_cast<int>(hashes.size())))] ^
                                    static_cast<u64>(rng.below(4))
                              : rng.next();
        hashes.push_back(hash);
        const Connect4Table::Bound bound{rng.below(43) - 21, rng.below(2) == 0};
        table.store(hash, bound);
        slots[hash >> (64 - kBits)] = {hash, bound, true};
        for (int look = 0; look < 2; ++look) {
            const u64 asked = hashes[static_cast<std::size_t>(rng.below(static_cast<int>(hashes.size())))];
            const Slot& slot = slots[asked >> (64 - kBits)];
            const auto found = table.find(asked);
            CHECK(found.has_value() == (slot.used && slot.hash == asked));
            if (found) CHECK(found->value == slot.bound.value && found->is_lower == slot.bound.is_lower);
        }
    }
}

// Threads that store while others make the table grow: what is found is what was stored under that key, and nearly all
// of it is.
void check_threads() {
    TranspositionTable table(std::size_t{1} << 24);
    constexpr int kThreads = 4, kKeys = 20'000;
    const auto value_of = [](u64 key) { return static_cast<std::int16_t>(key % 1009); };
    std::array<int, kThreads> wrong{}, found{};
    {
        std::vector<std::jthread> threads;
        for (std::size_t thread = 0; thread < kThreads; ++thread)
            threads.emplace_back([&, thread] {
                Rng rng(thread);
                std::vector<u64> keys;
                for (int i = 0; i < kKeys; ++i) {
                    keys.push_back(rng.next());
                    table.store(keys.back(), {value_of(keys.back()), 0, 1, Bound::exact, false});
                }
                for (const u64 key : keys)
                    if (const auto entry = table.find(key)) {
                        ++found[thread];
                        if (entry->value != value_of(key)) ++wrong[thread];
                    }
            });
    }
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
        CHECK(wrong[thread] == 0);
        CHECK(found[thread] > kKeys * 9 / 10);
    }
}

}  // namespace

int main() {
    check_growing_drops_nothing(0);
    check_growing_drops_nothing(3);
    check_size();
    check_reversi_table();
    check_connect4_table();
    check_threads();
    return testing::finish();
}
