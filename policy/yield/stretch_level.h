// SPDX-License-Identifier: GPL-2.0-or-later
// The highest inverse stretch that one node can give to all its open jobs: the inner loop of yields for stretch.
#pragma once

#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"
#include "policy/yield/stretch.h"

namespace dfrs {

/// The yield at which the job's inverse stretch is s, clamped to [floor, 1].
double yield_at(const StretchEstimate& job, double s, double floor);

class StretchLevel {
 public:
  /// The largest s in [0, high] at which the node has room for its open jobs (yields < 0) at s and its fixed ones at
  /// their yields, found by 64 bisections of [0, high]; `high` if it has room there.
  ///
  /// The result is that of the bisections to the last bit. What a node uses never falls as s grows, even with rounding.
  /// So Newton's method can find the neighbourhood, and a few tests then find the last double that fits: about 12 sums
  /// over the node's users instead of 65. `guess`: where to start; 0 if there is none.
  double highest(const CpuContention& contention, const CpuContention::Node& node,
                 std::span<const StretchEstimate> jobs, std::span<const double> yields, double floor, double high,
                 double guess);

 private:
  struct Term {
    double need = 0;
    double flow = 0, progress = 0, period = 0;  // of an open job
    double slope = 0;                           // of need x yield over s, unless the yield is clamped
    double fixed = 0;                           // of a fixed job: need x yield
    bool open = false;
  };
  struct Bracket {
    double below;  // fits; 0 is assumed to
    double above;  // does not fit
  };
  double take_terms(const CpuContention& contention, const CpuContention::Node& node,
                    std::span<const StretchEstimate> jobs, std::span<const double> yields, double wanted);
  void narrow(Bracket& bracket, double wanted, double s) const;
  double last_to_fit(Bracket bracket) const;
  double by_halving(Bracket bracket, double high) const;
  double used(double s, double& slope) const;
  bool fits(double s) const;

  std::vector<Term> terms_;  // of the node's users, in their order: the sum's rounding depends on it
  double floor_ = 0;
  double capacity_ = 0;
};

}  // namespace dfrs
