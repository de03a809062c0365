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
  settle(at, {time, job, rank});
}

void CompletionQueue::remove(JobSlot job) {
  if (job >= position_.size() || position_[job] == kAbsent) return;
  const std::size_t at = position_[job];
  position_[job] = kAbsent;
  const Entry last = entries_.back();
  entries_.pop_back();
  if (at == entries_.size()) return;
  settle(at, last);
}

void CompletionQueue::settle(std::size_t at, const Entry& entry) {
  for (std::size_t parent = (at - 1) / 2; at > 0 && entry.before(entries_[parent]); parent = (at - 1) / 2) {
    put(at, entries_[parent]);
    at = parent;
  }
  // An entry that has gone up stays: what is below was behind its parent.
  for (std::size_t child = 2 * at + 1; child < entries_.size(); child = 2 * at + 1) {
    if (child + 1 < entries_.size()) child += entries_[child + 1].before(entries_[child]) ? 1 : 0;
    if (!entries_[child].before(entry)) break;
    put(at, entries_[child]);
    at = child;
  }
  put(at, entry);
}

}  // namespace dfrs::sim
