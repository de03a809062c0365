// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/optimal.h"

#include <algorithm>
#include <cmath>

#include "studies/divisible/rules/list_schedule.h"

namespace dfrs::divisible {
namespace {

// The whole job, as before any decision.
Task whole(JobIndex index, const JobView& job) {
  return {index, job.databank, job.release, job.release, job.size, job.weight};
}

}  // namespace

double optimal_max_stretch(const Platform& platform, std::span<const JobView> jobs, FlowSolver& solver) {
  std::vector<Task> tasks;
  for (JobIndex j = 0; j < jobs.size(); ++j) tasks.push_back(whole(j, jobs[j]));
  return min_objective(platform, tasks, 0, solver);
}

Offline::Offline(const Platform& platform, std::span<const JobView> jobs, FlowSolver& solver) {
  std::vector<Task> tasks;
  for (JobIndex j = 0; j < jobs.size(); ++j) tasks.push_back(whole(j, jobs[j]));
  max_stretch_ = min_objective(platform, tasks, 0, solver);
  const Allocation allocation = allocate(platform, tasks, max_stretch_ * (1 + kPlanSlack), solver);
  plan_.start(keep_intervals(platform, tasks, allocation));
}

void Online::decide(const View& view, Decision& decision) {
  if (view.arrived > 0) plan(view);
  if (variant_ == OnlineVariant::egdf) {
    list_schedule(view, order_, decision);
  } else {
    plan_.decide(view, decision);
  }
}

void Online::plan(const View& view) {
  tasks_.clear();
  sizes_.clear();
  for (const JobIndex j : view.active) {
    const JobView& job = view.jobs[j];
    tasks_.push_back({j, job.databank, view.now, job.release, job.remaining, job.weight});
    sizes_.push_back(job.size);
  }
  const Platform& platform = *view.platform;
  const double max_stretch = min_objective(platform, tasks_, 0, solver_);
  const Allocation allocation = allocate_early(platform, tasks_, sizes_, max_stretch * (1 + kPlanSlack), solver_);
  switch (variant_) {
    case OnlineVariant::intervals:
      plan_.start(keep_intervals(platform, tasks_, allocation));
      break;
    case OnlineVariant::edf:
      plan_.start(pull_forward(platform, tasks_, allocation, view.now));
      break;
    case OnlineVariant::egdf:
      order_ = by_last_interval(tasks_, allocation);
      break;
  }
}

// Only jobs whose window from release to deadline overlaps that of the new job, directly or through others, compete
// with it. The previous stretch stays feasible for all others.
void Bender98::raise_max_stretch(const View& view, std::size_t arrived_job) {
  const std::span<const JobView> jobs = view.jobs.first(arrived_job + 1);
  std::vector<Task> linked;
  for (;;) {
    Seconds begin = jobs.back().release;
    linked.clear();
    // A job that ends before `begin` may still be linked through an earlier one, so repeat until nothing changes.
    for (bool grown = true; grown;) {
      grown = false;
      linked.clear();
      Seconds earliest = begin;
      for (JobIndex j = 0; j < jobs.size(); ++j) {
        const Task task = whole(j, jobs[j]);
        if (task.deadline(max_stretch_) <= begin && j != arrived_job) continue;
        linked.push_back(task);
        earliest = std::min(earliest, task.release);
      }
      grown = earliest < begin;
      begin = earliest;
    }
    const double raised = min_objective(*view.platform, linked, max_stretch_, solver_);
    if (raised <= max_stretch_) return;
    max_stretch_ = raised;
  }
}

void Bender98::decide(const View& view, Decision& decision) {
  if (view.arrived > 0) {
    for (std::size_t j = view.jobs.size() - view.arrived; j < view.jobs.size(); ++j) {
      least_ = std::min(least_, view.jobs[j].size);
      greatest_ = std::max(greatest_, view.jobs[j].size);
      raise_max_stretch(view, j);
    }
    const double expansion = std::sqrt(greatest_ / least_);
    const auto deadline = [&](JobIndex j) {
      return view.jobs[j].release + expansion * max_stretch_ / view.jobs[j].weight;
    };
    order_.assign(view.active.begin(), view.active.end());
    std::stable_sort(order_.begin(), order_.end(), [&](JobIndex a, JobIndex b) { return deadline(a) < deadline(b); });
  }
  list_schedule(view, order_, decision);
}

}  // namespace dfrs::divisible
