// SPDX-License-Identifier: GPL-2.0-or-later
// Preemptive scheduling on whole nodes word by word: equal nodes, one list of owners, everything computed again at each
// instant; no engine, no counts kept.
#pragma once

#include "policy/preempt/feedback.h"
#include "sim/host/instance.h"
#include "tests/oracle/simulator.h"

namespace dfrs::oracle {

struct PlainPreemptive {
  enum class Order { feedback, srpt, swrpt };
  Order order = Order::feedback;
  bool by_nodes = true;             ///< of Order::feedback: service is node time
  std::vector<Seconds> thresholds;  ///< of Order::feedback: a job with so much service drops to the next queue
};

Simulated simulate_plainly(const sim::Instance& instance, const PlainPreemptive& rule, Seconds penalty);

}  // namespace dfrs::oracle
