// SPDX-License-Identifier: GPL-2.0-or-later
// A simulator word by word (simulation semantics, rules 4 to 13): at every instant everything is computed from scratch;
// no event queue, no engine, no state kept by the policy but the last tick.
#pragma once

#include <vector>

#include "policy/batch/algorithm.h"
#include "policy/core/algorithm.h"
#include "policy/rr7659/algorithm.h"
#include "sim/host/instance.h"
#include "sim/host/simulation.h"

namespace dfrs::oracle {

struct SimulatorOptions {
  Seconds penalty = 300;
  Seconds period = 600;
  bool events_apart = true;
  Seconds flow_floor = 0;
  bool pass_per_event = false;
};

struct SimulatedJob {
  Seconds start = 0;
  Seconds end = 0;
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
};

struct Simulated {
  std::vector<SimulatedJob> jobs;
  double demand = 0;  ///< as RunResult::demand
};

/// Yields by slot as a run of the product set them, call by call: linear programs have many best solutions, and the
/// reference takes over the one that was chosen (Lockstep has checked that it is best).
class YieldLog final : public sim::StepObserver {
 public:
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;
  struct Entry {
    Seconds time;
    std::vector<double> yields;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// `yields`: for OPT=AVG and OPT=MAX, else null.
Simulated simulate_plainly(const sim::Instance& instance, const DfrsAlgorithm& algorithm,
                           const SimulatorOptions& options, const YieldLog* yields);
/// FCFS, EASY and EASY/extra-only on equal nodes: a full pass per instant (or event), counting free nodes.
Simulated simulate_plainly(const sim::Instance& instance, const BatchAlgorithm& algorithm,
                           const SimulatorOptions& options);

/// The value of a job in an order of the queue; the lowest goes first.
double plain_rank(QueueRank rank, const sim::Job& job, Seconds expected, Seconds now);

}  // namespace dfrs::oracle
