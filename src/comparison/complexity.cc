#include "comparison/complexity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

namespace tally {
namespace {

/// Residuals below this are rounding.
constexpr double kRounding = 1e-9;

struct Terms {
  double constant = 0;
  double coefficient = 0;
};

/// The factor of one column that comes nearest to 1 everywhere.
double one_term(std::span<const double> column) {
  double sum = 0;
  double squares = 0;
  for (const double x : column) {
    sum += x;
    squares += x * x;
  }
  return squares > 0 ? sum / squares : 0;
}

/// Both factors, by orthogonalization: the normal equations would lose half of the digits to n³.
Terms two_terms(std::span<const double> first, std::span<const double> second) {
  double norm = 0;
  double along = 0;
  double target = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    norm += first[i] * first[i];
    along += first[i] * second[i];
    target += first[i];
  }
  double rest_norm = 0;
  double rest_target = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double rest = second[i] - along / norm * first[i];
    rest_norm += rest * rest;
    rest_target += rest * (1 - target / norm * first[i]);
  }
  const double coefficient = rest_norm > 0 ? rest_target / rest_norm : 0;
  return {.constant = (target - coefficient * along) / norm, .coefficient = coefficient};
}

/// Neither may be negative: a cost is none before it begins, and one that falls grows like O(1) at the most.
Terms terms_of(Order order, std::span<const double> first, std::span<const double> second) {
  if (order == Order::constant) return {.constant = one_term(first)};
  const Terms both = two_terms(first, second);
  if (both.coefficient <= 0) return {.constant = one_term(first)};
  if (both.constant < 0) return {.coefficient = one_term(second)};
  return both;
}

/// What Google Benchmark prints as BigO and RMS.
void add_one_term_figures(GrowthFit& fit, std::span<const GrowthPoint> points) {
  double products = 0;
  double squares = 0;
  double sum = 0;
  for (const auto& [n, value] : points) {
    const double f = growth(fit.order, n);
    products += f * value;
    squares += f * f;
    sum += value;
  }
  fit.big_o = squares > 0 ? products / squares : 0;
  double left = 0;
  for (const auto& [n, value] : points) {
    const double off = value - fit.big_o * growth(fit.order, n);
    left += off * off;
  }
  const auto count = static_cast<double>(points.size());
  fit.rms = std::sqrt(left / count) / (sum / count);
}

GrowthFit fit_of(Order order, std::span<const GrowthPoint> points) {
  // Divided by its value, every point weighs the same; by the largest f, both columns are of one size.
  double largest = 0;
  for (const GrowthPoint& point : points) largest = std::max(largest, growth(order, point.n));
  if (largest <= 0) largest = 1;
  std::vector<double> first;
  std::vector<double> second;
  for (const auto& [n, value] : points) {
    first.push_back(1 / value);
    second.push_back(growth(order, n) / largest / value);
  }
  const Terms terms = terms_of(order, first, second);
  double left = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double off = 1 - terms.constant * first[i] - terms.coefficient * second[i];
    left += off * off;
  }
  GrowthFit fit{.order = order,
                .constant = terms.constant,
                .coefficient = terms.coefficient / largest,
                .residual = std::sqrt(left / static_cast<double>(points.size()))};
  if (fit.residual < kRounding) fit.residual = 0;
  add_one_term_figures(fit, points);
  return fit;
}

/// How far the values are from `of`, as the standard deviation of the logarithms of their ratios to it. A relative
/// deviation is at most 1 where the model is too small; this one separates 11 ns from 122 µs.
double ratio_spread(std::span<const GrowthPoint> points, const GrowthFit& of) {
  double sum = 0;
  double squares = 0;
  for (const auto& [n, value] : points) {
    const double ratio = std::log(value / value_at(of, n));
    sum += ratio;
    squares += ratio * ratio;
  }
  const auto count = static_cast<double>(points.size());
  return std::sqrt(std::max(0.0, squares / count - sum * sum / count / count));
}

Order best_of(std::span<const GrowthFit> fits, std::span<const GrowthPoint> points) {
  const GrowthFit& flat = fits.front();
  const auto best = std::ranges::min_element(fits.subspan(1), {}, &GrowthFit::residual);
  if (best->residual >= flat.residual) return Order::constant;
  return ratio_spread(points, *best) < ratio_spread(points, flat) / 2 ? best->order : Order::constant;
}

}  // namespace

std::string_view to_string(Order order) {
  constexpr std::array<std::string_view, kAllOrders.size()> names = {"O(1)",       "O(log n)", "O(n)",
                                                                     "O(n log n)", "O(n²)",    "O(n³)"};
  return names.at(static_cast<std::size_t>(order));
}

double growth(Order order, double n) {
  switch (order) {
    case Order::constant:
      return 1;
    case Order::logarithmic:
      return std::log2(n);
    case Order::linear:
      return n;
    case Order::linearithmic:
      return n * std::log2(n);
    case Order::quadratic:
      return n * n;
    case Order::cubic:
      return n * n * n;
  }
  return 1;
}

double value_at(const GrowthFit& fit, double n) { return fit.constant + fit.coefficient * growth(fit.order, n); }

std::optional<Complexity> complexity_of(std::span<const GrowthPoint> points) {
  std::vector<GrowthPoint> usable;
  std::set<double> different;
  for (const GrowthPoint& point : points) {
    if (!(point.n >= 1 && point.value > 0) || !std::isfinite(point.n) || !std::isfinite(point.value)) continue;
    usable.push_back(point);
    different.insert(point.n);
  }
  if (different.size() < kLeastGrowthPoints) return std::nullopt;
  Complexity result;
  result.points = usable.size();
  for (std::size_t i = 0; i < kAllOrders.size(); ++i) result.fits.at(i) = fit_of(kAllOrders.at(i), usable);
  result.best = best_of(result.fits, usable);
  return result;
}

}  // namespace tally
