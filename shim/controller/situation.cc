// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/situation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "policy/core/node_runs.h"

namespace dfrs::shim {
namespace {

std::string time_left(Seconds until, Seconds now) { return fmt::format("{:.0f} s", std::max(0.0, until - now)); }

}  // namespace

JobSituation situation_of(const Job& job, Seconds now) {
  if (job.user_suspended()) return JobSituation::user_suspended;
  if (job.facts.phase == DFRS_JOB_BLOCKED) return JobSituation::blocked;
  switch (job.desired.state) {
    case DesiredState::none:
      if (job.running()) return JobSituation::running;
      if (job.attempts.retry_at > now) return JobSituation::backing_off;
      return job.suspended() ? JobSituation::suspended : JobSituation::blocked;
    case DesiredState::waiting:
      return JobSituation::waiting;
    case DesiredState::paused:
      if (job.running()) return JobSituation::pausing;
      return job.suspended() ? JobSituation::suspended : JobSituation::requeued;
    case DesiredState::running:
      if (job.queued()) return JobSituation::starting;
      if (job.desired.nodes != job.facts.nodes) return JobSituation::moving;
      return job.suspended() ? JobSituation::resuming : JobSituation::running;
  }
  return JobSituation::blocked;
}

std::optional<std::string> reason_of(const Job& job, JobSituation situation, const Reconciler& reconciler,
                                     const Nodes& nodes, Seconds now) {
  switch (situation) {
    case JobSituation::running:
      return std::nullopt;
    case JobSituation::blocked:
      if (!job.facts.blocked_reason.empty()) return job.facts.blocked_reason;
      if (static_cast<Seconds>(job.facts.begin_time) > now) {
        return "its begin time is in " + time_left(static_cast<Seconds>(job.facts.begin_time), now);
      }
      if (job.facts.phase == DFRS_JOB_REQUEUING) return "its last run is being cleaned up";
      return "the policy has not seen it yet";
    case JobSituation::backing_off:
      return fmt::format("Slurm refused to start it ({}); next attempt in {}", job.attempts.reason,
                         time_left(job.attempts.retry_at, now));
    case JobSituation::user_suspended:
      return job.facts.keeps_memory
                 ? "suspended by scontrol suspend; continue it with scontrol resume"
                 : "suspended by scontrol suspend after the policy had paused it; after scontrol resume it continues "
                   "when its memory is free";
    case JobSituation::waiting:
      return "waits for the policy to place it";
    case JobSituation::suspended:
    case JobSituation::requeued:
      return "paused by the policy";
    case JobSituation::pausing:
      if (job.desired.pause_way == PauseWay::checkpoint) return "is being checkpointed";
      return job.desired.pause_way == PauseWay::requeue ? "is being requeued" : "is being suspended";
    case JobSituation::starting:
    case JobSituation::resuming:
    case JobSituation::moving: {
      if (auto held = reconciler.held_back(job, nodes, now)) return held;
      if (job.attempts.busy_since != 0 && !job.attempts.reason.empty()) return job.attempts.reason;
      return "under way";
    }
  }
  return std::nullopt;
}

double priority_of(const Job& job, Seconds now) {
  const Seconds progress = job.virtual_time(now);
  if (progress <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, now - job.history.release) / (progress * progress);
}

Places places(std::span<const NodeIndex> list, const Nodes& nodes) {
  Places out;
  each_node_run(list, [&](NodeIndex n, std::uint32_t tasks) {
    if (n < nodes.size()) out.emplace_back(nodes[n].name, tasks);
  });
  return out;
}

}  // namespace dfrs::shim
