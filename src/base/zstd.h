/// Text that zstd has compressed (RFC 8878), by the library of its authors.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tally {

/// By its first bytes.
bool is_zstd(std::string_view bytes);

/// One frame or several, one after the other. An error (input) names `where`: it is damaged, it ends early, or it is of
/// more than `most` bytes.
Result<std::string> from_zstd(std::string_view bytes, const std::string& where, std::size_t most);

}  // namespace tally
