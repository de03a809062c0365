// SPDX-License-Identifier: GPL-2.0-or-later
// What the policy has decided for a job, and what it knows of the job.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/measured_need.h"
#include "policy/core/units.h"
#include "policy/core/view.h"

namespace dfrs::shim {

enum class DesiredState : std::uint8_t {
  none,     ///< not in the engine: blocked, backing off or ending
  waiting,  ///< in the queue, never placed
  running,  ///< on Desired::nodes
  paused,
};

/// How a job is paused, or taken from its nodes for a move.
enum class PauseWay : std::uint8_t {
  none,
  suspend,
  checkpoint,  ///< a requeue after a complete checkpoint
  requeue,
};

/// The policy's last decision on the job. Written by engine_driver.h and view_builder.h.
struct Desired {
  DesiredState state = DesiredState::none;
  PauseWay pause_way = PauseWay::none;  ///< paused: how; none: its run had ended before
  std::vector<NodeIndex> nodes;         ///< running: of each task, ascending
  double yield = 0;                     ///< running

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
  bool known = false;                 ///< an engine has seen it before
  bool enters_without_event = false;  ///< (re)enters as a job that waits already, so that none is paused for it
  bool must_leave = false;            ///< the next step withdraws it from the policy
  bool contradicted = false;          ///< Slurm's state contradicts the decision: a resync follows
  bool shares_nodes = false;          ///< exclusive, but sharing nodes: the view cannot show it as exclusive

  // Offers (offers.h).
  Seconds submitted_at = 0;         ///< when the policy last got it as a new job
  Seconds offer_at = 0;             ///< waiting: time of the next offer; 0: none
  std::uint32_t offered_again = 0;  ///< repeated offers during this wait

  // Weight (weights.h).
  double weight = 1;
  double weight_source = 0;  ///< Slurm's value from which the weight follows; 0: none
};

/// The CPU that a job needs, as a fraction of what it asks for. Written by cpu_needs.h.
struct CpuNeed {
  double value = 1;       ///< as the policy knows it
  MeasuredNeed measured;  ///< as last measured
  struct Sample {
    double cpu_seconds = 0;
    Seconds at = 0;
  };
  std::vector<Sample> samples;  ///< the start of the present measurement, one per node of the job; empty: none yet
  double sampled_quota = 0;     ///< the lowest quota since then, as a fraction of what it asks for
};

}  // namespace dfrs::shim
