// SPDX-License-Identifier: GPL-2.0-or-later
// How a policy divides CPU, given the mapping of jobs to nodes. Policies with exchangeable rules take one of these.
#pragma once

#include <span>

#include "policy/core/view.h"
#include "policy/yield/cpu_contention.h"

namespace dfrs {

class YieldRule {
 public:
  virtual ~YieldRule() = default;
  /// Sets yields by index into contention.jobs(), each in (0, 1], such that no node's capacity is exceeded. `horizon`:
  /// seconds, > 0, until yields are set again at the latest; kNever if the policy does not know.
  virtual void solve(const CpuContention& contention, const ClusterView& view, Seconds horizon,
                     std::span<double> yields) = 0;
  /// Whether yields depend on the jobs' progress, so that they change although the mapping stays the same.
  virtual bool follows_progress() const = 0;
};

}  // namespace dfrs
