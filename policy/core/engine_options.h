// SPDX-License-Identifier: GPL-2.0-or-later
// What hosts may set about policies; each policy takes from it what concerns it.
#pragma once

#include "policy/core/units.h"
#include "policy/rr7659/priority.h"
#include "policy/triage/options.h"

namespace dfrs {

class LpSolver;

struct DfrsOptions {
  /// Period of /per and /stretch-per; ticks fall on its multiples. > 0, finite.
  Seconds period = 600;
  PriorityRule priority;
  /// A tick that coincides with submissions or completions comes in a call of its own behind theirs, so that a job
  /// just started pays for being moved. False: one call decides both, and only the outcome is carried out.
  bool ticks_apart = true;
  /// For the OPT=AVG of /stretch-per, which cannot do without. Must outlive the policy.
  LpSolver* lp_solver = nullptr;
};

struct BatchOptions {
  /// Schedule after each event of an instant instead of once per instant (simulators differ in this).
  bool pass_per_event = false;
  /// A node takes as many tasks of its job as it has CPU and rigid resources for, instead of one (RR-7659's rule).
  bool pack_tasks = false;
};

struct EngineOptions {
  DfrsOptions dfrs;
  BatchOptions batch;
  TriageOptions triage;
};

}  // namespace dfrs
