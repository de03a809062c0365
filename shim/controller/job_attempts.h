// SPDX-License-Identifier: GPL-2.0-or-later
// What we have asked Slurm to do with a job, and how that went.
#pragma once

#include <cstdint>
#include <string>

#include "policy/core/units.h"

namespace dfrs::shim {

/// Requeues of ours, from the request to the next start. The state file keeps most of it.
struct RequeueTracking {
  bool asked = false;  ///< for the run numbered `asked_of_run`
  std::uint32_t asked_of_run = 0;
  bool ask_again = false;        ///< slurmctld may have ended before it carried the request out
  bool by_us = false;            ///< the job waits for its next start after a requeue of ours
  std::int64_t begin_time = 0;   ///< the begin time that Slurm set with it; 0: not seen yet
  Seconds start_not_before = 0;  ///< see kCredentialWait
  Seconds moving_since = 0;      ///< when a run was ended to go on elsewhere at once; 0: none was

  bool pending_for(std::uint32_t run) const { return asked && asked_of_run == run; }
};

/// Starts and resumes that Slurm did not carry out.
struct StartAttempts {
  Seconds retry_at = 0;        ///< not shown to the policy before
  std::uint32_t refusals = 0;  ///< in a row
  Seconds busy_since = 0;      ///< the first BUSY of those in a row; 0: none
  std::string reason;          ///< of the last one, for people
};

/// Changes of a job's attributes.
struct AttributeRequests {
  Seconds end_time_retry = 0;  ///< END_TIME is not asked for before
  Seconds comment_at = 0;      ///< when we last changed the comment; 0: never
};

}  // namespace dfrs::shim
