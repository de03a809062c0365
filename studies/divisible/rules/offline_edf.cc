// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/offline_edf.h"

#include <algorithm>
#include <tuple>

#include "studies/divisible/rules/deadlines.h"
#include "studies/divisible/rules/list_schedule.h"

namespace dfrs::divisible {

OfflineEdf::OfflineEdf(const Platform& platform, std::span<const JobView> jobs, FlowSolver& solver) {
  std::vector<Task> tasks;
  for (JobIndex j = 0; j < jobs.size(); ++j) {
    tasks.push_back({j, jobs[j].databank, jobs[j].release, jobs[j].release, jobs[j].size, jobs[j].weight});
  }
  const double objective = min_objective(platform, tasks, 0, solver) * (1 + kPlanSlack);
  const Allocation allocation = allocate(platform, tasks, objective, solver);
  sites_.resize(platform.sites().size());
  runs_.resize(platform.sites().size(), nullptr);
  for (const Site& site : platform.sites()) power_.push_back(site.power);
  std::vector<std::vector<Portion>> by_task(sites_.size(), std::vector<Portion>(tasks.size()));
  for (const Allocation::Part& part : allocation.parts) {
    Portion& portion = by_task[part.site][part.task];
    portion.last = std::max(portion.last, part.interval);
    portion.left += part.work;
  }
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    for (JobIndex j = 0; j < tasks.size(); ++j) {
      if (by_task[s][j].left > 0) sites_[s].push_back({j, by_task[s][j].last, by_task[s][j].left});
    }
    std::stable_sort(sites_[s].begin(), sites_[s].end(), [&](const Portion& a, const Portion& b) {
      return std::tuple(a.last, jobs[a.job].size) < std::tuple(b.last, jobs[b.job].size);
    });
  }
}

void OfflineEdf::account(const View& view) {
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    if (runs_[s] == nullptr) continue;
    runs_[s]->left -= (view.now - then_) * power_[s];
    if (runs_[s]->left <= view.jobs[runs_[s]->job].size * kWorkTolerance) runs_[s]->left = 0;
    runs_[s] = nullptr;
  }
  then_ = view.now;
}

void OfflineEdf::decide(const View& view, Decision& decision) {
  account(view);
  std::vector<char> planned(view.jobs.size(), 0);
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    std::erase_if(sites_[s], [](const Portion& portion) { return !(portion.left > 0); });
    for (Portion& portion : sites_[s]) {
      if (portion.job >= view.jobs.size() || !(view.jobs[portion.job].remaining > 0)) continue;
      planned[portion.job] = 1;
      const Seconds end = view.now + portion.left / power_[s];
      if (runs_[s] != nullptr || !(end > view.now)) continue;
      runs_[s] = &portion;
      decision.wake_at = std::min(decision.wake_at, end);
      for (const ClusterIndex c : view.platform->sites()[s].clusters) {
        decision.shares.push_back({portion.job, c, view.platform->clusters()[c].power()});
      }
    }
  }
  std::vector<JobIndex> left;  // by rounding
  for (const JobIndex j : view.active) {
    if (planned[j] == 0) left.push_back(j);
  }
  list_schedule(view, left, decision);
}

}  // namespace dfrs::divisible
