/// What went wrong, stated once and in full, for a person to act on.
///
/// Owns: the error type that every layer returns. Never exits and never prints: only cli does.
#pragma once

#include <expected>
#include <string>

namespace tally {

/// Decides the exit code in cli: `input` is 2, `interrupted` is 130, everything else is 1 unless cli says otherwise.
enum class ErrorKind {
  input,        ///< The user's file, option or text is wrong; the user can fix it.
  missing,      ///< A tool or file that we need is not there.
  io,           ///< The operating system refused (disk full, permission, broken pipe).
  failed,       ///< What we were asked to run did not work.
  interrupted,  ///< The user ended it before there was anything to show.
  internal      ///< A broken promise of ours: a bug.
};

struct Error {
  ErrorKind kind = ErrorKind::failed;
  std::string message;  ///< One sentence, no full stop: "unknown key 'stpm'".
  std::string where;    ///< "file:line:column", a path or a case id; may be empty.
  std::string hint;     ///< What to do or write instead; may be empty.
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

/// "where: message; hint", without the parts that are empty.
std::string describe(const Error& error);

/// An io Error for the current value of errno: "cannot ACTION: strerror".
Error errno_error(std::string action, std::string where);

/// Shorthand for returning an error: `return fail(ErrorKind::input, "…", place, "…");`
inline std::unexpected<Error> fail(ErrorKind kind, std::string message, std::string where = {}, std::string hint = {}) {
  return std::unexpected(Error{kind, std::move(message), std::move(where), std::move(hint)});
}

}  // namespace tally
