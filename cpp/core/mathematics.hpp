// Functions that give the same result on every machine, which those of the C library do not promise.
#pragma once

#include <array>
#include <bit>

#include "core/bits.hpp"

namespace spielbaum {

namespace mathematics {

// ln m = 2 artanh((m - 1) / (m + 1)) as a series, for m near 1.
constexpr double log_by_series(double m) {
    const double t = (m - 1.0) / (m + 1.0), square = t * t;
    double sum = 0.0;
    for (int k = 31; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2.0 * t * sum;
}

// 1 / m and ln m for the middle m of each of 128 parts of [1, 2).
struct LogPart {
    double inverse, log;
};
inline constexpr std::array<LogPart, 128> kLogParts = [] {
    std::array<LogPart, 128> parts{};
    for (int i = 0; i < 128; ++i) {
        const double middle = 1.0 + (i + 0.5) / 128.0;
        parts[static_cast<std::size_t>(i)] = {1.0 / middle, log_by_series(middle)};
    }
    return parts;
}();

}  // namespace mathematics

// The natural logarithm of a positive normal number, to about 1e-15: x = 2^e * m, m = middle * (1 + r) with the middle
// of one of 128 parts, and ln(1 + r) as a series.
constexpr double natural_log(double x) {
    const u64 bits = std::bit_cast<u64>(x);
    const int exponent = static_cast<int>(bits >> 52) - 1023;
    const double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
    if (x > 0.99 && x < 1.01) return mathematics::log_by_series(x);  // the sum below would cancel
    const mathematics::LogPart& part = mathematics::kLogParts[bits >> 45 & 127];
    const double r = m * part.inverse - 1.0;
    const double tail =
        r * r * (-1.0 / 2 + r * (1.0 / 3 + r * (-1.0 / 4 + r * (1.0 / 5 + r * (-1.0 / 6 + r * (1.0 / 7))))));
    return exponent * 0.6931471805599453 + (part.log + (r + tail));
}

// e to the x, for x in [-700, 700]: e^x = 2^k * e^r with |r| <= ln(2) / 2, and a series.
constexpr double exponential(double x) {
    const double scaled = x * 1.4426950408889634;
    const int k = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    const double r = x - k * 0.6931471805599453;
    double sum = 1.0;
    for (int i = 14; i >= 1; --i) sum = 1.0 + sum * r / i;
    return sum * std::bit_cast<double>(static_cast<u64>(1023 + k) << 52);
}

// tanh x for any x, to about 1e-16; a series where the difference below would cancel.
constexpr double hyperbolic_tangent(double x) {
    const double size = x < 0 ? -x : x;
    if (size < 0.01) {
        const double square = x * x;
        return x * (1.0 + square * (-1.0 / 3 + square * (2.0 / 15 + square * (-17.0 / 315))));
    }
    const double result = size > 20.0 ? 1.0 : 1.0 - 2.0 / (exponential(2.0 * size) + 1.0);
    return x < 0 ? -result : result;
}

}  // namespace spielbaum
