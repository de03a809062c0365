// SPDX-License-Identifier: GPL-2.0-or-later
// What the policy wants of a job, and what the policy knows of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/measured_need.h"
#include "policy/core/units.h"
#include "policy/core/view.h"

namespace dfrs::shim {

enum class DesiredState : std::uint8_t {
  none,     ///< the engine does not know the job: it is blocked, backing off or ending
  waiting,  ///< in the queue, never placed
  running,  ///< on Desired::nodes
  paused,
};

/// How a run is ended for a pause or a move.
enum class PauseWay : std::uint8_t { none, suspend, requeue };

/// The policy's last decision on the job. Written by engine_driver.h and view_builder.h.
struct Desired {
  DesiredState state = DesiredState::none;
  std::vector<NodeIndex> nodes;         ///< running: of each task, ascending
  double yield = 0;                     ///< running
  PauseWay pause_way = PauseWay::none;  ///< paused: how the run ends; none: it had ended

  void run_on(std::span<const NodeIndex> where) {
    state = DesiredState::running;
    pause_way = PauseWay::none;
    nodes.assign(where.begin(), where.end());
  }
  void clear() {
    state = DesiredState::none;
    pause_way = PauseWay::none;
    nodes.clear();
  }
};

/// How the policy knows the job.
struct PolicyEntry {
  JobSlot slot = kNoSlot;
  bool known = false;                 ///< was submitted to an engine before
  bool enters_without_event = false;  ///< comes (back) as one that waits already: no job is paused for it
  bool must_leave = false;            ///< is withdrawn from the policy at the next step
  bool contradicted = false;  ///< Slurm's state contradicts the decision: the policy starts again from that state
  bool shares_nodes = false;  ///< exclusive, but found sharing nodes: it cannot be shown as exclusive

  // Offers (offers.h).
  Seconds submitted_at = 0;         ///< when it last came to the policy as a new job
  Seconds offer_at = 0;             ///< waiting: when it comes again; 0: it does not
  std::uint32_t offered_again = 0;  ///< how often in this wait

  // Weight (weights.h).
  double weight = 1;
  double weight_source = 0;  ///< the value of Slurm's that the weight is made of; 0: there is none
};

/// The CPU that a job needs, in parts of what it asks for. Written by cpu_needs.h.
struct CpuNeed {
  double value = 1;       ///< as the policy knows it
  MeasuredNeed measured;  ///< as last measured
  struct Sample {
    double cpu_seconds = 0;
    Seconds at = 0;
  };
  std::vector<Sample> samples;  ///< the last ones that count, one for each node of the job; empty: none yet
  double sampled_quota = 0;     ///< the least quota since then, in parts of what it asks for
};

}  // namespace dfrs::shim
