// SPDX-License-Identifier: GPL-2.0-or-later
// Fills the ledger of what jobs were given.
#pragma once

#include "shim/controller/job_table.h"
#include "shim/controller/saved_state.h"
#include "shim/controller/usage_ledger.h"

namespace dfrs::shim {

/// The share of its CPUs that a run is given from now on: what its quota guarantees, without CPU that would be idle.
double given_share(const Job& job);
/// Enters what a job is given from now on, if it has a run.
void publish_usage(const Job& job, Seconds now, UsageLedger& ledger);
/// Enters what all jobs are given from now on, and drops old runs. O(jobs).
void publish_usage(const JobTable& jobs, Seconds now, UsageLedger& ledger);
/// Enters what they were given when the state was saved.
void restore_usage(const SavedState& saved, UsageLedger& ledger);

}  // namespace dfrs::shim
