// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/offers.h"

#include <algorithm>

#include "policy/core/requeue_rule.h"
#include "shim/controller/lifecycle.h"

namespace dfrs::shim {

void offer_again(JobTable& jobs, Changes& changes, Seconds now) {
  jobs.each([&](Job& job) {
    if (job.policy.offer_at == 0) return;
    if (job.desired.state != DesiredState::waiting || job.facts.phase != DFRS_JOB_PENDING) {
      job.policy.offer_at = 0;
      job.policy.offered_again = 0;
      return;
    }
    if (now < job.policy.offer_at) return;
    job.policy.offer_at = 0;
    ++job.policy.offered_again;
    withdraw_from_policy(job, jobs, changes);
    changes.entering.push_back(&job);
  });
}

Seconds plan_offers(JobTable& jobs, bool pauses_for_arrivals, Seconds now) {
  Seconds pausable = kNever;
  if (pauses_for_arrivals) {
    jobs.each([&](const Job& job) {
      if (job.running() && job.to_run_in_place()) pausable = std::min(pausable, job.pausing.pausable_at);
    });
  }
  Seconds next = kNever;
  jobs.each([&](Job& job) {
    if (job.desired.state != DesiredState::waiting) return;
    if (job.policy.submitted_at == now && job.policy.offered_again < kOffersAgain && pausable < kNever) {
      job.policy.offer_at = std::max(pausable, now + kOfferAgain);
    }
    if (job.policy.offer_at != 0) next = std::min(next, job.policy.offer_at);
  });
  return next;
}

}  // namespace dfrs::shim
