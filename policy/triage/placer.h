// SPDX-License-Identifier: GPL-2.0-or-later
// Where a job's tasks go: the part of Triage that the registry can exchange.
#pragma once

#include <span>

#include "policy/triage/decision_context.h"

namespace dfrs::triage {

class Placer {
 public:
  virtual ~Placer() = default;
  /// At the beginning of a call of the policy.
  virtual void begin(const DecisionContext& /*context*/) {}
  /// Nodes for all tasks of the job, ascending, or an empty span where not all find room for their rigid resources. A
  /// job that may not move and has run before goes back to its own nodes or nowhere. Holds until the next call.
  virtual std::span<const NodeIndex> find(const DecisionContext& context, JobSlot job) = 0;
};

}  // namespace dfrs::triage
