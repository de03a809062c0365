// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/state_keeper.h"

#include <utility>

#include "shim/controller/state_writer.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {

void StateKeeper::save_if_due(const JobTable& jobs, bool quotas_in_force, Seconds now) {
  if (!changed_) return;
  const bool too_soon = now >= written_at_ && now - written_at_ < kStateInterval;
  if (too_soon && !urgent_) return;
  written_at_ = now;
  changed_ = urgent_ = false;
  if (writer_ == nullptr) return;
  SavedState state;
  state.epoch = saved_.epoch;
  state.saved_at = now;
  state.totals = saved_.totals;
  state.quotas_in_force = quotas_in_force;
  jobs.each([&](const Job& job) {
    if (job.facts.phase != DFRS_JOB_ENDING) state.jobs.emplace(job.id, save_job(job));
  });
  // Jobs of the file that no snapshot has shown yet.
  for (const auto& [id, job] : saved_.jobs) state.jobs.emplace(id, job);
  writer_->put(std::move(state));
}

Seconds StateKeeper::due_at(Seconds now) const { return changed_ ? now + kStateInterval : kNever; }

}  // namespace dfrs::shim
