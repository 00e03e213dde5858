/// Amounts of memory as people write them.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace tally {

/// "512M", "2G", "2 GB", "1073741824" to bytes. K, M and G are 1024 times each other, whether a B or an iB follows. An
/// error (input) has `where` for its place.
Result<std::uint64_t> parse_bytes(const std::string& text, const std::string& where);

/// "219.5 MiB", "17 KiB", "0 bytes".
std::string bytes_text(std::uint64_t bytes);

}  // namespace tally
