// SPDX-License-Identifier: GPL-2.0-or-later
// Enters the results of operations into the job records, which then show Slurm's state as far as it is known before the
// next snapshot.
#pragma once

#include <cstdint>
#include <vector>

#include "shim/conf/config.h"
#include "shim/controller/job_table.h"
#include "shim/controller/log.h"
#include "shim/controller/operations.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

struct ResultEffects {
  bool confirm_raises = false;              ///< in: see grant_yield()
  bool state_changed = false;               ///< something that the state file holds
  bool swap_promised = false;               ///< a job was suspended: the budgets of swap are out of date
  std::vector<const Job*> tasks_split_off;  ///< of arrays, running under numbers of their own
  std::vector<Seconds> restarts_took;       ///< from the end of a run to the beginning of the next, of jobs that moved
};

/// Enters the result of one operation. Jobs that Slurm refuses to start leave the policy for a while; if Slurm refuses
/// a pause or move, the policy starts again from Slurm's state.
void apply_result(const dfrs_operation& operation, const dfrs_result& result, Seconds now, const Config& config,
                  const Log& log, JobTable& jobs, Totals& totals, ResultEffects& effects);

}  // namespace dfrs::shim
