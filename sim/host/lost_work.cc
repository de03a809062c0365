// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/lost_work.h"

#include <algorithm>

namespace dfrs::sim {

void LostWork::protect(JobSlot job) {
  JobView& view = slots_.view(job);
  view.penalty = restart_;
  view.flags.may_not_pause = view.flags.may_not_move = true;
  const JobRecord& record = result_.jobs[slots_.truth(job).index];
  if (record.lost_runs < rules_.max_lost_runs) protected_.push_back(job);
}

void LostWork::lose(JobSlot job) {
  JobView& view = slots_.view(job);
  const TrueJob& truth = slots_.truth(job);
  JobRecord& record = result_.jobs[truth.index];
  VirtualClock& work = progress_.work(job);
  if (view.clock.base > 0) {
    ++record.lost_runs;
    record.lost_time += view.clock.base;
    view.lost_runs = record.lost_runs;
    view.longest_run = std::max(view.longest_run, view.clock.base);
    if (record.lost_runs >= rules_.max_lost_runs) view.pauses = Pauses::none;
    result_.lost_work += work.base * truth.cpu_need * view.tasks;
  }
  view.clock.base = 0;
  work.base = 0;
}

void LostWork::update(Seconds now) {
  std::erase_if(runs_, [&](JobSlot job) {
    JobView& view = slots_.view(job);
    const bool runs = view.state == JobState::running;
    view.penalty = restart_ + (runs ? view.clock.at(now) : 0);
    return !runs;
  });
  std::erase_if(protected_, [&](JobSlot job) {
    JobView& view = slots_.view(job);
    if (view.state != JobState::running) return true;  // it has completed
    if (view.clock.at(now) < rules_.min_progress) return false;
    view.flags = {};
    return true;
  });
}

}  // namespace dfrs::sim
