/// A figure on both sides of a comparison.
#pragma once

namespace tally {

struct Shift {
  double before = 0;
  double after = 0;
  [[nodiscard]] double delta() const { return after - before; }
};

}  // namespace tally
