#include "history/step_significance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "measurement/statistics.h"

namespace tally {
namespace {

// From how many values of the shorter stretch on the normal approximation does, for small p-values and for others.
constexpr std::size_t kNormalFrom = 20;
constexpr std::size_t kNearlyNormalFrom = 8;
constexpr std::size_t kWelchFrom = 5;  ///< Values on either side.
constexpr double kOfNoUse = 0.1;       ///< Greater p-values need no digits.

double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

/// The z with P(|Z| > z) = p, by Newton's method on the logarithm, which is nearly a parabola.
double normal_quantile_two_sided(double p) {
  double z = std::sqrt(std::max(0.0, -2 * std::log(p)));
  for (int i = 0; i < 8; ++i) {
    const double tail = std::erfc(z / std::numbers::sqrt2);
    const double density = std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2);
    if (tail <= 0 || density <= 0) break;
    z += (std::log(tail) - std::log(p)) * tail / density;
  }
  return std::max(z, 0.0);
}

double log_choose(std::size_t n, std::size_t k) {
  return std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(k) + 1) -
         std::lgamma(static_cast<double>(n - k) + 1);
}

/// The smallest two-sided p-value that ranks of `few` among `size` values can have.
double least_rank_p(std::size_t size, std::size_t few) { return std::min(1.0, 2 * std::exp(-log_choose(size, few))); }

/// P(U ≤ u) for `few` and `many` values without ties: of all arrangements, those with at most u inversions. Their
/// numbers are the coefficients of the Gaussian binomial, a product of (1 - q^(many + i)) / (1 - q^i).
double exact_tail(std::size_t u, std::size_t few, std::size_t many) {
  std::vector<double> arrangements(u + 1, 0.0);
  arrangements[0] = 1;
  for (std::size_t i = 1; i <= few; ++i) {
    for (std::size_t j = u; j >= many + i; --j) arrangements[j] -= arrangements[j - many - i];
    for (std::size_t j = i; j <= u; ++j) arrangements[j] += arrangements[j - i];
  }
  double sum = 0;
  for (const double number : arrangements) sum += number;
  return std::min(1.0, std::exp(std::log(sum) - log_choose(few + many, few)));
}

/// The regularized incomplete beta function I_x(a, b) for x < (a + 1) / (a + b + 2), by its continued fraction
/// (Abramowitz & Stegun 26.5.8), evaluated from the front (Lentz).
double incomplete_beta(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= 300; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= c * d;
    if (std::abs(c * d - 1) < 1e-14) break;
  }
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return front * fraction / a;
}

double student_two_sided(double t, double degrees_of_freedom) {
  const double x = degrees_of_freedom / (degrees_of_freedom + t * t);
  const double a = degrees_of_freedom / 2;
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x < (a + 1) / (a + 2.5) ? incomplete_beta(a, 0.5, x) : 1 - incomplete_beta(0.5, a, 1 - x);
}

/// Given that |Z| of one cut is beyond `b`, the probability that the next one's, with this correlation, is not. Beyond
/// `b` a normal variable falls off as exp(-b x), which makes the integral one of exponentials.
double falls_back(double correlation, double b) {
  const double rest = std::sqrt(1 - correlation * correlation);
  const double a = b * (1 - correlation) / rest;
  const double decay = b * rest / correlation;
  return normal_below(a) - std::exp(decay * decay / 2 - a * decay) * normal_below(a - decay);
}

/// A p-value of so many runs as if they were fewer by (1 - r) / (1 + r).
double with_persistence(double p, double r) {
  if (r <= 0 || p >= 1) return p;
  const double z = normal_quantile_two_sided(std::max(p, 1e-300));
  return std::erfc(z * std::sqrt((1 - r) / (1 + r)) / std::numbers::sqrt2);
}

bool are_apart(std::span<const double> before, std::span<const double> after) {
  const auto [low, high] = std::ranges::minmax(before);
  const auto [other_low, other_high] = std::ranges::minmax(after);
  return high < other_low || other_high < low;
}

}  // namespace

double inversions(std::span<const std::int32_t> ranks, std::size_t at) {
  std::int64_t doubled = 0;
  for (const std::int32_t rank : ranks.first(at)) doubled += rank;
  const auto before = static_cast<double>(at);
  return static_cast<double>(doubled) / 2 - before * (before - 1) / 2;
}

double mann_whitney_p(double inversions, std::size_t before, std::size_t after) {
  const std::size_t few = std::min(before, after);
  const std::size_t many = std::max(before, after);
  if (few == 0) return 1;
  const double pairs = static_cast<double>(few) * static_cast<double>(many);
  const double u = std::min(inversions, pairs - inversions);
  const double deviation = std::sqrt(pairs * static_cast<double>(few + many + 1) / 12);
  const double p = std::min(1.0, 2 * normal_below((u + 0.5 - pairs / 2) / deviation));
  if (p > kOfNoUse || few >= kNormalFrom || (few >= kNearlyNormalFrom && p > 0.01)) return p;
  return std::min(1.0, 2 * exact_tail(static_cast<std::size_t>(std::ceil(u)), few, many));
}

double welch_p(std::span<const double> before, std::span<const double> after) {
  if (before.size() < 2 || after.size() < 2) return 1;
  const auto m = static_cast<double>(before.size());
  const auto n = static_cast<double>(after.size());
  const double left = std::pow(standard_deviation(before), 2) / m;
  const double right = std::pow(standard_deviation(after), 2) / n;
  const double difference = mean(after) - mean(before);
  if (left + right <= 0) return 1;
  const double freedom = (left + right) * (left + right) / (left * left / (m - 1) + right * right / (n - 1));
  return student_two_sided(std::abs(difference) / std::sqrt(left + right), freedom);
}

double searched(double p, std::size_t size, std::size_t least) {
  std::size_t first = std::max<std::size_t>(least, 1);
  while (first * 2 <= size && least_rank_p(size, first) > p) ++first;
  if (p <= 0 || first * 2 > size) return p;
  if (p > kOfNoUse) return 1;
  const double b = normal_quantile_two_sided(p);
  double chances = 1;
  const auto n = static_cast<double>(size);
  // From the cut before `at` to the one behind it. The series read backwards has the same correlations.
  for (std::size_t at = first; 2 * at < size; ++at) {
    if (p * chances > kOfNoUse) return 1;
    const auto k = static_cast<double>(at);
    const bool is_middle = 2 * at + 1 == size;
    chances += (is_middle ? 1 : 2) * falls_back(std::sqrt(k * (n - k - 1) / ((k + 1) * (n - k))), b);
  }
  return std::min(1.0, p * chances);
}

double noise_persistence(std::span<const std::int32_t> ranks, std::size_t at) {
  double products = 0;
  double squares = 0;
  for (const auto part : {ranks.first(at), ranks.subspan(at)}) {
    const double middle = static_cast<double>(std::accumulate(part.begin(), part.end(), std::int64_t{0})) /
                          static_cast<double>(part.size());
    double last = 0;
    for (const std::int32_t rank : part) {
      const double one = rank - middle;
      products += last * one;
      squares += one * one;
      last = one;
    }
  }
  if (squares <= 0) return 0;
  return std::max(0.0, products / squares - 1 / std::sqrt(static_cast<double>(ranks.size())));
}

double step_p_value(std::span<const double> values, std::span<const std::int32_t> ranks, std::size_t at,
                    std::size_t least, double persistence) {
  const double alone = mann_whitney_p(inversions(ranks, at), at, values.size() - at);
  if (alone > kOfNoUse) return 1;
  const double p = searched(with_persistence(alone, persistence), values.size(), least);
  const std::span before = values.first(at);
  const std::span after = values.subspan(at);
  if (std::min(before.size(), after.size()) < kWelchFrom || !are_apart(before, after)) return p;
  // A small variance by chance is another one at the next cut, so here every cut is a chance of its own.
  const auto cuts = static_cast<double>(values.size() - 2 * kWelchFrom + 1);
  return std::min(p, with_persistence(welch_p(before, after), persistence) * cuts);
}

}  // namespace tally
