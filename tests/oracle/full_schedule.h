// SPDX-License-Identifier: GPL-2.0-or-later
// Streit's planning schedulers word by word: at every instant a plan is a plain list of placed jobs, and the earliest
// start is found by trying every instant at which something in the list begins or ends. No profile, no order kept, no
// engine. Equal single-processor nodes.
#pragma once

#include <vector>

#include "policy/batch/conservative.h"
#include "policy/dynp/dynp_policy.h"
#include "sim/host/instance.h"

namespace dfrs::oracle {

struct PlainPlanner {
  /// The family: a fixed order, or dynP.
  bool self_switching = false;
  ConservativeAlgorithm fixed;
  DynpAlgorithm dynp;
  bool pass_per_event = false;
};

struct PlainSchedule {
  struct PlainJob {
    Seconds start = 0;
    Seconds end = 0;
    Seconds first_planned = kNever;  ///< start that the plan had right after the submission
    QueueOrder started_by = QueueOrder::fcfs;
  };
  std::vector<PlainJob> jobs;
  std::vector<DynpDecision> decisions;
};

PlainSchedule plan_plainly(const sim::Instance& instance, const PlainPlanner& planner);

}  // namespace dfrs::oracle
