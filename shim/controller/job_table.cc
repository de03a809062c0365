// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/job_table.h"

#include <algorithm>
#include <functional>

namespace dfrs::shim {
namespace {

// A view may point into the record.
void point_to_moved(JobView& view, const JobFacts& from, const JobFacts& to) {
  if (view.eligible == &from.eligible_nodes) view.eligible = &to.eligible_nodes;
  if (view.eligible == &from.image_nodes) view.eligible = &to.image_nodes;
}

}  // namespace

Job* JobTable::find(std::uint32_t id) {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : it->second.get();
}

const Job* JobTable::find(std::uint32_t id) const {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : it->second.get();
}

JobTable::Search::Search(JobTable& jobs) : jobs_(jobs) { jobs.sort_entries(); }

Job* JobTable::Search::find(std::uint32_t id) {
  const std::vector<Entry>& order = jobs_.order_;
  if (!jobs_.sorted_) return jobs_.find(id);
  while (next_ < order.size() && order[next_].id < id) ++next_;
  const bool here = next_ < order.size() && order[next_].id == id && order[next_].job != nullptr;
  return here ? order[next_].job : jobs_.find(id);
}

Job& JobTable::add(std::uint32_t id) {
  Record& job = jobs_[id];
  job.reset(std::pmr::polymorphic_allocator<>(shelf_.get()).new_object<Job>());
  job->id = id;
  ++shelved_;
  if (!order_.empty() && order_.back().id > id) {
    sorted_ = false;
    ++misplaced_;
  }
  order_.push_back({id, job.get()});
  return *job;
}

void JobTable::remove(std::uint32_t id) {
  jobs_.erase(id);
  sort_entries();
  const auto first = std::lower_bound(order_.begin(), order_.end(), id,
                                      [](const Entry& entry, std::uint32_t wanted) { return entry.id < wanted; });
  for (auto it = first; it != order_.end() && it->id == id; ++it) it->job = nullptr;
  complete_ = false;
}

void JobTable::tidy() {
  if (misplaced_ <= kFew + size() / 8 && shelved_ <= kFew + 2 * size()) return;
  auto shelf = std::make_unique<Shelf>(size() * sizeof(Job) + alignof(Job));
  std::pmr::polymorphic_allocator<> room(shelf.get());
  in_order();
  for (Entry& entry : order_) {
    Job* const from = entry.job;
    Job* const to = room.new_object<Job>(std::move(*from));
    if (to->policy.slot != kNoSlot) {
      point_to_moved(views_[to->policy.slot], from->facts, to->facts);
      owners_[to->policy.slot] = to;
    }
    jobs_.find(entry.id)->second.reset(to);
    entry.job = to;
  }
  shelf_ = std::move(shelf);
  shelved_ = size();
  misplaced_ = 0;
}

void JobTable::sort_entries() const {
  if (sorted_) return;
  std::stable_sort(order_.begin(), order_.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  sorted_ = true;
}

const std::vector<JobTable::Entry>& JobTable::in_order() const {
  sort_entries();
  if (!complete_) std::erase_if(order_, [](const Entry& entry) { return entry.job == nullptr; });
  complete_ = true;
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
