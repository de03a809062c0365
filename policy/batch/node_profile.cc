// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/node_profile.h"

#include <algorithm>
#include <bit>

namespace dfrs {

void NodeProfile::reset(Seconds begin, std::size_t nodes) {
  words_ = (nodes + 63) / 64;
  time_.assign(1, begin);
  free_.assign(words_, 0);
}

std::size_t NodeProfile::step_at(Seconds t) const {
  const auto after = std::upper_bound(time_.begin(), time_.end(), t);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - time_.begin() - 1));
}

std::size_t NodeProfile::split_at(Seconds t) {
  const std::size_t step = step_at(t);
  if (time_[step] == t) return step;
  time_.insert(time_.begin() + static_cast<std::ptrdiff_t>(step) + 1, t);
  const auto row = static_cast<std::ptrdiff_t>((step + 1) * words_);
  free_.insert(free_.begin() + row, words_, 0);
  std::copy_n(free_.begin() + row - static_cast<std::ptrdiff_t>(words_), words_, free_.begin() + row);
  return step + 1;
}

void NodeProfile::release(NodeIndex n, Seconds from) {
  if (from == kNever) return;
  for (std::size_t step = split_at(from); step < time_.size(); ++step) {
    free_[step * words_ + n / 64] |= std::uint64_t{1} << (n % 64);
  }
}

void NodeProfile::take(Seconds from, Seconds to, std::span<const NodeIndex> nodes) {
  const std::size_t first = split_at(from);
  const std::size_t end = to == kNever ? time_.size() : split_at(to);
  for (std::size_t step = first; step < end; ++step) {
    for (const NodeIndex n : nodes) free_[step * words_ + n / 64] &= ~(std::uint64_t{1} << (n % 64));
  }
}

bool NodeProfile::free_at(NodeIndex n, Seconds t) const {
  return (free_[step_at(t) * words_ + n / 64] >> (n % 64) & 1) != 0;
}

Seconds NodeProfile::earliest_start(Seconds not_before, Seconds duration, std::span<const std::uint32_t> tasks_on,
                                    std::uint32_t tasks, std::vector<NodeIndex>& chosen) const {
  for (std::size_t from = step_at(std::max(not_before, time_.front())); from < time_.size(); ++from) {
    const Seconds start = std::max(not_before, time_[from]);
    common_.assign(free_.begin() + static_cast<std::ptrdiff_t>(from * words_),
                   free_.begin() + static_cast<std::ptrdiff_t>((from + 1) * words_));
    for (std::size_t step = from + 1; step < time_.size() && time_[step] < start + duration; ++step) {
      for (std::size_t w = 0; w < words_; ++w) common_[w] &= free_[step * words_ + w];
    }
    chosen.clear();
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t bits = common_[w]; bits != 0 && chosen.size() < tasks; bits &= bits - 1) {
        const auto n = static_cast<NodeIndex>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        chosen.insert(chosen.end(), std::min<std::size_t>(tasks_on[n], tasks - chosen.size()), n);
      }
    }
    if (chosen.size() == tasks) return start;
  }
  chosen.clear();
  return kNever;
}

}  // namespace dfrs
