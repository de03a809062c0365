// SPDX-License-Identifier: GPL-2.0-or-later
// Random numbers that are the same on every platform. The standard does not fix the algorithms of its distributions,
// and an instance named by a seed must not depend on the compiler.
#pragma once

#include <array>
#include <cstdint>

namespace dfrs::sim {

/// xoshiro256** of Blackman and Vigna, its state filled by splitmix64 from `seed`; `stream` selects one of several
/// independent sequences of a seed.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);
  /// A generator in this state, which must not be all 0. For comparison with published sequences.
  static Random from_state(const std::array<std::uint64_t, 4>& state);

  /// 64 random bits.
  std::uint64_t next();
  /// Uniform in [0, 1): 53 random bits.
  double uniform();
  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform over the integers low .. high, without bias. Requires low <= high.
  int uniform_integer(int low, int high);
  /// Normal with mean 0 and variance 1 (Marsaglia's polar method).
  double normal();
  /// Gamma with this shape and scale, mean shape x scale (Marsaglia and Tsang 2000). Requires shape >= 1, scale > 0.
  double gamma(double shape, double scale);

 private:
  Random() = default;

  std::array<std::uint64_t, 4> state_{};
};

/// Cumulative distribution of Gamma(shape, scale) at x: the regularised incomplete gamma function P(shape, x / scale),
/// by its series or its continued fraction, to about 1e-14. Requires 0 < shape <= 100, scale > 0; 0 for x <= 0.
double gamma_cdf(double x, double shape, double scale);

}  // namespace dfrs::sim
