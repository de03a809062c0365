// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/stretch_level.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "policy/core/compare.h"

namespace dfrs {
namespace {

constexpr int kHalvings = 64;
// 64 bisections of [0, high] end at neighbouring doubles if the lower one is at least this fraction of high: 53 resolve
// the digits, and the others leave a margin for the rounding of midpoints.
constexpr double kResolved = 0x1p-7;
constexpr int kNewtonSteps = 40;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

double yield_at(const StretchEstimate& job, double s, double floor) {
  return std::clamp((job.flow * s - job.progress) / job.period, floor, 1.0);
}

// Sums over all users in their order: the order of the terms determines the rounding of the last bit.
double StretchLevel::used(double s, double& slope) const {
  double sum = 0;
  slope = 0;
  for (const Term& term : terms_) {
    if (!term.open) {
      sum += term.fixed;
      continue;
    }
    const double y = yield_at({term.flow, term.progress, term.period}, s, floor_);
    sum += term.need * y;
    if (y > floor_ && y < 1) slope += term.slope;
  }
  return sum;
}

bool StretchLevel::fits(double s) const {
  double slope = 0;
  return cpu_fits(used(s, slope), capacity_);
}

double StretchLevel::highest(const CpuContention& contention, const CpuContention::Node& node,
                             std::span<const StretchEstimate> jobs, std::span<const double> yields, double floor,
                             double high, double guess) {
  floor_ = floor;
  capacity_ = node.capacity;
  const double wanted = capacity_ * (1.0 + kCpuTolerance);
  const double unbounded = take_terms(contention, node, jobs, yields, wanted);
  if (fits(high)) return high;
  Bracket bracket{0, high};
  narrow(bracket, wanted, guess > 0 ? guess : unbounded);
  return bracket.below >= high * kResolved ? last_to_fit(bracket) : by_halving(bracket, high);
}

// Takes the node's users as terms. Returns the s at which the node would be full if yields had no bounds.
double StretchLevel::take_terms(const CpuContention& contention, const CpuContention::Node& node,
                                std::span<const StretchEstimate> jobs, std::span<const double> yields, double wanted) {
  terms_.clear();
  double at_zero = 0;  // what would be used at s = 0, and gained per s
  double slopes = 0;
  for (const CpuContention::User& user : contention.users(node)) {
    const StretchEstimate& job = jobs[user.job];
    const double yield = yields[user.job];
    Term term{user.need, job.flow, job.progress, job.period, 0, user.need * yield, yield < 0};
    if (term.open) {
      term.slope = term.need * term.flow / term.period;
      slopes += term.slope;
      at_zero -= term.need * term.progress / term.period;
    } else {
      at_zero += term.fixed;
    }
    terms_.push_back(term);
  }
  return (wanted - at_zero) / slopes;
}

// Narrows the bracket: by Newton's method from s on, kept inside the bracket, then by growing steps around its result.
void StretchLevel::narrow(Bracket& bracket, double wanted, double s) const {
  auto& [below, above] = bracket;
  for (int k = 0; k < kNewtonSteps; ++k) {
    if (!(s > below && s < above)) s = below + (above - below) / 2;
    double slope = 0;
    const double sum = used(s, slope);
    (cpu_fits(sum, capacity_) ? below : above) = s;
    const double excess = sum - wanted;
    const double step = slope > 0 ? excess / slope : std::numeric_limits<double>::infinity();
    if (std::abs(step) <= 4 * kEpsilon * s) break;
    s -= step;
  }
  for (double margin = 4 * kEpsilon; margin < 1; margin *= 16) {
    const double low = s * (1 - margin);
    const double up = s * (1 + margin);
    if (low > below && low < above) (fits(low) ? below : above) = low;
    if (up > below && up < above) (fits(up) ? below : above) = up;
    if (below >= low && above <= up) break;
  }
}

double StretchLevel::last_to_fit(Bracket bracket) const {
  auto& [below, above] = bracket;
  for (;;) {
    const double middle = below + (above - below) / 2;
    if (middle <= below || middle >= above) return below;
    (fits(middle) ? below : above) = middle;
  }
}

// At so small a level the bisections stop before neighbouring doubles. Repeats them, but tests only points inside the
// bracket.
double StretchLevel::by_halving(Bracket bracket, double high) const {
  auto& [below, above] = bracket;
  double low = 0;
  double up = high;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = (low + up) / 2;
    bool fit = middle <= below;
    if (!fit && middle < above) {
      fit = fits(middle);
      (fit ? below : above) = middle;
    }
    (fit ? low : up) = middle;
  }
  return low;
}

}  // namespace dfrs
