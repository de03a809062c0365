// SPDX-License-Identifier: GPL-2.0-or-later
// Placement on the least loaded nodes by RR-7659's Greedy.
#pragma once

#include "policy/rr7659/greedy.h"
#include "policy/triage/placer.h"

namespace dfrs::triage {

class LoadPlacer final : public Placer {
 public:
  std::span<const NodeIndex> find(const DecisionContext& context, JobSlot job, double /*least*/) override {
    return greedy_.find(context.state, context.job(job));
  }

 private:
  Greedy greedy_;
};

}  // namespace dfrs::triage
