/// Numbers and dates as reports show them.
#pragma once

#include <string>

#include "benchmark/counter.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

/// As printf does, of any length.
__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...);

/// "12.5k", "3.2Mi", "4.5u": six digits at most and a prefix, in powers of 1000 or 1024.
std::string with_prefix(double value, Counter::OneK base);

/// Now, here: "2026-01-31T12:00:00+01:00".
std::string local_time();

}  // namespace internal

TALLYMARK_FACADE_END
