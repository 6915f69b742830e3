// Counts of move sequences that are known from elsewhere (tests/data/ names the sources).
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "check.hpp"
#include "core/perft.hpp"
#include "games/board_text.hpp"
#include "games/catalog.hpp"
#include "initial_file.hpp"

using namespace spielbaum;

namespace {

constexpr u64 kMostNodes = 300'000;  // the deeper counts are checked from Python, which runs optimised code
constexpr int kMostLines = 40;       // of a file

int number(std::string_view text) {
    int value = 0;
    CHECK(std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{});
    return value;
}

// The values of the options that a spec such as "hex:size=4,swap=on" names.
template <class Family>
std::vector<int> options_of(std::string_view spec) {
    std::vector<int> values;
    for (const OptionDeclaration& option : Family::kOptions) values.push_back(option.initial);
    const std::size_t colon = spec.find(':');
    if (colon == std::string_view::npos) return values;
    for (const std::string_view part : split_fields(spec.substr(colon + 1), ',')) {
        const auto field = split_fields(part, '=');
        const auto option = std::find_if(Family::kOptions.begin(), Family::kOptions.end(),
                                         [&](const auto& each) { return each.name == field[0]; });
        CHECK(option != Family::kOptions.end());
        if (option == Family::kOptions.end()) continue;
        const auto named = std::find(option->names.begin(), option->names.end(), field[1]);
        int& value = values[static_cast<std::size_t>(option - Family::kOptions.begin())];
        if (option->on_off)
            value = field[1] == "on" ? 1 : 0;
        else
            value = named != option->names.end() ? static_cast<int>(named - option->names.begin()) : number(field[1]);
    }
    return values;
}

// "spec | position | depth:count ... | note"; answers how many counts were checked.
template <class Family>
int check_line(std::string_view line) {
    const auto fields = split_fields(line, '|');
    int checked = 0;
    make_with<Family>(options_of<Family>(trimmed(fields[0])), testing::initial_file<Family>(), [&](const auto& game) {
        const std::string_view position = trimmed(fields[1]);
        const auto state = position == "initial" ? game.initial() : game.parse_state(position);
        for (const std::string_view entry : split_fields(trimmed(fields[2]), ' ')) {
            const auto pair = split_fields(entry, ':');
            const u64 count = std::stoull(std::string(pair[1]));
            if (count > kMostNodes) break;
            CHECK(perft(game, state, number(pair[0]), [] {}) == count);
            ++checked;
        }
    });
    return checked;
}

// All files are named after their game: chess.perft, chess_tricky.perft.
template <class Family>
void check_family() {
    int checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SPIELBAUM_TEST_DATA "/perft")) {
        const std::string stem = entry.path().stem().string();
        if (stem != Family::kName && !stem.starts_with(std::string(Family::kName) + "_")) continue;
        std::ifstream file(entry.path());
        int lines = 0;
        for (std::string line; lines < kMostLines && std::getline(file, line);)
            if (!line.empty() && line[0] != '#') {
                checked += check_line<Family>(line);
                ++lines;
            }
    }
    CHECK(checked > 0);
}

}  // namespace

int main() {
    for_each_family([]<class Family>() { check_family<Family>(); });

    // The path is given up where poll() throws.
    struct Stop {};
    int polls = 0;
    const auto stop = [&] {
        if (++polls == 3) throw Stop{};
    };
    CHECK_THROWS(perft(ClassicConnect4{}, ClassicConnect4::initial(), 7, stop), Stop);
    return testing::finish();
}
