// SPDX-License-Identifier: GPL-2.0-or-later
// How CPU is divided once it is decided who is where, for policies that may be given one rule or another.
#pragma once

#include <span>

#include "policy/core/view.h"
#include "policy/yield/cpu_contention.h"

namespace dfrs {

class YieldRule {
 public:
  virtual ~YieldRule() = default;
  /// Yields by index into contention.jobs(), each in (0, 1]; no node of `contention` may be given more than it has.
  /// `horizon`: seconds until yields will be set again at the latest, where the policy knows; > 0.
  virtual void solve(const CpuContention& contention, const ClusterView& view, Seconds horizon,
                     std::span<double> yields) = 0;
  /// Whether yields change with the jobs' progress, the mapping staying as it is.
  virtual bool follows_progress() const = 0;
};

}  // namespace dfrs
