// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/books.h"

#include <algorithm>
#include <functional>

namespace dfrs::shim {

Job* Books::find(std::uint32_t id) {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : it->second.get();
}

const Job* Books::find(std::uint32_t id) const {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : it->second.get();
}

Job& Books::add(std::uint32_t id) {
  auto& job = jobs_[id];
  job = std::make_unique<Job>();
  job->id = id;
  order_valid_ = false;
  return *job;
}

void Books::remove(std::uint32_t id) {
  jobs_.erase(id);
  order_valid_ = false;
}

const std::vector<Job*>& Books::ordered() const {
  if (!order_valid_) {
    order_.clear();
    for (const auto& [id, job] : jobs_) order_.push_back(job.get());
    std::sort(order_.begin(), order_.end(), [](const Job* a, const Job* b) { return a->id < b->id; });
    order_valid_ = true;
  }
  return order_;
}

JobSlot Books::open_slot(Job& job) {
  if (free_.empty()) {
    free_.push_back(static_cast<JobSlot>(views_.size()));
    views_.emplace_back();
    estimates_.push_back(0);
    owners_.push_back(nullptr);
  }
  job.slot = free_.back();
  free_.pop_back();
  views_[job.slot] = JobView{};
  estimates_[job.slot] = 0;
  owners_[job.slot] = &job;
  return job.slot;
}

void Books::close_slot(Job& job) {
  if (job.slot == kNoSlot) return;
  JobView& view = views_[job.slot];
  view.state = JobState::absent;
  view.nodes = {};  // these two pointed into the record
  view.eligible = nullptr;
  view.yield = 0;
  owners_[job.slot] = nullptr;
  closing_.push_back(job.slot);
  job.slot = kNoSlot;
}

void Books::hand_over_slot(Job& from, Job& to) {
  to.slot = from.slot;
  from.slot = kNoSlot;
  if (to.slot != kNoSlot) owners_[to.slot] = &to;
}

void Books::release_slots() {
  free_.insert(free_.end(), closing_.begin(), closing_.end());
  closing_.clear();
  // The lowest comes first, so that runs repeat and the table stays dense.
  std::sort(free_.begin(), free_.end(), std::greater<>());
}

}  // namespace dfrs::shim
