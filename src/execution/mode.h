/// The way in which a session executes its case: it counts, takes times, examines what the statement leaves, or looks
/// into the case for a probe. Each is a session in a child of its own.
#pragma once

#include <compare>
#include <string_view>

namespace tally {

struct Probe;

struct Mode {
  enum Kind { counts, wall, result, probing };

  constexpr Mode() = default;
  constexpr Mode(Kind plain) : kind(plain) {}
  constexpr explicit Mode(const Probe& by) : kind(probing), probe(&by) {}

  Kind kind = counts;
  const Probe* probe = nullptr;  ///< Null unless it is `probing`.

  auto operator<=>(const Mode&) const = default;
};

/// "counts", "wall", "result", or the probe's name.
std::string_view to_string(Mode mode);

bool is_under_valgrind(Mode mode);

}  // namespace tally
