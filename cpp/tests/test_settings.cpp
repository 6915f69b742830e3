// Settings that are declared once: what several structs share must be the same in all of them, and is set in all of
// them.
#include "check.hpp"
#include "search/mcts/options.hpp"

using namespace spielbaum;

namespace {

template <int Default, int High>
struct Part {
    int depth = Default;
    static constexpr auto options() { return std::tuple(setting("depth", &Part::depth, {0, High}, "plies")); }
};
struct Wordy {
    int depth = 3;
    static constexpr auto options() {
        return std::tuple(setting("depth", &Wordy::depth, {0, 9}, "plies of another part"));
    }
};
struct Real {
    double depth = 3;
    static constexpr auto options() { return std::tuple(setting("depth", &Real::depth, {0, 9}, "plies")); }
};
struct Twice {
    int depth = 3, width = 3;
    static constexpr auto options() {
        return std::tuple(setting("depth", &Twice::depth, {0, 9}, "plies"),
                          setting("depth", &Twice::width, {0, 9}, "plies"));
    }
};
struct Twin {
    int depth = 3;
    static constexpr auto options() { return std::tuple(setting("depth", &Twin::depth, {0, 9}, "plies")); }
};

static_assert(settings_agree<Part<3, 9>, Twin>());
static_assert(!settings_agree<Part<4, 9>, Twin>(), "other defaults");
static_assert(!settings_agree<Part<3, 8>, Twin>(), "other limits");
static_assert(!settings_agree<Wordy, Twin>(), "other helps");
static_assert(!settings_agree<Real, Twin>(), "other types");
static_assert(!settings_agree<Twice>(), "one struct, one name, two fields");

template <class Use>
bool refused(Use&& use) {
    try {
        use();
    } catch (const OptionError&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    using Both = SettingsOf<Part<3, 9>, Twin, Part<3, 9>>;
    Both both;
    both.set("depth", 7);
    CHECK((both.of<Part<3, 9>>().depth == 7 && both.of<Twin>().depth == 7));
    CHECK(Both::list().size() == 1 && Both::list()[0].low == 0.0 && Both::list()[0].high == 9.0);
    CHECK(refused([&] { both.set("width", 7); }) && refused([&] { both.set("depth", true); }));

    MctsOptions options;
    options.set("c", 2);  // a whole number where others are allowed
    CHECK(options.of<ExplorationSettings>().c == 2.0 && options.of<RaveSettings>().c == 2.0 &&
          options.of<PuctSettings>().c == 2.0);
    options.set("beta", std::string("silver"));
    CHECK(options.beta == BetaRule::silver && refused([&] { options.set("beta", std::string("gold")); }));
    options.set("memory", 3);
    CHECK(options.memory.bytes == std::size_t{3} << 20);
    // What a person finds if he says nothing is what the structs hold.
    for (const SettingInfo& info : MctsOptions::list()) {
        MctsOptions same;
        same.set(info.name, info.initial);
        CHECK(!info.help.empty());
        if (!info.choices.empty())
            CHECK(std::find(info.choices.begin(), info.choices.end(), info.initial) != info.choices.end());
    }
    return testing::finish();
}
