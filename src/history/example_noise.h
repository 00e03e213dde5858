/// Series of noise, the same every time. For tests and bench/change_points.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

namespace tally {

/// Not of the standard library's distributions, which every implementation draws otherwise.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  /// Mean 0, deviation 1 (Box & Muller).
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

  bool with_chance(double chance) { return uniform() < chance; }

 private:
  std::mt19937_64 engine_;
};

/// A kind of noise: draws a value about 1.
using NoiseKind = std::function<double(Noise&)>;

inline double normal_noise(Noise& noise) { return 1 + 0.01 * noise.normal(); }
inline double lognormal_noise(Noise& noise) { return std::exp(0.1 * noise.normal()); }
/// Two layouts 10 % apart, equally frequent.
inline double bimodal_noise(Noise& noise) { return 1 + 0.004 * noise.normal() + (noise.with_chance(0.5) ? 0.1 : 0); }
/// One run in twenty is 5 to 50 % slower.
inline double spiky_noise(Noise& noise) {
  return 1 + 0.005 * noise.normal() + (noise.with_chance(0.05) ? 0.05 + 0.45 * noise.uniform() : 0);
}
/// A clock that distinguishes ten steps.
inline double coarse_noise(Noise& noise) { return std::round(100 * normal_noise(noise)) / 100; }

/// 1 %; `persistence` of each value's is that of the one before it.
inline std::vector<double> persistent_series(std::size_t size, double persistence, Noise& noise) {
  std::vector<double> series(size);
  double state = noise.normal();
  for (double& value : series) {
    value = 1 + 0.01 * state;
    state = persistence * state + std::sqrt(1 - persistence * persistence) * noise.normal();
  }
  return series;
}

inline std::vector<double> noise_series(std::size_t size, const NoiseKind& kind, Noise& noise) {
  std::vector<double> series(size);
  for (double& value : series) value = kind(noise);
  return series;
}

}  // namespace tally
