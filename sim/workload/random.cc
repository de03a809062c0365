// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/random.h"

#include <bit>
#include <cmath>
#include <limits>

namespace dfrs::sim {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  // Mixes the stream too, so that (seed, stream + 1) differs from (seed + 1, stream).
  std::uint64_t mixed = stream;
  std::uint64_t state = stream == 0 ? seed : seed ^ splitmix64(mixed);
  for (std::uint64_t& word : state_) word = splitmix64(state);
}

Random Random::from_state(const std::array<std::uint64_t, 4>& state) {
  Random random;
  random.state_ = state;
  return random;
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

int Random::uniform_integer(int low, int high) {
  const std::uint64_t range = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low) + 1;
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = largest - largest % range;  // a multiple of range
  std::uint64_t bits = next();
  while (bits >= limit) bits = next();
  return static_cast<int>(low + static_cast<std::int64_t>(bits % range));
}

double Random::normal() {
  for (;;) {
    const double x = uniform(-1, 1);
    const double y = uniform(-1, 1);
    const double s = x * x + y * y;
    if (s > 0 && s < 1) return x * std::sqrt(-2 * std::log(s) / s);
  }
}

double Random::gamma(double shape, double scale) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double base = 1 + c * x;
    if (base <= 0) continue;
    const double v = base * base * base;
    const double u = uniform();
    if (u > 0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v * scale;
  }
}

double gamma_cdf(double x, double shape, double scale) {
  const double z = x / scale;
  if (!(z > 0)) return 0;
  if (std::isinf(z)) return 1;
  const double front = std::exp(shape * std::log(z) - z) / std::tgamma(shape);
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  if (z < shape + 1) {
    // P = front * sum of z^n / (shape (shape + 1) ... (shape + n)); the terms fall as soon as shape + n > z.
    double term = 1 / shape;
    double sum = term;
    for (double n = shape + 1; term > sum * kEpsilon; ++n) {
      term *= z / n;
      sum += term;
    }
    return front * sum;
  }
  // 1 - P = front / (z + 1 - shape - 1 (1 - shape) / (z + 3 - shape - ...)), by Lentz's method.
  constexpr double kTiny = 1e-300;
  double b = z + 1 - shape;
  double c = 1 / kTiny;
  double d = 1 / b;
  double fraction = d;
  for (int i = 1; i < 1000; ++i) {
    const double a = -i * (i - shape);
    b += 2;
    d = a * d + b;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + a / c;
    if (std::abs(c) < kTiny) c = kTiny;
    fraction *= d * c;
    if (std::abs(d * c - 1) < 2 * kEpsilon) break;
  }
  return 1 - front * fraction;
}

}  // namespace dfrs::sim
