// A grid of numbers that diffuse into their neighbours.
#pragma once

#include <cstddef>
#include <vector>

namespace grid {

class Grid {
 public:
  Grid(std::size_t rows, std::size_t columns);

  void set(std::size_t row, std::size_t column, double value) { cells_.at(row * columns_ + column) = value; }
  [[nodiscard]] double get(std::size_t row, std::size_t column) const { return cells_.at(row * columns_ + column); }

  /// Each cell moves towards the mean of its four neighbours, by a quarter of the distance; the rim stays.
  void diffuse();

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> cells_;
  std::vector<double> next_;
};

}  // namespace grid
