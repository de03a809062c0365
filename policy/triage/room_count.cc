// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/room_count.h"

#include <algorithm>

#include "policy/core/compare.h"

namespace dfrs::triage {

void RoomCount::begin(const ClusterState& state, const JobView& job, const RoomTerms& terms) {
  for (const NodeIndex n : counted_) room_[n] = 0;
  counted_.clear();
  for (const NodeIndex n : changes_) changed_[n] = 0;
  changes_.clear();
  state_ = &state;
  job_ = &job;
  terms_ = terms;
  total_ = 0;
  room_.resize(state.node_count());
  contents_.resize(state.node_count());
  changed_.resize(state.node_count());
  for (NodeIndex n = 0; (n = state.next_with_memory(n, job.rigid[kMemory])) < room_.size(); ++n) count(n);
}

void RoomCount::without(const JobView& other, std::span<const NodeIndex> nodes) {
  for (const NodeIndex n : nodes) contents(n).remove_task(other);
  for (const NodeIndex n : nodes) count(n);
}

void RoomCount::with(const JobView& other, std::span<const NodeIndex> nodes) {
  for (const NodeIndex n : nodes) contents(n).add_task(other);
  for (const NodeIndex n : nodes) count(n);
}

NodeContents& RoomCount::contents(NodeIndex n) {
  if (changed_[n] == 0) {
    changed_[n] = 1;
    changes_.push_back(n);
    contents_[n] = state_->contents(n);
  }
  return contents_[n];
}

// A job that may not move finds room only on its former nodes, and no more than it had there.
std::uint32_t RoomCount::room_at(NodeIndex n) const {
  if (n >= terms_.lane) return 0;
  const double load = changed_[n] != 0 ? contents_[n].cpu_load : state_->cpu_load(n);
  const double capacity = terms_.most_load * state_->cpu_capacity(n);
  const bool limited = terms_.most_load < kNever;
  if (limited && cpu_exceeds(load + job_->cpu_need, capacity)) return 0;  // most nodes of a busy cluster
  std::uint32_t room = changed_[n] != 0 ? state_->room_for(*job_, n, contents_[n]) : state_->room_for(*job_, n);
  if (terms_.beside != nullptr && room > 0) room = std::min(room, terms_.beside->room_beside(*job_, n));
  while (limited && room > 0 && cpu_exceeds(load + room * job_->cpu_need, capacity)) --room;
  if (room == 0 || !job_->flags.may_not_move || job_->nodes.empty()) return room;
  const auto [first, last] = std::equal_range(job_->nodes.begin(), job_->nodes.end(), n);
  return std::min(room, static_cast<std::uint32_t>(last - first));
}

void RoomCount::count(NodeIndex n) {
  const std::uint32_t room = room_at(n);
  if (room_[n] == 0 && room != 0) counted_.push_back(n);
  total_ += room;
  total_ -= room_[n];
  room_[n] = room;
}

}  // namespace dfrs::triage
