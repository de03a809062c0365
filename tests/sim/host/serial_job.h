// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sim/host/instance.h"

namespace dfrs::sim {

/// A job of one task that needs a whole node's CPU, with its run time as estimate.
inline Job serial_job(JobId id, Seconds submit, RigidAmount memory, Seconds run_time) {
  Job job;
  job.id = id;
  job.submit = submit;
  job.rigid[kMemory] = memory;
  job.run_time = job.estimate = run_time;
  return job;
}

}  // namespace dfrs::sim
