// SPDX-License-Identifier: GPL-2.0-or-later
// Operations as the plugin carries them out, with Slurm's answers.
#include "tests/shim/fake_slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace dfrs::shim {
namespace {

// True for DFRS_DONE.
bool answer(dfrs_result& result, dfrs_result_code code, const std::string& reason) {
  result.code = code;
  std::snprintf(result.reason, sizeof(result.reason), "%s", reason.c_str());
  return code == DFRS_DONE;
}

}  // namespace

void FakeSlurm::start(FakeJob& job, const dfrs_operation& op, dfrs_result& result) {
  const auto reply = [&](dfrs_result_code code, const char* reason) { answer(result, code, reason); };
  if (!may_start(job, op, result)) return;
  Placement at;
  if ((job.flags & DFRS_JOB_STOCK_PLACED) != 0) {
    at = place_as_slurm_does(job, op);
    if (at.empty()) return reply(DFRS_BUSY, "no room");
  } else {
    at = placement_of(job, op);
  }
  if (!nodes_are_ready(job, at, result)) return;
  if (!fits(job, at)) {
    if (!raced_) violation(fmt::format("START of job {} without room for it{}", job.id, holders(job)));
    return reply(DFRS_BUSY, "no memory");
  }
  FakeJob& runs = job.array_tasks > 1 ? split_task(job) : job;
  runs.state = FakeState::running;
  runs.at = at;
  runs.start_time = static_cast<std::int64_t>(now_);
  runs.end_time = runs.time_limit == UINT32_MAX ? 0 : runs.start_time + std::int64_t{60} * runs.time_limit;
  runs.launch_at = runs.preparation > 0 ? now_ + runs.preparation : 0;
  runs.run_progress = 0;
  runs.ran_before_suspend = 0;
  begin_run(runs);
  ++runs.starts;
  if (runs.first_start == 0) runs.first_start = now_;
  result.job_id = runs.id;
  reply(DFRS_DONE, "");
}

bool FakeSlurm::may_start(FakeJob& job, const dfrs_operation& op, dfrs_result& result) {
  if (job.state == FakeState::requeuing) return answer(result, DFRS_BUSY, "cleaning up");
  if (job.state != FakeState::pending) return answer(result, DFRS_STALE, "not pending");
  if (job.held) return answer(result, DFRS_BLOCKED, "held");
  if (on_start) {
    std::string reason;
    if (const auto code = on_start(job, reason); code != DFRS_DONE) return answer(result, code, reason);
  }
  if (static_cast<double>(job.begin_time) <= now_) return true;
  if (!op.after_requeue) {
    violation(fmt::format("START of job {} before its begin time", job.id));
    return answer(result, DFRS_BLOCKED, "BeginTime");
  }
  job.begin_time = 0;
  return true;
}

// On the last nodes first, unlike any policy. Empty: there is no room.
FakeSlurm::Placement FakeSlurm::place_as_slurm_does(const FakeJob& job, const dfrs_operation& op) const {
  Placement at;
  std::uint32_t left = job.tasks;
  for (std::uint32_t k = op.node_count; k-- > 0 && left > 0;) {
    const std::uint32_t n = op.nodes[k];
    if (completing(n) || !nodes[n].usable) continue;
    std::uint16_t here = 0;
    while (left > 0 && fits(job, {{n, static_cast<std::uint16_t>(here + 1)}})) {
      ++here;
      --left;
    }
    if (here != 0) at.insert(at.begin(), {n, here});
  }
  return left == 0 ? at : Placement{};
}

FakeSlurm::Placement FakeSlurm::placement_of(const FakeJob& job, const dfrs_operation& op) {
  Placement at;
  std::uint32_t total = 0;
  for (std::uint32_t k = 0; k < op.node_count; ++k) {
    at.emplace_back(op.nodes[k], op.node_tasks[k]);
    total += op.node_tasks[k];
    if (k > 0 && op.nodes[k] <= op.nodes[k - 1]) violation("nodes of a START do not ascend");
  }
  if (total != job.tasks) violation(fmt::format("START of job {} with {} tasks of {}", job.id, total, job.tasks));
  return at;
}

bool FakeSlurm::nodes_are_ready(const FakeJob& job, const Placement& at, dfrs_result& result) {
  for (const auto& [n, tasks] : at) {
    if (n >= nodes.size() || !nodes[n].usable) return answer(result, DFRS_BUSY, "a node is down");
    if (completing(n)) {
      if (!raced_) violation(fmt::format("START of job {} on a node that is completing", job.id));
      return answer(result, DFRS_BUSY, "completing");
    }
    if (!job.eligible.empty() && ((job.eligible[n / 64] >> (n % 64)) & 1) == 0) {
      violation(fmt::format("START of job {} on a node that it may not use", job.id));
    }
    const bool revoked_here = std::find(job.revoked_on.begin(), job.revoked_on.end(), n) != job.revoked_on.end();
    if (revoked_here && static_cast<std::int64_t>(now_) <= job.revoked) {
      violation(fmt::format("job {} is started in the second of its revocation: slurmd fails it", job.id));
    }
  }
  return true;
}

// From the images of its last run, if there are any and all of its agents can read them.
void FakeSlurm::begin_run(FakeJob& job) {
  const bool readable = std::all_of(job.at.begin(), job.at.end(), [&](const auto& task) {
    if (task.first >= agents.size()) return false;
    const FakeCheckpoints& all = agents.node(task.first).checkpoints;
    return !all.no_restore && !all.fail_restore;
  });
  for (const auto& [n, tasks] : job.at) agents.begin_run(n, job.id, job.image_attempt);
  if (job.image_attempt == 0) return;
  if (readable) {
    job.progress = job.image_progress;
    ++job.restores;
  }
  job.image_attempt = 0;
}

// A task of the array becomes a job of its own.
FakeJob& FakeSlurm::split_task(FakeJob& array) {
  FakeJob task = array;
  --array.array_tasks;
  if (array.array_tasks == 1) array.flags &= ~std::uint32_t{DFRS_JOB_ARRAY_META};
  task.id = next_id_++;
  task.array_tasks = 1;
  task.flags &= ~std::uint32_t{DFRS_JOB_ARRAY_META};
  return jobs[task.id] = task;
}

void FakeSlurm::apply_one(const dfrs_operation& op, dfrs_result& result) {
  result = {};
  const auto reply = [&](dfrs_result_code code, const char* reason) { answer(result, code, reason); };
  const auto found = jobs.find(op.key.job_id);
  if (found == jobs.end() || found->second.restarts != op.key.restarts || found->second.submit != op.key.submit) {
    if (!raced_) violation(fmt::format("an operation on a wrong key, job {}", op.key.job_id));
    return reply(DFRS_STALE, "not the run it was");
  }
  FakeJob& job = found->second;
  if (on_operation) {
    if (const auto code = on_operation(job, op); code != DFRS_DONE) {
      raced_ = true;  // other operations of this round relied on it
      return reply(code, "by the test");
    }
  }
  if ((op.kind == DFRS_OP_START || op.kind == DFRS_OP_RESUME) && dice_.chance(options.busy_percent)) {
    return reply(DFRS_BUSY, "by chance");
  }
  switch (op.kind) {
    case DFRS_OP_START:
      return start(job, op, result);
    case DFRS_OP_SUSPEND:
      if (job.state != FakeState::running) return reply(DFRS_STALE, "not running");
      job.state = FakeState::suspended;
      job.memory_given_back = true;
      job.ran_before_suspend += now_ - static_cast<double>(job.start_time);
      ++job.suspends;
      return reply(DFRS_DONE, "");
    case DFRS_OP_RESUME:
      if (job.state != FakeState::suspended) return reply(DFRS_STALE, "not suspended");
      if (job.user_suspended) return reply(DFRS_BLOCKED, "suspended by its user");
      if (!fits(job, job.at)) {
        if (!raced_) violation(fmt::format("RESUME of job {} without room for it{}", job.id, holders(job)));
        return reply(DFRS_BUSY, "no memory");
      }
      job.state = FakeState::running;
      job.start_time = static_cast<std::int64_t>(now_);
      if (job.time_limit != UINT32_MAX) {
        job.end_time = static_cast<std::int64_t>(now_ + 60.0 * job.time_limit - job.ran_before_suspend);
      }
      return reply(DFRS_DONE, "");
    case DFRS_OP_REQUEUE:
      if (job.state != FakeState::running && job.state != FakeState::suspended) return reply(DFRS_STALE, "not running");
      if ((job.flags & DFRS_JOB_MAY_REQUEUE) == 0) {
        violation(fmt::format("REQUEUE of job {}, which must not be", job.id));
        return reply(DFRS_REFUSED, "--no-requeue");
      }
      if (stopped_somewhere(job) && !job.lost && !raced_) {
        for (const auto& [n, tasks] : job.at) {
          if (!agents.has_image(n, job.id, job.restarts))
            violation(fmt::format("REQUEUE of job {}, which is stopped and has no image on {}", job.id, n));
        }
      }
      ++job.requeues_by_us;
      requeue_run(job);
      return reply(DFRS_DONE, "");
    case DFRS_OP_END_TIME:
      if (job.state != FakeState::running) return reply(DFRS_STALE, "not running");
      job.end_time = op.end_time;
      return reply(DFRS_DONE, "");
    case DFRS_OP_COMMENT:
      job.comment = op.text != nullptr ? op.text : "";
      return reply(DFRS_DONE, "");
  }
}

}  // namespace dfrs::shim
