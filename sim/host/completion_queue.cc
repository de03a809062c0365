// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/completion_queue.h"

namespace dfrs::sim {

void CompletionQueue::set(JobSlot job, Seconds time, std::uint32_t rank) {
  if (job >= position_.size()) position_.resize(job + 1, kAbsent);
  std::size_t at = position_[job];
  if (at == kAbsent) {
    at = entries_.size();
    entries_.emplace_back();
  }
  const Entry entry{time, job, rank};
  up(at, entry);
  down(position_[job], entry);
}

void CompletionQueue::remove(JobSlot job) {
  if (job >= position_.size() || position_[job] == kAbsent) return;
  const std::size_t at = position_[job];
  position_[job] = kAbsent;
  const Entry last = entries_.back();
  entries_.pop_back();
  if (at == entries_.size()) return;
  up(at, last);
  down(position_[last.job], last);
}

void CompletionQueue::up(std::size_t at, const Entry& entry) {
  for (std::size_t parent = (at - 1) / 2; at > 0 && entry.before(entries_[parent]); parent = (at - 1) / 2) {
    put(at, entries_[parent]);
    at = parent;
  }
  put(at, entry);
}

void CompletionQueue::down(std::size_t at, const Entry& entry) {
  for (std::size_t child = 2 * at + 1; child < entries_.size(); child = 2 * at + 1) {
    if (child + 1 < entries_.size() && entries_[child + 1].before(entries_[child])) ++child;
    if (!entries_[child].before(entry)) break;
    put(at, entries_[child]);
    at = child;
  }
  put(at, entry);
}

}  // namespace dfrs::sim
