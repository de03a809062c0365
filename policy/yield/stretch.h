// SPDX-License-Identifier: GPL-2.0-or-later
// Yields of /stretch-per (RR-7659, section 4.7): OPT=MAX iteratively minimises the largest estimated stretch;
// average_stretch.h has OPT=AVG. The estimate is (flow + T) / (vt + yield T), where T is the time to the next tick.
#pragma once

#include <span>
#include <vector>

#include "policy/yield/cpu_contention.h"

namespace dfrs {

/// The data of one job's estimate: its stretch at the next tick is flow / (progress + yield * period).
struct StretchEstimate {
  double flow = 0;      ///< flow time at the next tick in seconds, > 0
  double progress = 0;  ///< present virtual time in seconds
  double period = 0;    ///< time to the next tick in seconds, > 0

  double at(double yield) const { return flow / (progress + yield * period); }
};

/// Gives all jobs the lowest common estimate: sets yields for the largest common inverse stretch s at which no node
/// lacks CPU. Yields are clamped to [floor, 1]; a clamped job does not hold the others back. If not even the floors
/// fit, all yields are equal. About O(12 x users), see StretchLevel.
void common_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                    std::span<double> yields);

/// The same for the largest s that all jobs can have: it ends where the first job runs at yield 1. A node may be
/// exceeded by rounding.
void shared_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                    std::span<double> yields);

/// OPT=MAX. Sets yields by index into contention.jobs(), each at least `floor`. Water filling on the inverse stretch s:
/// the s of all jobs rises together until a node is full or a job runs at yield 1; these jobs are fixed, and the others
/// continue. O(12 x sum over nodes of users x (1 + users fixed elsewhere first)), see StretchLevel.
void min_max_stretch(const CpuContention& contention, std::span<const StretchEstimate> jobs, double floor,
                     std::span<double> yields);

}  // namespace dfrs
