// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/job_slots.h"

#include <algorithm>

namespace dfrs::sim {

JobSlots::JobSlots(const Instance& instance, bool reuse, bool truth_as_estimates)
    : instance_(instance), reuse_(reuse), truth_as_estimates_(truth_as_estimates) {
  if (!reuse_) add_slots(instance.jobs.size());
}

void JobSlots::add_slots(std::size_t count) {
  views_.resize(views_.size() + count);
  truths_.resize(views_.size());
  nodes_.resize(views_.size());
  estimates_.resize(views_.size());
  if (reservations_) reserved_starts_.resize(views_.size());
}

JobSlot JobSlots::take_slot(std::size_t index) {
  if (!reuse_) return static_cast<JobSlot>(index);
  if (free_.empty()) {
    free_.push_back(static_cast<JobSlot>(views_.size()));
    add_slots(1);
  }
  const JobSlot slot = free_.back();
  free_.pop_back();
  return slot;
}

JobSlot JobSlots::submit(std::size_t index) {
  const Job& job = instance_.jobs[index];
  const JobSlot slot = take_slot(index);
  views_[slot] = {.id = job.id,
                  .state = JobState::waiting,
                  .flags = {},
                  .tasks = static_cast<std::uint32_t>(job.tasks),
                  .cpu_need = job.asked(),
                  .rigid = job.rigid,
                  .submit = job.submit,
                  .user = job.user,
                  .weight = job.weight,
                  .clock = {},
                  .nodes = {}};
  truths_[slot] = {static_cast<std::uint32_t>(index), PauseEffect::kept, job.run_time, job.cpu_need};
  estimates_[slot] = truth_as_estimates_ ? job.run_time : job.estimate;
  if (!reservations_ && job.reserved_start > job.submit) {
    reservations_ = true;
    reserved_starts_.resize(views_.size());
  }
  if (reservations_) reserved_starts_[slot] = job.reserved_start;
  ++in_system_;
  return slot;
}

void JobSlots::complete(JobSlot job) {
  JobView& view = views_[job];
  view.state = JobState::absent;
  view.flags = {};
  view.nodes = {};
  spare_.recycle(nodes_[job]);
  --in_system_;
}

void JobSlots::free_completed(std::span<const Event> events) {
  if (!reuse_) return;
  for (const Event& event : events) {
    if (event.kind == EventKind::completed) free_.push_back(event.job);
  }
}

const Job& JobSlots::first_in_system() const {
  std::size_t first = instance_.jobs.size();
  for (JobSlot slot = 0; slot < views_.size(); ++slot) {
    if (views_[slot].state != JobState::absent) first = std::min<std::size_t>(first, truths_[slot].index);
  }
  return instance_.jobs[first];
}

}  // namespace dfrs::sim
