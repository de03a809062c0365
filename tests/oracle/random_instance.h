// SPDX-License-Identifier: GPL-2.0-or-later
// Small random instances under load: equal submit times, submissions on ticks, jobs without work, wrong estimates.
#pragma once

#include "sim/host/instance.h"
#include "tests/oracle/dice.h"

namespace dfrs::oracle {

struct InstanceOptions {
  int max_nodes = 6;
  int max_jobs = 14;
  bool whole_nodes = false;  ///< no more tasks than nodes, for batch algorithms
};

/// CPU needs and memory are dyadic; run times are not, so that two completions coincide only where they should.
sim::Instance random_instance(Dice& dice, const InstanceOptions& options);

}  // namespace dfrs::oracle
