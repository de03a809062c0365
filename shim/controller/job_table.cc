// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/job_table.h"

#include <algorithm>
#include <functional>

namespace dfrs::shim {

Job* JobTable::find(std::uint32_t id) {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : it->second.get();
}

const Job* JobTable::find(std::uint32_t id) const {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : it->second.get();
}

Job& JobTable::add(std::uint32_t id) {
  auto& job = jobs_[id];
  job = std::make_unique<Job>();
  job->id = id;
  order_valid_ = false;
  return *job;
}

void JobTable::remove(std::uint32_t id) {
  jobs_.erase(id);
  order_valid_ = false;
}

const std::vector<Job*>& JobTable::ordered() const {
  if (!order_valid_) {
    order_.clear();
    for (const auto& [id, job] : jobs_) order_.push_back(job.get());
    std::sort(order_.begin(), order_.end(), [](const Job* a, const Job* b) { return a->id < b->id; });
    order_valid_ = true;
  }
  return order_;
}

JobSlot JobTable::open_slot(Job& job) {
  if (free_.empty()) {
    free_.push_back(static_cast<JobSlot>(views_.size()));
    views_.emplace_back();
    estimates_.push_back(0);
    owners_.push_back(nullptr);
  }
  job.policy.slot = free_.back();
  free_.pop_back();
  views_[job.policy.slot] = JobView{};
  estimates_[job.policy.slot] = 0;
  owners_[job.policy.slot] = &job;
  return job.policy.slot;
}

void JobTable::close_slot(Job& job) {
  if (job.policy.slot == kNoSlot) return;
  JobView& view = views_[job.policy.slot];
  view.state = JobState::absent;
  view.nodes = {};  // this and the next pointed into the record
  view.eligible = nullptr;
  view.yield = 0;
  owners_[job.policy.slot] = nullptr;
  closing_.push_back(job.policy.slot);
  job.policy.slot = kNoSlot;
}

void JobTable::hand_over_slot(Job& from, Job& to) {
  to.policy.slot = from.policy.slot;
  from.policy.slot = kNoSlot;
  if (to.policy.slot != kNoSlot) owners_[to.policy.slot] = &to;
}

void JobTable::release_slots() {
  free_.insert(free_.end(), closing_.begin(), closing_.end());
  closing_.clear();
  // The lowest is used first, so that runs are reproducible and the table stays dense.
  std::sort(free_.begin(), free_.end(), std::greater<>());
}

}  // namespace dfrs::shim
