/// How a value grows with a number: least squares of O(1) … O(n³) to a series. Pure; knows no unit.
///
/// The model is `value = constant + coefficient · f(n)`, neither of them negative, and what is made least is the sum of
/// the squares of *relative* deviations. Google Benchmark fits `coefficient · f(n)` to absolute ones, which suits
/// times: their noise hides what a call costs before its loop begins. Counts have no noise, so what a model leaves is
/// the model's own fault. Without a constant 1000 + n looks like O(log n) over n = 4 … 1024; with absolute deviations
/// the largest n alone decides. Its two figures are given beside ours (docs/guides/table.md says more, with numbers).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace tally {

/// By growth, the slowest first.
enum class Order { constant, logarithmic, linear, linearithmic, quadratic, cubic };
inline constexpr std::array<Order, 6> kAllOrders = {Order::constant,     Order::logarithmic, Order::linear,
                                                    Order::linearithmic, Order::quadratic,   Order::cubic};

/// "O(1)", "O(log n)", "O(n)", "O(n log n)", "O(n²)", "O(n³)".
std::string_view to_string(Order order);

/// f(n): 1, log₂ n, n, n log₂ n, n², n³.
double growth(Order order, double n);

struct GrowthPoint {
  double n = 0;
  double value = 0;
  friend bool operator==(const GrowthPoint&, const GrowthPoint&) = default;
};

struct GrowthFit {
  Order order = Order::constant;
  double constant = 0;
  double coefficient = 0;  ///< Of f(n); 0 for O(1), which is its constant.
  double residual = 0;     ///< Root mean square of the relative deviations: 0.01 is 1 %.
  /// As Google Benchmark's user guide defines them: the one term's coefficient, and the root mean square of what it
  /// leaves, relative to the mean of the values.
  double big_o = 0;
  double rms = 0;
};

double value_at(const GrowthFit& fit, double n);

struct Complexity {
  std::array<GrowthFit, kAllOrders.size()> fits;  ///< Of each order, in their order.
  Order best = Order::constant;
  std::size_t points = 0;  ///< Fitted.

  [[nodiscard]] const GrowthFit& fit() const { return fits.at(static_cast<std::size_t>(best)); }
};

/// A line through two points proves nothing.
inline constexpr std::size_t kLeastGrowthPoints = 3;

/// Of the points with n of 1 or more (below, a logarithm is negative) and a value above 0; nothing when fewer than
/// kLeastGrowthPoints different n are left.
///
/// The best is the order with the least residual, the slower one of two equal ones. O(1) has a number less to adapt: it
/// gives way only to an order that explains more than half of how far the values are apart, both measured as ratios.
std::optional<Complexity> complexity_of(std::span<const GrowthPoint> points);

}  // namespace tally
