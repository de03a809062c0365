// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/plan.h"

#include <algorithm>
#include <tuple>

#include "studies/divisible/rules/list_schedule.h"

namespace dfrs::divisible {
namespace {

void append(std::vector<Piece>& pieces, JobIndex job, Seconds begin, Seconds length) {
  if (!pieces.empty() && pieces.back().job == job && pieces.back().end == begin) {
    pieces.back().end = begin + length;
  } else {
    pieces.push_back({job, begin, begin + length});
  }
}

}  // namespace

Timetable keep_intervals(const Platform& platform, std::span<const Task> tasks, const Allocation& allocation) {
  const std::size_t sites = platform.sites().size();
  std::vector<std::uint32_t> last(sites * tasks.size(), 0);  // interval of a task's last part, by task and site
  for (const Allocation::Part& part : allocation.parts) {
    std::uint32_t& interval = last[part.task * sites + part.site];
    interval = std::max(interval, part.interval);
  }
  std::vector<double> remaining;
  for (const Task& task : tasks) remaining.push_back(task.work);

  Timetable timetable(sites);
  std::vector<Seconds> until(sites, 0);
  using Key = std::tuple<bool, double, std::uint32_t>;
  std::vector<std::pair<Key, const Allocation::Part*>> order;
  for (auto part = allocation.parts.begin(); part != allocation.parts.end();) {
    const std::uint32_t interval = part->interval;
    order.clear();
    for (; part != allocation.parts.end() && part->interval == interval; ++part) {
      const bool terminal = last[part->task * sites + part->site] == interval;
      order.push_back({{!terminal, swrpt_key(remaining[part->task], tasks[part->task].weight), part->task}, &*part});
    }
    std::sort(order.begin(), order.end());
    for (Seconds& site : until) site = allocation.epochs[interval];
    for (const auto& [key, piece] : order) {
      const Seconds length = piece->work / platform.sites()[piece->site].power;
      append(timetable[piece->site], tasks[piece->task].job, until[piece->site], length);
      until[piece->site] += length;
      remaining[piece->task] -= piece->work;
    }
  }
  return timetable;
}

Timetable pull_forward(const Platform& platform, std::span<const Task> tasks, const Allocation& allocation,
                       Seconds now) {
  struct Portion {
    double work = 0;
    std::uint32_t last = 0;
  };
  const std::size_t sites = platform.sites().size();
  std::vector<Portion> portions(sites * tasks.size());
  for (const Allocation::Part& part : allocation.parts) {
    Portion& portion = portions[part.task * sites + part.site];
    portion.work += part.work;
    portion.last = std::max(portion.last, part.interval);
  }
  Timetable timetable(sites);
  std::vector<std::tuple<std::uint32_t, double, std::uint32_t>> order;
  for (std::size_t s = 0; s < sites; ++s) {
    order.clear();
    for (std::uint32_t k = 0; k < tasks.size(); ++k) {
      const Portion& portion = portions[k * sites + s];
      if (portion.work > 0) order.emplace_back(portion.last, swrpt_key(tasks[k].work, tasks[k].weight), k);
    }
    std::sort(order.begin(), order.end());
    Seconds at = now;
    for (const auto& [last, key, k] : order) {
      const Seconds length = portions[k * sites + s].work / platform.sites()[s].power;
      append(timetable[s], tasks[k].job, at, length);
      at += length;
    }
  }
  return timetable;
}

std::vector<JobIndex> by_last_interval(std::span<const Task> tasks, const Allocation& allocation) {
  std::vector<std::tuple<std::size_t, double, std::uint32_t>> order;
  for (std::uint32_t k = 0; k < tasks.size(); ++k) {
    order.emplace_back(allocation.epochs.size(), swrpt_key(tasks[k].work, tasks[k].weight), k);
  }
  for (const Allocation::Part& part : allocation.parts) std::get<0>(order[part.task]) = part.interval;  // ascending
  std::sort(order.begin(), order.end());
  std::vector<JobIndex> jobs;
  for (const auto& [last, key, k] : order) jobs.push_back(tasks[k].job);
  return jobs;
}

void PlanRunner::start(Timetable timetable) {
  timetable_ = std::move(timetable);
  next_.assign(timetable_.size(), 0);
  last_end_.clear();
  for (const std::vector<Piece>& pieces : timetable_) {
    for (const Piece& piece : pieces) {
      if (piece.job >= last_end_.size()) last_end_.resize(piece.job + 1, 0);
      last_end_[piece.job] = std::max(last_end_[piece.job], piece.end);
    }
  }
}

void PlanRunner::decide(const View& view, Decision& decision) {
  for (std::size_t s = 0; s < timetable_.size(); ++s) {
    const std::vector<Piece>& pieces = timetable_[s];
    while (next_[s] < pieces.size() && pieces[next_[s]].end <= view.now) ++next_[s];
    if (next_[s] == pieces.size()) continue;
    const Piece& piece = pieces[next_[s]];
    if (piece.begin > view.now) {
      decision.wake_at = std::min(decision.wake_at, piece.begin);
      continue;
    }
    decision.wake_at = std::min(decision.wake_at, piece.end);
    if (!(view.jobs[piece.job].remaining > 0)) continue;
    for (const ClusterIndex c : view.platform->sites()[s].clusters) {
      decision.shares.push_back({piece.job, c, view.platform->clusters()[c].power()});
    }
  }
  left_.clear();
  for (const JobIndex j : view.active) {
    if (j >= last_end_.size() || last_end_[j] <= view.now) left_.push_back(j);
  }
  if (left_.empty()) return;
  const auto key = [&](JobIndex j) { return swrpt_key(view.jobs[j].remaining, view.jobs[j].weight); };
  std::stable_sort(left_.begin(), left_.end(), [&](JobIndex a, JobIndex b) { return key(a) < key(b); });
  list_schedule(view, left_, decision);
}

}  // namespace dfrs::divisible
