// SPDX-License-Identifier: GPL-2.0-or-later
// Weights of jobs from Slurm's priorities, QOS or fair-share (Weight of dfrs.conf; docs: administrator's guide).
//
//   priority    v = Slurm's priority of the job
//   qos         v = 1 + the priority of its QOS
//   fairshare   v = the fair-share factor of its association, at least 0.01
//
// and weight = v / (mean v of all jobs of managed partitions that have one), between 0.1 and 10: equal priorities give
// every job a weight of 1, and no job starves. Jobs without such a value (held ones, clusters without accounting) have
// weight 1.
#pragma once

#include "shim/conf/config.h"
#include "shim/controller/changes.h"
#include "shim/controller/job_table.h"

namespace dfrs::shim {

inline constexpr double kLeastWeight = 0.1;
inline constexpr double kMostWeight = 10;
inline constexpr double kLeastFairShare = 0.01;

/// Sets the weight of all jobs. Adds those whose own value has changed to changes.changed. A change of the mean affects
/// all jobs alike, and in a step with new or ended jobs the policy decides anyway. O(jobs).
void set_weights(JobTable& jobs, WeightRule rule, Changes& changes);

}  // namespace dfrs::shim
