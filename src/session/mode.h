/// The way in which a session executes its case: it counts, takes times, receives the figure that the case reports,
/// examines what the statement leaves, or looks into the case for a probe. Each is a session in a child of its own.
#pragma once

#include <compare>
#include <string_view>

namespace tally {

struct Probe;

struct Mode {
  enum Kind { counts, wall, figure, result, probing };

  constexpr Mode() = default;
  constexpr Mode(Kind plain) : kind(plain) {}
  constexpr explicit Mode(const Probe& by) : kind(probing), probe(&by) {}

  Kind kind = counts;
  const Probe* probe = nullptr;  ///< Null unless it is `probing`.

  auto operator<=>(const Mode&) const = default;
};

/// "counts", "wall", "figure", "result", or the probe's name.
std::string_view to_string(Mode mode);

bool is_under_valgrind(Mode mode);

/// Nothing else may run on its CPUs: it takes times, or reports what may be one.
bool is_alone(Mode mode);

}  // namespace tally
