// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs for which the policy could make no room because those that it might have paused had only just begun.
//
// A policy that pauses for arrivals looks at a job when it comes, and not again before some job ends or its next tick.
// A run cannot be paused in its first seconds (kSuspendAfterStart, MinProgress), which is nothing that the policy knows
// of. So a job that waits is offered to it once more, as a new one, when such runs have become pausable.
#pragma once

#include "shim/controller/job_table.h"
#include "shim/controller/observer.h"

namespace dfrs::shim {

/// Before the policy is asked: jobs whose time has come leave it, and enter it again in this step. O(jobs).
void offer_again(JobTable& jobs, Changes& changes, Seconds now);

/// After it: notes which of the jobs that it has just been told of are to come again, and when. Returns the time of the
/// next offer (kNever: none). PauseRulebook has set Job::pausable_at. O(jobs).
Seconds plan_offers(JobTable& jobs, bool pauses_for_arrivals, Seconds now);

}  // namespace dfrs::shim
