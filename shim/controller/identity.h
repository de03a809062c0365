// SPDX-License-Identifier: GPL-2.0-or-later
// Whether two sightings of a job number show the same job.
#pragma once

#include <cstdint>

namespace dfrs::shim {

struct JobIdentity {
  std::uint32_t user = 0;
  std::uint32_t restarts = 0;
  std::int64_t submit = 0;
};

/// Every requeue increments `restarts` at once and sets a later `submit` once the run has been cleaned up; neither ever
/// decreases. So fewer restarts, an older submission or another user mean another job under the same number, and so
/// does a new submission without a requeue.
inline bool same_job(const JobIdentity& before, const JobIdentity& now) {
  if (before.user != now.user || now.restarts < before.restarts || now.submit < before.submit) return false;
  return now.submit == before.submit || now.restarts > 0;
}

}  // namespace dfrs::shim
