// The whole test framework: CHECK(condition) counts failures and tells where; finish() is the program's exit code.
#pragma once

#include <cstdio>

namespace spielbaum::testing {

inline int checks = 0;
inline int failures = 0;

inline void check(bool holds, const char* condition, const char* file, int line) {
    ++checks;
    if (holds) return;
    if (++failures <= 20) std::printf("%s:%d: does not hold: %s\n", file, line, condition);
}

inline int finish() {
    std::printf("%d checks, %d failed\n", checks, failures);
    return failures == 0 && checks > 0 ? 0 : 1;
}

}  // namespace spielbaum::testing

#define CHECK(condition) ::spielbaum::testing::check((condition), #condition, __FILE__, __LINE__)

// Holds if the expression throws the exception.
#define CHECK_THROWS(expression, Exception)                                                         \
    do {                                                                                            \
        bool thrown = false;                                                                        \
        try {                                                                                       \
            static_cast<void>(expression);                                                          \
        } catch (const Exception&) {                                                                \
            thrown = true;                                                                          \
        }                                                                                           \
        ::spielbaum::testing::check(thrown, #expression " throws " #Exception, __FILE__, __LINE__); \
    } while (false)
