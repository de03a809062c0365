// SPDX-License-Identifier: GPL-2.0-or-later
// Scheduling with pauses on whole nodes word by word: equal nodes, one list of owners, everything computed again at
// each instant; no engine, no counts kept.
#pragma once

#include "policy/pausing/feedback.h"
#include "sim/host/instance.h"
#include "tests/oracle/simulator.h"

namespace dfrs::oracle {

struct PlainPausing {
  enum class Order { feedback, srpt, swrpt };
  Order order = Order::feedback;
  bool by_nodes = true;             ///< of Order::feedback: service is node time
  std::vector<Seconds> thresholds;  ///< of Order::feedback: a job with so much service drops to the next queue
};

Simulated simulate_plainly(const sim::Instance& instance, const PlainPausing& rule, Seconds penalty);

}  // namespace dfrs::oracle
