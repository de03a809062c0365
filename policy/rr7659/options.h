// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "policy/core/units.h"

namespace dfrs {

/// Options of RR-7659's algorithms, which those of IPDPS 2010 share.
struct DfrsOptions {
  /// Period of /per and /stretch-per in seconds; ticks fall on its multiples. > 0, finite.
  Seconds period = 600;
  /// PriorityRule::flow_floor, >= 0; for IPDPS 2010, 0 stands for the 30 s of its paper.
  Seconds priority_floor = 0;
  /// A tick that coincides with submissions or completions gets a call of its own after theirs, so that moving a job
  /// that has just started costs a penalty. False: one call decides both, and only its outcome is carried out.
  bool ticks_apart = true;
};

}  // namespace dfrs
