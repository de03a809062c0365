// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/completion_queue.h"

#include <algorithm>

namespace dfrs::sim {

void CompletionQueue::set(JobSlot job, Seconds time, std::uint32_t rank) {
  if (job >= position_.size()) position_.resize(job + 1, kAbsent);
  if (sorted_ && position_[job] == kAbsent && entries_.size() == kMostSorted) make_heap();
  const Entry entry{time, job, rank};
  if (sorted_) {
    place_sorted(entry);
  } else {
    place_in_heap(entry);
  }
}

void CompletionQueue::remove(JobSlot job) {
  const std::size_t position = job < position_.size() ? position_[job] : kAbsent;
  if (position == kAbsent) return;
  position_[job] = kAbsent;
  if (sorted_) {
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index_of(job)));
  } else {
    remove_from_heap(position);
    // Far enough from where it becomes a heap not to go to and fro.
    if (entries_.size() <= kMostSorted / 2) sort();
  }
}

// ---- sorted, the latest first

std::size_t CompletionQueue::index_of(JobSlot job) const {
  std::size_t at = entries_.size() - 1;
  while (entries_[at].job != job) --at;
  return at;
}

void CompletionQueue::place_sorted(const Entry& entry) {
  if (position_[entry.job] == kAbsent) {
    position_[entry.job] = kSorted;
    entries_.push_back(entry);
  }
  std::size_t at = index_of(entry.job);
  for (; at > 0 && entries_[at - 1].before(entry); --at) entries_[at] = entries_[at - 1];
  for (; at + 1 < entries_.size() && entry.before(entries_[at + 1]); ++at) entries_[at] = entries_[at + 1];
  entries_[at] = entry;
}

void CompletionQueue::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return b.before(a); });
  for (const Entry& entry : entries_) position_[entry.job] = kSorted;
  sorted_ = true;
}

// ---- a heap, the next one first

void CompletionQueue::make_heap() {
  std::reverse(entries_.begin(), entries_.end());
  for (std::size_t at = 0; at < entries_.size(); ++at) put(at, entries_[at]);
  sorted_ = false;
}

void CompletionQueue::place_in_heap(const Entry& entry) {
  std::size_t at = position_[entry.job];
  if (at == kAbsent) {
    at = entries_.size();
    entries_.emplace_back();
    put(at, entry);
    up(at);
    return;
  }
  entries_[at] = entry;
  up(at);
  down(position_[entry.job]);
}

void CompletionQueue::remove_from_heap(std::size_t at) {
  const Entry last = entries_.back();
  entries_.pop_back();
  if (at == entries_.size()) return;
  // The last entry nearly always belongs at the bottom: the gap goes there at once, and the entry up from there, which
  // spares to compare it on the way down with no way to foretell where it stops.
  for (std::size_t child = 2 * at + 1; child < entries_.size(); child = 2 * at + 1) {
    if (child + 1 < entries_.size()) child += entries_[child + 1].before(entries_[child]) ? 1 : 0;
    put(at, entries_[child]);
    at = child;
  }
  put(at, last);
  up(at);
}

void CompletionQueue::up(std::size_t at) {
  const Entry entry = entries_[at];
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!entry.before(entries_[parent])) break;
    put(at, entries_[parent]);
    at = parent;
  }
  put(at, entry);
}

void CompletionQueue::down(std::size_t at) {
  const Entry entry = entries_[at];
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= entries_.size()) break;
    if (child + 1 < entries_.size()) child += entries_[child + 1].before(entries_[child]) ? 1 : 0;
    if (!entries_[child].before(entry)) break;
    put(at, entries_[child]);
    at = child;
  }
  put(at, entry);
}

}  // namespace dfrs::sim
