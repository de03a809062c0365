// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a job can be paused or moved now, how, and at what cost.
#pragma once

#include <cstdint>

#include "policy/core/view.h"

namespace dfrs::shim {

struct Pausing {
  // What the rules allow (pause_rules.h).
  Pauses pauses = Pauses::kept;  ///< what a pause does, by the rules of its partition; set also before it runs
  bool can_suspend = false;
  bool can_requeue = false;
  bool can_checkpoint = false;
  bool checkpointable = false;   ///< its user lets it be checkpointed, and its partition does so
  bool images_stay = false;      ///< only the nodes that write its images can read them
  Seconds pausable_at = 0;       ///< if it cannot be paused: when it can, by the passing of time alone; kNever: unknown
  bool suspend_refused = false;  ///< by Slurm, for this run
  bool requeue_refused = false;  ///< by Slurm, for this run
  Seconds suspended_at = 0;      ///< our last suspend
  Seconds suspend_not_before = 0;  ///< see kSuspendTakes
  Seconds launched_at = 0;         ///< the virtual time at which its sruns have launched their steps (timing.h)
  Seconds launched_by = 0;         ///< it is spared no longer than until this time (kLaunchPatience)

  // What it costs, in seconds of progress (pause_costs.h).
  Seconds pause_cost = -1;  ///< negative: not possible, or not known
  Seconds move_cost = -1;

  // The page-out of a suspended job (pause_costs.h).
  double swapped_mib = -1;           ///< in swap at the last look, on the node with most of it; negative: not seen
  Seconds swapped_at = 0;            ///< when that was so
  double page_out_rate = 0;          ///< MiB/s, the fastest seen so far
  std::uint32_t page_out_looks = 0;  ///< looks in a row that saw it make progress
};

}  // namespace dfrs::shim
