// SPDX-License-Identifier: GPL-2.0-or-later
// How much work of a set of jobs a platform can do if each job also has a speed limit.
#pragma once

#include <span>
#include <vector>

#include "sim/bound/bound_job.h"

namespace dfrs::sim {

/// A set A of jobs on a platform of speed `cpu` > 0. For a stretch of S, the most work that fits between their releases
/// and deadlines is F(S) = integral over time of min(cpu, sum of the rates of A's jobs between release and deadline).
/// Any schedule needs F(S) >= W(A), the work of A. F is continuous, nondecreasing and piecewise linear.
class RateLimitedSet {
 public:
  /// `jobs` by release date, not empty.
  RateLimitedSet(std::span<const BoundJob> jobs, double cpu);

  /// The smallest S >= `stretch` with F(S) >= W(A), up to rounding (1e-12 relative). Evaluates F a few times, O(|A| log
  /// |A|) each.
  double stretch_from(double stretch);

 private:
  struct Point {
    long double missing = 0;  // W(A) - F(S)
    long double slope = 0;    // of F just above S
  };
  struct Deadline {
    Seconds at;
    Seconds size;
    double rate;
  };

  Point at(double stretch);

  std::span<const BoundJob> jobs_;
  double cpu_;
  std::vector<Deadline> deadlines_;
};

}  // namespace dfrs::sim
