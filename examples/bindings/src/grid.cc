#include "grid/grid.h"

namespace grid {

Grid::Grid(std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), cells_(rows * columns), next_(rows * columns) {}

void Grid::diffuse() {
  next_ = cells_;
  for (std::size_t row = 1; row + 1 < rows_; ++row) {
    for (std::size_t column = 1; column + 1 < columns_; ++column) {
      const std::size_t at = row * columns_ + column;
      const double mean = (cells_[at - 1] + cells_[at + 1] + cells_[at - columns_] + cells_[at + columns_]) / 4;
      next_[at] += (mean - cells_[at]) / 4;
    }
  }
  cells_.swap(next_);
}

}  // namespace grid
