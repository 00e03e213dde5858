/// Text that zstd has compressed (RFC 8878), by the library of its authors.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tally {

/// By its first bytes.
bool is_zstd(std::string_view bytes);

/// One frame or several, one after the other. An error (input) names `where`: it is damaged, it ends early, or it is of
/// more than `most` bytes.
Result<std::string> from_zstd(std::string_view bytes, const std::string& where, std::size_t most);

/// The next bytes of something, of any length; empty at its end.
using NextBytes = std::function<Result<std::string_view>()>;
using TakeBytes = std::function<Status(std::string_view)>;

/// The same for what is too long to be held. An error of `next` or `take` ends it.
Status to_zstd(const NextBytes& next, const TakeBytes& take);
Status from_zstd(const NextBytes& next, const TakeBytes& take, const std::string& where);

}  // namespace tally
