// Settings of a search: structs that hold the values and their defaults and declare, beside each field, its name,
// limits, choices and help. Whoever reads or shows options derives all of that from here.
//
//     struct RaveSettings {
//         double c = 0.4, rave_k = 50.0;
//         static constexpr auto options() {
//             return std::tuple(exploration(&RaveSettings::c), setting("rave_k", &RaveSettings::rave_k, {1e-3, 1e9},
//             "..."));
//         }
//     };
//
// Several structs may declare an option of the same name: it is one option, which all of them hold, and
// `settings_agree` checks that they declare the same of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/errors.hpp"

namespace spielbaum {

using Names = std::span<const std::string_view>;

// Inclusive limits of a number.
struct Range {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    constexpr bool operator==(const Range&) const = default;
};

// A size in bytes, which people give in megabytes.
struct Megabytes {
    std::size_t bytes;

    constexpr Megabytes(int megabytes) : bytes(static_cast<std::size_t>(megabytes) << 20) {}
    constexpr int count() const { return static_cast<int>(bytes >> 20); }
};

// `T` is bool, int, double, std::string, Megabytes, or with `names` an int or an enum that counts from 0.
template <class Settings, class T>
struct Setting {
    std::string_view name;
    T Settings::* field;
    std::string_view help;
    Range range{};
    Names names{};
    bool listed = false;  // a whole number with so few values that people choose from a list
    std::string_view
        other{};  // an option without which this one has no effect: it must be one of `values`, or, if there are none,
    Names values{};  // not what it is by itself

    constexpr Setting only_with(std::string_view option, Names needed = {}) const {
        Setting same = *this;
        same.other = option;
        same.values = needed;
        return same;
    }
};

template <class Settings, class T>
constexpr Setting<Settings, T> setting(std::string_view name, T Settings::* field, std::string_view help) {
    return {name, field, help};
}
template <class Settings, class T>
constexpr Setting<Settings, T> setting(std::string_view name, T Settings::* field, Range range, std::string_view help) {
    return {name, field, help, range};
}
template <class Settings, class T>
constexpr Setting<Settings, T> choice(std::string_view name, T Settings::* field, Names names, std::string_view help) {
    return {name, field, help, {}, names};
}
template <class Settings>
constexpr Setting<Settings, int> choice(std::string_view name, int Settings::* field, Range range,
                                        std::string_view help) {
    return {name, field, help, range, {}, true};
}

// The value of an option of any type: that of a choice is its name, that of Megabytes a whole number.
using SettingValue = std::variant<bool, int, double, std::string>;

// A declaration for those who do not know the struct.
struct SettingInfo {
    std::string_view name;
    SettingValue initial;
    std::string_view help;
    std::optional<double> low, high;
    std::vector<SettingValue> choices;
    std::string_view other;
    std::vector<SettingValue> values;
};

namespace setting_detail {

template <class T>
SettingValue shown(const T& value, Names names) {
    if constexpr (std::is_same_v<T, Megabytes>)
        return value.count();
    else if constexpr (std::is_enum_v<T>)
        return std::string(names[static_cast<std::size_t>(value)]);
    else if constexpr (std::is_same_v<T, int>)
        return names.empty() ? SettingValue(value) : SettingValue(std::string(names[static_cast<std::size_t>(value)]));
    else
        return value;
}

inline OptionError wrong_type(std::string_view name) {
    return OptionError("option " + std::string(name) + ": a value of another type was expected");
}

inline std::size_t place_of(std::string_view option, std::string_view name, Names names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string expected;
    for (const std::string_view known : names) expected += (expected.empty() ? "" : ", ") + std::string(known);
    throw OptionError("option " + std::string(option) + "=" + std::string(name) + ": expected one of " + expected);
}

template <class Settings, class T>
void assign(Settings& settings, const Setting<Settings, T>& declared, const SettingValue& value) {
    T& field = settings.*declared.field;
    if (!declared.names.empty()) {
        if constexpr (std::is_enum_v<T> || std::is_same_v<T, int>) {
            if (!std::holds_alternative<std::string>(value)) throw wrong_type(declared.name);
            field = static_cast<T>(place_of(declared.name, std::get<std::string>(value), declared.names));
        }
    } else if constexpr (std::is_same_v<T, Megabytes>) {
        if (!std::holds_alternative<int>(value)) throw wrong_type(declared.name);
        field = std::get<int>(value);
    } else if constexpr (!std::is_enum_v<T>) {
        if constexpr (std::is_same_v<T, double>)
            if (std::holds_alternative<int>(value)) return void(field = std::get<int>(value));
        if (!std::holds_alternative<T>(value)) throw wrong_type(declared.name);
        field = std::get<T>(value);
    }
}

template <class Settings>
bool declares(std::string_view name) {
    return std::apply([&](const auto&... declared) { return ((declared.name == name) || ...); }, Settings::options());
}

template <class Settings, class Visit>
constexpr void each_option(Visit&& visit) {
    std::apply([&](const auto&... declared) { (visit(declared), ...); }, Settings::options());
}

}  // namespace setting_detail

namespace setting_detail {

// A type as a value, which can be compared at compile time.
template <class T>
inline constexpr char kType = 0;

// What declarations of one name must have in common. Without the types of field and struct, or the compiler would have
// to make a comparison for each pair of them, which took it ten seconds wherever options are included.
struct Declaration {
    const char *owner = nullptr, *type = nullptr;
    std::size_t place = 0;  // in its struct
    std::string_view name{}, help{};
    Range range{};
    Names names{};
    bool listed = false;
    std::optional<double> initial{};  // not of texts

    constexpr bool agrees(const Declaration& other) const {
        if (name != other.name) return true;
        if (owner == other.owner) return place == other.place;  // else one struct declares a name twice
        return type == other.type && help == other.help && range == other.range &&
               std::equal(names.begin(), names.end(), other.names.begin(), other.names.end()) &&
               listed == other.listed && initial && initial == other.initial;
    }
};

template <class Settings, class T>
constexpr Declaration declaration(const Setting<Settings, T>& declared, std::size_t place) {
    Declaration made{&kType<Settings>, &kType<T>,      place,          declared.name,
                     declared.help,    declared.range, declared.names, declared.listed};
    if constexpr (std::is_same_v<T, Megabytes>)
        made.initial = static_cast<double>((Settings{}.*declared.field).bytes);
    else if constexpr (!std::is_same_v<T, std::string>)
        made.initial = static_cast<double>(Settings{}.*declared.field);
    return made;
}

}  // namespace setting_detail

// Whether options that several structs declare have the same type, default, limits, choices and help in all of them.
template <class... Structs>
consteval bool settings_agree() {
    std::array<setting_detail::Declaration, (std::tuple_size_v<decltype(Structs::options())> + ... + 0)> all;
    auto end = all.begin();
    const auto add = [&]<class Settings>(std::type_identity<Settings>) {
        setting_detail::each_option<Settings>([&, place = std::size_t{0}](const auto& each) mutable {
            *end++ = setting_detail::declaration(each, place++);
        });
    };
    (add(std::type_identity<Structs>{}), ...);
    for (const auto& one : all)
        for (const auto& other : all)
            if (!one.agrees(other)) return false;
    return true;
}

namespace setting_detail {

// All of them as bases, each once.
template <class... Structs>
struct Bases : Structs... {};

template <class Found, class... Rest>
struct Distinct;
template <class... Found>
struct Distinct<Bases<Found...>> {
    using Type = Bases<Found...>;
};
template <class... Found, class First, class... Rest>
struct Distinct<Bases<Found...>, First, Rest...> {
    using Type = typename Distinct<
        std::conditional_t<(std::is_same_v<Found, First> || ...), Bases<Found...>, Bases<Found..., First>>,
        Rest...>::Type;
};

template <class... Structs, class Visit>
void each_struct(Bases<Structs...>& all, Visit&& visit) {
    (visit(static_cast<Structs&>(all)), ...);
}

}  // namespace setting_detail

// The settings of several parts together: a field that only one struct has is found by its name, others by
// `of<Struct>()`.
template <class... Structs>
struct SettingsOf : setting_detail::Distinct<setting_detail::Bases<>, Structs...>::Type {
    static_assert(settings_agree<Structs...>(),
                  "parts of a search declare different options by one name, or one option twice");

    template <class Settings>
    Settings& of() {
        return *this;
    }
    template <class Settings>
    const Settings& of() const {
        return *this;
    }

    // Sets an option by name in every struct that has it.
    void set(std::string_view name, const SettingValue& value) {
        bool known = false;
        setting_detail::each_struct(*this, [&]<class Settings>(Settings& settings) {
            setting_detail::each_option<Settings>([&](const auto& declared) {
                if (declared.name != name) return;
                setting_detail::assign(settings, declared, value);
                known = true;
            });
        });
        if (!known) throw OptionError("there is no option " + std::string(name));
    }

    // Every option once, in the order of the structs.
    static std::vector<SettingInfo> list() {
        std::vector<SettingInfo> infos;
        SettingsOf initial;
        setting_detail::each_struct(initial, [&]<class Settings>(const Settings& settings) {
            setting_detail::each_option<Settings>([&](const auto& declared) {
                if (std::any_of(infos.begin(), infos.end(),
                                [&](const SettingInfo& info) { return info.name == declared.name; }))
                    return;
                SettingInfo info{declared.name,
                                 setting_detail::shown(settings.*declared.field, declared.names),
                                 declared.help,
                                 {},
                                 {},
                                 {},
                                 declared.other,
                                 {}};
                for (const std::string_view each : declared.values) info.values.emplace_back(std::string(each));
                for (const std::string_view each : declared.names) info.choices.emplace_back(std::string(each));
                if (declared.listed) {
                    for (int i = static_cast<int>(declared.range.low); i <= static_cast<int>(declared.range.high); ++i)
                        info.choices.emplace_back(i);
                } else {
                    if (declared.range.low > Range{}.low) info.low = declared.range.low;
                    if (declared.range.high < Range{}.high) info.high = declared.range.high;
                }
                infos.push_back(std::move(info));
            });
        });
        return infos;
    }
};

}  // namespace spielbaum
