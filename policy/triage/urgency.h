// SPDX-License-Identifier: GPL-2.0-or-later
// How urgent a waiting job is, and what a pause costs a running one. Both are estimates of a stretch.
//
// Processing times are unknown, so progress stands in for them: a job that has run for v seconds is expected to run for
// about as long again, and its stretch to be of the order of flow / v. Jobs that have not run yet count as short
// (kShort): that mistake costs a long job little, while the opposite mistake would cost a short job a lot.
//
// The yardstick that knows run times (policy/triage/clairvoyant.h) goes by the same formulas with the flow time at the
// job's end and its run time in place of the flow time so far and the progress.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "policy/triage/options.h"

namespace dfrs::triage {

/// No job counts as shorter than this: the bound of the bounded stretch (RR-7659, section 2.2).
inline constexpr Seconds kShort = 10;
inline Seconds short_job(const TriageOptions& options) { return kShort * options.time_scale; }

/// What urgencies, costs and weights are relative to.
struct Instant {
  Seconds now = 0;
  /// The largest weight of any job in the system. Weights are divided by it, so that equal weights are exactly 1.
  double heaviest = 1;
  /// Of the cluster.
  double nodes = kNever;
  /// Whether some job in the system can be paused without loss, and whether all can.
  bool any_kept = false;
  bool all_kept = true;
};

inline double weight_of(const JobView& job, const Instant& at) { return job.weight / at.heaviest; }

/// A run time that is not known.
inline constexpr Seconds kUnknown = -1;

/// What is left of a known run time at full speed; 0 if it is not known.
inline Seconds time_left(const JobView& job, const Instant& at, Seconds run_time) {
  return run_time < 0 ? 0 : std::max(0.0, run_time - job.virtual_time(at.now));
}

/// The progress that a job is known to need: its run time if that is known, else what it has, or had in a run that it
/// lost.
inline Seconds known_progress(const JobView& job, const Instant& at, const TriageOptions& options,
                              Seconds run_time = kUnknown) {
  if (run_time >= 0) return std::max(run_time, short_job(options));
  return std::max({job.virtual_time(at.now), job.longest_run, short_job(options)});
}

/// Stretches above this count less.
inline constexpr double kHarmed = 3;

/// How much a stretch f / v counts where the run time is not known. If a job that has run for a short time in a long
/// one ended now, its stretch would be bad, and nothing could be done about it any more. It probably runs for much
/// longer. If such a stretch counted in full, all short jobs that come later would wait behind it until they were as
/// badly off.
inline double harm(double stretch) { return stretch > kHarmed ? std::sqrt(kHarmed * stretch) : stretch; }

/// Urgency of a job that does not run: the stretch it would have if it ended now, or after one more penalty if it is
/// paused, times its weight. A job that has lost its run has no penalty before it. The stretch so far of a paused job
/// counts by harm().
inline double urgency(const JobView& job, const Instant& at, const TriageOptions& options,
                      Seconds run_time = kUnknown) {
  Seconds ahead = 0;
  if (job.state == JobState::waiting) {
    ahead = options.patience * options.time_scale;
  } else if (job.lost_runs == 0) {
    ahead = expected_penalty(job, options);
  }
  const Seconds flow = job.flow_time(at.now);
  const Seconds progress = known_progress(job, at, options, run_time);
  if (run_time < 0 && job.state != JobState::waiting && job.lost_runs == 0)
    return weight_of(job, at) * (harm(flow / progress) + ahead / progress);
  return weight_of(job, at) * (flow + ahead + time_left(job, at, run_time)) / progress;
}

/// What ending a run costs that is lost by it: the stretch that it would lead to, times the weight, times LOSS, and
/// twice that for each run lost before. With f the flow time and v the progress this is at least LOSS x 2^losses x W,
/// since f is no less than v and the longest run.
inline double loss_cost(const JobView& job, const Instant& at, const TriageOptions& options, Seconds run_time) {
  constexpr std::uint32_t kMostDoublings = 60;
  const double again = std::ldexp(options.loss_margin, static_cast<int>(std::min(job.lost_runs, kMostDoublings)));
  const Seconds lost = std::max(job.virtual_time(at.now), job.penalty);  // the penalty has the host's overhead, too
  return again * weight_of(job, at) * (job.flow_time(at.now) + lost + time_left(job, at, run_time)) /
         known_progress(job, at, options, run_time);
}

/// HOLD for a job: half of it if its tasks could fill all nodes, more the narrower it is. As long as a wide job runs,
/// hardly any other can start.
inline Seconds hold_of(const JobView& job, const Instant& at, const TriageOptions& options) {
  return options.hold * options.time_scale * (1 - std::min(1.0, job.tasks / at.nodes) / 2);
}

/// Pause cost of a running job: the stretch that a pause would lead to, times its weight. A job that is serving a
/// penalty loses only the part already served, since the rest is still ahead of it in any case. The stretch so far
/// counts by harm().
inline double pause_cost(const JobView& job, const Instant& at, const TriageOptions& options,
                         Seconds run_time = kUnknown) {
  if (job.pauses == Pauses::lost) return loss_cost(job, at, options, run_time);
  Seconds lost = expected_penalty(job, options);
  if (job.state == JobState::running) lost = std::max(0.0, lost - std::max(0.0, job.clock.since - at.now));
  lost += hold_of(job, at, options);
  const Seconds progress = std::max(run_time < 0 ? job.virtual_time(at.now) : run_time, short_job(options));
  const Seconds flow = job.flow_time(at.now);
  if (run_time < 0) return weight_of(job, at) * (harm(flow / progress) + lost / progress);
  return weight_of(job, at) * (flow + lost + time_left(job, at, run_time)) / progress;
}

/// Whether a running job may be displaced at all.
inline bool may_be_victim(const JobView& job) { return !job.flags.may_not_pause && job.pauses != Pauses::none; }

/// The work that is lost if the job is displaced: none if it is kept, else progress x CPU need of all tasks.
inline double lost_work(const JobView& job, const Instant& at) {
  return job.pauses == Pauses::kept ? 0 : job.virtual_time(at.now) * job.cpu_need * job.tasks;
}

/// Whether the run would be lost, and the other job has not waited long enough for that.
inline bool too_old_for(const JobView& victim, const JobView& other, const Instant& at, const TriageOptions& options) {
  return victim.pauses == Pauses::lost && victim.virtual_time(at.now) > options.loss_age * other.flow_time(at.now);
}

/// The factor by which a job's urgency must exceed the pause cost of a victim.
inline double margin(const JobView& job, const TriageOptions& options) {
  return job.state == JobState::waiting ? 1 : options.margin_paused;
}

}  // namespace dfrs::triage
