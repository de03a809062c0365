// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that the policy could not place because those that it might have paused for them had only just started.
//
// A policy that pauses for arrivals looks at a job when it comes, and not again before some job ends or its next tick.
// A run cannot be paused in its first seconds (kSuspendAfterStart, MinProgress). The policy does not know that. So a
// job that waits is offered to it once more, as a new one, when such runs have become pausable.
#pragma once

#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"

namespace dfrs::shim {

/// Before the policy is asked: jobs whose time has come leave it, and enter it again in this step. O(jobs).
void offer_again(JobTable& jobs, Changes& changes, Seconds now);

/// After it: notes which of the jobs just submitted to it are to come again, and when. Returns the time of the
/// next offer (kNever: none). PauseRulebook has set Job::pausable_at. O(jobs).
Seconds plan_offers(JobTable& jobs, bool pauses_for_arrivals, Seconds now);

}  // namespace dfrs::shim
