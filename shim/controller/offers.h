// SPDX-License-Identifier: GPL-2.0-or-later
// Repeats the submission of jobs that the policy could not place because the jobs it might have paused had just
// started.
//
// A policy that pauses for arrivals looks at a job on its submission, and then not before a job ends or at its next
// tick. A run cannot be paused in its first seconds (kSuspendAfterStart, MinProgress), which the policy does not know.
// So we offer a waiting job again, as a new one, when such runs have become pausable.
#pragma once

#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"

namespace dfrs::shim {

/// Before the policy decides: jobs whose offer is due leave it and enter it again in this step. O(jobs).
void offer_again(JobTable& jobs, Changes& changes, Seconds now);

/// Afterwards: plans the next offer of the jobs that were just submitted and still wait. Returns the time of the next
/// offer; kNever: none. PauseRulebook must have set Pausing::pausable_at. O(jobs).
Seconds plan_offers(JobTable& jobs, bool pauses_for_arrivals, Seconds now);

}  // namespace dfrs::shim
