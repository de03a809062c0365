// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/completion_queue.h"

namespace dfrs::sim {

void CompletionQueue::set(JobSlot job, Seconds time, std::uint32_t rank) {
  if (job >= position_.size()) position_.resize(job + 1, kAbsent);
  std::size_t at = position_[job];
  if (at == kAbsent) {
    at = heap_.size();
    heap_.emplace_back();
    put(at, {time, job, rank});
    up(at);
    return;
  }
  heap_[at].time = time;
  heap_[at].rank = rank;
  up(at);
  down(position_[job]);
}

void CompletionQueue::remove(JobSlot job) {
  std::size_t at = job < position_.size() ? position_[job] : kAbsent;
  if (at == kAbsent) return;
  position_[job] = kAbsent;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (at == heap_.size()) return;
  // The last entry nearly always belongs at the bottom: the gap goes there at once, and the entry up from there, which
  // spares to compare it on the way down with no way to foretell where it stops.
  for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size()) child += heap_[child + 1].before(heap_[child]) ? 1 : 0;
    put(at, heap_[child]);
    at = child;
  }
  put(at, last);
  up(at);
}

void CompletionQueue::up(std::size_t at) {
  const Entry entry = heap_[at];
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!entry.before(heap_[parent])) break;
    put(at, heap_[parent]);
    at = parent;
  }
  put(at, entry);
}

void CompletionQueue::down(std::size_t at) {
  const Entry entry = heap_[at];
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size()) child += heap_[child + 1].before(heap_[child]) ? 1 : 0;
    if (!heap_[child].before(entry)) break;
    put(at, heap_[child]);
    at = child;
  }
  put(at, entry);
}

}  // namespace dfrs::sim
