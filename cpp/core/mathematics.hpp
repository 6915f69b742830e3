// Functions that give the same result on every machine, which those of the C library do not promise.
#pragma once

#include <array>
#include <bit>

#include "core/bits.hpp"

namespace spielbaum {

// The natural logarithm of a positive normal number, to about 1e-15: x = 2^e * m with m in [sqrt(1/2), sqrt(2)), and
// ln m = 2 artanh((m - 1) / (m + 1)) as a series.
constexpr double natural_log(double x) {
    const u64 bits = std::bit_cast<u64>(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++exponent;
    }
    const double t = (m - 1.0) / (m + 1.0), square = t * t;
    double sum = 0.0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return exponent * 0.6931471805599453 + 2.0 * t * sum;
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

}  // namespace spielbaum
