// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/lost_work.h"

#include <algorithm>

#include "policy/core/requeue_rule.h"

namespace dfrs::sim {

void LostWork::protect(JobSlot job) {
  JobView& view = slots_.view(job);
  view.penalty = restart_;
  const JobRecord& record = result_.jobs[slots_.truth(job).index];
  if (may_lose_a_run(record.lost_runs, rules_.max_lost_runs)) {
    young_.begin(job);
  } else {
    view.flags.may_not_pause = view.flags.may_not_move = true;
  }
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
    if (!may_lose_a_run(record.lost_runs, rules_.max_lost_runs)) view.pauses = Pauses::none;
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
}

}  // namespace dfrs::sim
