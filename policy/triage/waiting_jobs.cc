// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/waiting_jobs.h"

#include <algorithm>
#include <functional>

namespace dfrs::triage {

std::size_t WaitingJobs::KindHash::operator()(const Kind& kind) const {
  constexpr std::size_t kFactor = 0x9e3779b97f4a7c15;
  std::size_t hash = static_cast<std::size_t>(kind.state);
  const auto mix = [&hash](std::size_t value) { hash = (hash ^ value) * kFactor + (hash >> 29); };
  mix(kind.tasks);
  mix(std::hash<double>{}(kind.cpu_need));
  mix(std::hash<double>{}(kind.weight));
  for (const RigidAmount amount : kind.rigid) mix(static_cast<std::size_t>(amount));
  return hash;
}

void WaitingJobs::clear() {
  kinds_.forget_beyond(entries_.size());
  entries_.clear();
  heads_.clear();
  resting_.clear();
  proceeds_ = false;
}

void WaitingJobs::start() {
  groups_.assign(kinds_.size(), {});
  for (const Entry& entry : entries_) {
    if (entry.kind != kAlone) ++groups_[entry.kind].end;
  }
  std::uint32_t begin = 0;
  for (Group& group : groups_) {
    const std::uint32_t count = group.end;
    group = {begin, begin, false};
    begin += count;
  }
  members_.resize(begin);
  for (const Entry& entry : entries_) {
    if (entry.kind == kAlone) {
      heads_.push_back({entry.job, kAlone});
      continue;
    }
    Group& group = groups_[entry.kind];
    members_[group.end] = entry.job;
    if (Ranked::before(entry.job, members_[group.next])) std::swap(members_[group.end], members_[group.next]);
    ++group.end;
  }
  for (std::uint32_t k = 0; k < groups_.size(); ++k) {
    if (groups_[k].next < groups_[k].end) heads_.push_back({members_[groups_[k].next], k});
  }
  std::make_heap(heads_.begin(), heads_.end(), Head::later);
}

void WaitingJobs::push(const Head& head) {
  heads_.push_back(head);
  std::push_heap(heads_.begin(), heads_.end(), Head::later);
}

// The first of them is in its place already.
void WaitingJobs::sort(Group& group) {
  if (group.sorted) return;
  const auto at = [&](std::uint32_t k) { return members_.begin() + static_cast<std::ptrdiff_t>(k); };
  std::sort(at(group.next), at(group.end), Ranked::before);
  group.sorted = true;
}

void WaitingJobs::push_group(std::uint32_t group) {
  if (groups_[group].next < groups_[group].end) push({members_[groups_[group].next], group});
}

// What comes after the last job in its group.
void WaitingJobs::proceed() {
  if (!proceeds_) return;
  proceeds_ = false;
  if (last_.group == kAlone) return;
  Group& group = groups_[last_.group];
  if (group.end - group.next > 1) sort(group);
  ++group.next;
  push_group(last_.group);
}

bool WaitingJobs::empty() {
  proceed();
  return heads_.empty();
}

Ranked WaitingJobs::next() {
  proceed();
  std::pop_heap(heads_.begin(), heads_.end(), Head::later);
  last_ = heads_.back();
  heads_.pop_back();
  proceeds_ = true;
  return last_.job;
}

void WaitingJobs::again(const Ranked& job) { push({job, kAlone}); }

void WaitingJobs::rest() {
  if (last_.group == kAlone || !proceeds_) return;
  proceeds_ = false;
  resting_.push_back(last_.group);
}

void WaitingJobs::wake() {
  for (const std::uint32_t k : resting_) {
    Group& group = groups_[k];
    sort(group);
    const auto from = members_.begin() + static_cast<std::ptrdiff_t>(group.next);
    const auto end = members_.begin() + static_cast<std::ptrdiff_t>(group.end);
    const auto first =
        std::partition_point(from, end, [&](const Ranked& job) { return !Ranked::before(last_.job, job); });
    group.next = static_cast<std::uint32_t>(first - members_.begin());
    push_group(k);
  }
  resting_.clear();
}

}  // namespace dfrs::triage
