// SPDX-License-Identifier: GPL-2.0-or-later
// Decides where a job's tasks go. Names of Triage can select one placer or another.
#pragma once

#include <span>

#include "policy/triage/decision_context.h"

namespace dfrs::triage {

class Placer {
 public:
  virtual ~Placer() = default;
  /// Called at the beginning of each call of the policy.
  virtual void begin(const DecisionContext& /*context*/) {}
  /// Called at the end of it.
  virtual void end(const DecisionContext& /*context*/) {}
  /// Whether it leaves reserved memory to those for whom it is (DecisionContext::reservation).
  virtual bool leaves_reserved() const { return false; }
  /// Nodes for all tasks of the job, ascending, or an empty span if the rigid resources of some do not fit. A job that
  /// may not move and has run before gets its former nodes or none. Valid until the next call. The search may end with
  /// some of these nodes only, once the job's share of its CPU need there is below `least`.
  virtual std::span<const NodeIndex> find(const DecisionContext& context, JobSlot job, double least) = 0;
};

}  // namespace dfrs::triage
