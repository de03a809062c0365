// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/availability_profile.h"

#include <algorithm>

namespace dfrs {

void AvailabilityProfile::reset(Seconds begin, Processors free, std::span<const Release> releases) {
  heads_.clear();
  leaves_.clear();
  append(begin, free);
  for (const Release& release : releases) {
    if (release.time == kNever) break;
    free += release.processors;
    Leaf& last = leaves_.back();
    if (last.time[last.size - 1] == release.time) {
      last.free[last.size - 1] = free;
    } else {
      append(release.time, free);
    }
  }
  for (Head& head : heads_) summarize(head);
}

std::size_t AvailabilityProfile::steps() const {
  std::size_t count = 0;
  for (const Leaf& leaf : leaves_) count += leaf.size;
  return count;
}

// Appends a step. Leaves are filled to three quarters only, to leave room for later splits.
void AvailabilityProfile::append(Seconds time, Processors free) {
  if (leaves_.empty() || leaves_.back().size >= kLeaf * 3 / 4) {
    heads_.push_back({time, 0, free, free, static_cast<std::uint32_t>(leaves_.size())});
    leaves_.emplace_back();
  }
  Leaf& leaf = leaves_.back();
  leaf.time[leaf.size] = time;
  leaf.free[leaf.size] = free;
  ++leaf.size;
}

// The last head that begins at or before t; the first if none does.
std::size_t AvailabilityProfile::head_at(Seconds t) const {
  const auto after =
      std::upper_bound(heads_.begin(), heads_.end(), t, [](Seconds at, const Head& head) { return at < head.first; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - heads_.begin() - 1));
}

// The last step of the leaf that begins at or before t; the first if none does.
std::size_t AvailabilityProfile::step_at(const Leaf& leaf, Seconds t) {
  const Seconds* const first = leaf.time.data();
  const Seconds* const after = std::upper_bound(first, first + leaf.size, t);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - first - 1));
}

Seconds AvailabilityProfile::earliest_start(Seconds not_before, Seconds duration, Processors width) const {
  Seconds start = std::max(not_before, begin());
  Seconds end = start + duration;
  bool blocked = false;  // the last candidate failed: the next step with enough processors is the new one
  std::size_t h = head_at(start);
  std::size_t k = step_at(leaves_[heads_[h].leaf], start);
  for (; h < heads_.size(); ++h, k = 0) {
    const Head& head = heads_[h];
    if (!blocked && k == 0 && head.first >= end) return start;
    if (blocked ? head.most < width : head.least >= width) continue;
    const Leaf& leaf = leaves_[head.leaf];
    const Processors needed = width - head.delta;
    for (; k < leaf.size; ++k) {
      if (blocked) {
        if (leaf.free[k] < needed) continue;
        blocked = false;
        start = leaf.time[k];
        end = start + duration;
      } else if (leaf.free[k] < needed) {
        if (leaf.time[k] >= end) return start;
        blocked = true;
      }
    }
  }
  return blocked ? kNever : start;
}

Processors AvailabilityProfile::free_at(Seconds t) const {
  const Head& head = heads_[head_at(t)];
  const Leaf& leaf = leaves_[head.leaf];
  return leaf.free[step_at(leaf, t)] + head.delta;
}

void AvailabilityProfile::summarize(Head& head) const {
  const Leaf& leaf = leaves_[head.leaf];
  Processors least = leaf.free[0];
  Processors most = leaf.free[0];
  for (std::size_t k = 1; k < leaf.size; ++k) {
    least = std::min(least, leaf.free[k]);
    most = std::max(most, leaf.free[k]);
  }
  head.least = least + head.delta;
  head.most = most + head.delta;
}

// Makes a step begin at t. Returns its head and, in `step`, its index in the leaf.
std::size_t AvailabilityProfile::split_at(Seconds t, std::size_t& step) {
  std::size_t h = head_at(t);
  step = step_at(leaves_[heads_[h].leaf], t);
  if (leaves_[heads_[h].leaf].time[step] == t) return h;
  if (leaves_[heads_[h].leaf].size == kLeaf) {
    constexpr std::size_t kHalf = kLeaf / 2;
    leaves_.emplace_back();
    Leaf& low = leaves_[heads_[h].leaf];
    Leaf& high = leaves_.back();
    std::copy(low.time.begin() + kHalf, low.time.end(), high.time.begin());
    std::copy(low.free.begin() + kHalf, low.free.end(), high.free.begin());
    low.size = kHalf;
    high.size = kLeaf - kHalf;
    Head upper = heads_[h];
    upper.first = high.time[0];
    upper.leaf = static_cast<std::uint32_t>(leaves_.size() - 1);
    heads_.insert(heads_.begin() + static_cast<std::ptrdiff_t>(h) + 1, upper);
    summarize(heads_[h]);
    summarize(heads_[h + 1]);
    if (step >= kHalf) {
      ++h;
      step -= kHalf;
    }
  }
  Leaf& leaf = leaves_[heads_[h].leaf];
  const std::size_t at = step + 1;
  std::copy_backward(leaf.time.begin() + at, leaf.time.begin() + leaf.size, leaf.time.begin() + leaf.size + 1);
  std::copy_backward(leaf.free.begin() + at, leaf.free.begin() + leaf.size, leaf.free.begin() + leaf.size + 1);
  leaf.time[at] = t;
  leaf.free[at] = leaf.free[step];
  ++leaf.size;
  step = at;
  return h;
}

void AvailabilityProfile::add(Seconds from, Seconds to, Processors amount) {
  std::size_t step = 0;
  if (to < kNever) split_at(to, step);  // before `from`: a split moves later steps only
  std::size_t h = split_at(from, step);
  for (; h < heads_.size() && heads_[h].first < to; ++h, step = 0) {
    Head& head = heads_[h];
    Leaf& leaf = leaves_[head.leaf];
    const std::size_t end =
        leaf.time[leaf.size - 1] < to
            ? leaf.size
            : static_cast<std::size_t>(std::lower_bound(leaf.time.begin(), leaf.time.begin() + leaf.size, to) -
                                       leaf.time.begin());
    if (step == 0 && end == leaf.size) {
      head.delta += amount;
      head.least += amount;
      head.most += amount;
      continue;
    }
    for (std::size_t k = step; k < end; ++k) leaf.free[k] += amount;
    summarize(head);
  }
}

}  // namespace dfrs
