#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace tally {

std::string describe(const Error& error) {
  std::string text;
  if (!error.where.empty()) text += error.where + ": ";
  text += error.message;
  if (!error.hint.empty()) text += "; " + error.hint;
  return text;
}

Error errno_error(std::string action, std::string where) {
  const auto reason = std::error_code(errno, std::generic_category()).message();
  return Error{ErrorKind::io, "cannot " + std::move(action) + ": " + reason, std::move(where), {}};
}

}  // namespace tally
