// SPDX-License-Identifier: GPL-2.0-or-later
// The passing of time: progress under quotas, ends, clean-ups, time limits.
#include "tests/shim/fake_slurm.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfrs::shim {
namespace {

constexpr double kCredentialLifetime = 121;  // Slurm's begin time after a requeue

}  // namespace

void FakeSlurm::end_run(FakeJob& job, FakeState state, double extra) {
  job.state = state;
  job.launch_at = 0;
  job.clean_at = now_ + options.epilog + extra;
  job.user_suspended = false;
  event_ = true;
}

void FakeSlurm::finish(FakeJob& job, FakeEnd end) {
  job.end = end;
  job.finished_at = now_;
  end_run(job, FakeState::ending, end == FakeEnd::completed ? 0 : options.kill_wait);
}

void FakeSlurm::requeue_run(FakeJob& job) {
  ++job.restarts;
  job.steps = 0;
  job.lost = false;
  job.revoked = static_cast<std::int64_t>(now_);
  job.revoked_on.clear();
  for (const auto& [node, tasks] : job.at) job.revoked_on.push_back(node);
  take_images(job);
  const bool checkpoint = job.comment.find("dfrs:checkpoint") != std::string::npos;
  if (!checkpoint) job.progress = 0;
  job.run_progress = 0;
  job.ran_before_suspend = 0;
  end_run(job, FakeState::requeuing, options.kill_wait);
}

// The next run begins from images of this one if all of its nodes have one. Nothing else of it is left there.
void FakeSlurm::take_images(FakeJob& job) {
  job.image_attempt = 0;
  const bool all = !job.at.empty() && std::all_of(job.at.begin(), job.at.end(), [&](const auto& task) {
    return agents.has_image(task.first, job.id, job.restarts - 1) && agents.stopped(task.first, job.id);
  });
  if (all) {
    job.image_attempt = agents.node(job.at.front().first).checkpoints.jobs.at(job.id).said.attempt;
    job.image_progress = job.progress;
  }
  for (const auto& [n, tasks] : job.at) agents.end_run(n, job.id);
}

bool FakeSlurm::stopped_somewhere(const FakeJob& job) const {
  return std::any_of(job.at.begin(), job.at.end(),
                     [&](const auto& task) { return agents.stopped(task.first, job.id); });
}

// The job's speed as a fraction of full speed: its slowest task sets the pace.
double FakeSlurm::rate(const FakeJob& job) const {
  if (job.state != FakeState::running || job.lost || job.launch_at > 0) return 0;
  double rate = 1;
  for (const auto& [n, tasks] : job.at) {
    if (agents.stopped(n, job.id)) return 0;
    const JobQuota* quota = agents.applied(n, job.id);
    if (quota == nullptr) continue;  // no quota there: as fast as it can
    rate = std::min(rate, quota->cpus / (tasks * job.cpus_per_task) / job.needs);
  }
  return rate;
}

void FakeSlurm::advance(double to) {
  for (auto& [id, job] : jobs) {
    const double gained = rate(job) * (to - now_);
    job.progress += gained;
    job.run_progress += gained;
    if (gained <= 0) continue;
    for (const auto& [n, tasks] : job.at) {
      agents.use_cpu(n, id, gained * job.needs * tasks * job.cpus_per_task);
    }
  }
  now_ = std::max(now_, to);
  agents.set_time(now_);
  for (auto& [id, job] : jobs) {
    if (job.state == FakeState::running && job.progress >= job.work - 2e-6) finish(job, FakeEnd::completed);
    if ((job.state == FakeState::requeuing || job.state == FakeState::ending) && now_ >= job.clean_at) {
      if (job.state == FakeState::ending) {
        job.state = FakeState::done;
      } else {
        job.state = FakeState::pending;
        const auto second = static_cast<std::int64_t>(now_);
        if (options.told_again) job.revoked = second;
        if (job.begin_time <= second) job.begin_time = second + static_cast<std::int64_t>(kCredentialLifetime);
        job.submit = second == job.submit ? second + 1 : second;
      }
      job.at.clear();
      event_ = true;  // the plugin sees it in last_job_update
    }
  }
  for (auto& [id, job] : jobs) {
    if (job.launch_at == 0 || now_ < job.launch_at) continue;
    job.launch_at = 0;
    // The limit counts from here.
    if (job.time_limit != UINT32_MAX)
      job.end_time = static_cast<std::int64_t>(now_) + std::int64_t{60} * job.time_limit;
    event_ = true;
  }
  if (now_ >= next_limit_check_) {
    next_limit_check_ = now_ + options.limit_check;
    for (auto& [id, job] : jobs) {
      if (job.state != FakeState::running || job.time_limit == UINT32_MAX || job.launch_at > 0) continue;
      if (static_cast<double>(job.end_time) > now_) continue;
      if (job.run_progress < 60.0 * job.time_limit - 1e-6) {
        violation(fmt::format("job {} was ended for its limit with {:.2f} s of {} min", id, job.run_progress,
                              job.time_limit));
      }
      finish(job, FakeEnd::timeout);
    }
  }
}

double FakeSlurm::next_event() const {
  double next = std::min(wake_at_, agents.next_time());
  if (event_) next = now_;
  for (const auto& [id, job] : jobs) {
    if (job.launch_at > 0) next = std::min(next, job.launch_at);
    if (job.state == FakeState::requeuing || job.state == FakeState::ending) next = std::min(next, job.clean_at);
    const double r = rate(job);
    if (r > 0) next = std::min(next, now_ + std::max(0.0, job.work - job.progress) / r);
    if (job.state == FakeState::running && job.time_limit != UINT32_MAX) next = std::min(next, next_limit_check_);
  }
  return next;
}

}  // namespace dfrs::shim
