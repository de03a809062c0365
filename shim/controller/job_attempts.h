// SPDX-License-Identifier: GPL-2.0-or-later
// Requests to Slurm for a job, and their outcomes.
#pragma once

#include <cstdint>
#include <string>

#include "policy/core/units.h"

namespace dfrs::shim {

/// Our requeues, from the request to the next start. The state file keeps most of this.
struct RequeueTracking {
  bool asked = false;  ///< for the run numbered `asked_of_run`
  std::uint32_t asked_of_run = 0;
  bool ask_again = false;        ///< slurmctld may have ended before it carried the request out: repeat it
  bool by_us = false;            ///< the job waits for its next start after a requeue of ours
  std::int64_t begin_time = 0;   ///< the begin time that Slurm set at the requeue; 0: not seen yet
  Seconds start_not_before = 0;  ///< see kCredentialWait
  Seconds moving_since = 0;      ///< when the run was ended for a move; 0: no move is under way

  bool pending_for(std::uint32_t run) const { return asked && asked_of_run == run; }
};

/// Starts and resumes that Slurm did not carry out.
struct StartAttempts {
  Seconds retry_at = 0;        ///< until then the policy does not see the job
  std::uint32_t refusals = 0;  ///< in a row
  Seconds busy_since = 0;      ///< when the present row of BUSY answers began; 0: none
  std::string reason;          ///< of the last refusal, for people
};

/// Changes of a job's attributes.
struct AttributeRequests {
  Seconds end_time_retry = 0;  ///< END_TIME is not requested before
  Seconds comment_at = 0;      ///< when we last changed the comment; 0: never
};

}  // namespace dfrs::shim
