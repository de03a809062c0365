// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/fit_list.h"

#include <algorithm>
#include <limits>

namespace dfrs {
namespace {

// The requirement of a spent entry, which fits nowhere.
constexpr double kSpent = std::numeric_limits<double>::infinity();

}  // namespace

void FitList::clear(std::size_t dims) {
  if (levels_.empty()) levels_.emplace_back();
  levels_[0].least.clear();
  dims_ = dims;
  size_ = 0;
}

void FitList::push(const Amounts& required) {
  levels_[0].least.insert(levels_[0].least.end(), required.begin(),
                          required.begin() + static_cast<std::ptrdiff_t>(dims_));
  ++size_;
}

void FitList::finish() {
  head_ = 0;
  depth_ = 1;
  levels_[0].count = size_;
  while (levels_[depth_ - 1].count > kBlock) {
    if (levels_.size() == depth_) levels_.emplace_back();
    Level& level = levels_[depth_];
    level.count = (levels_[depth_ - 1].count + kBlock - 1) / kBlock;
    level.least.resize(level.count * dims_);
    for (std::size_t block = 0; block < level.count; ++block) summarize(depth_, block);
    ++depth_;
  }
}

bool FitList::summarize(std::size_t level, std::size_t block) {
  const Level& below = levels_[level - 1];
  const double* amounts = below.least.data() + block * kBlock * dims_;
  Amounts least;
  std::copy_n(amounts, dims_, least.begin());
  for (std::size_t k = block * kBlock + 1; k < std::min((block + 1) * kBlock, below.count); ++k) {
    amounts += dims_;
    for (std::size_t d = 0; d < dims_; ++d) least[d] = std::min(least[d], amounts[d]);
  }
  double* sum = levels_[level].least.data() + block * dims_;
  bool changed = false;
  for (std::size_t d = 0; d < dims_; ++d) {
    changed = changed || sum[d] != least[d];
    sum[d] = least[d];
  }
  return changed;
}

void FitList::spend(std::size_t entry) {
  std::fill_n(levels_[0].least.data() + entry * dims_, dims_, kSpent);
  while (head_ < size_ && levels_[0].least[head_ * dims_] == kSpent) ++head_;
  std::size_t block = entry;
  for (std::size_t level = 1; level < depth_; ++level) {
    block /= kBlock;
    if (!summarize(level, block)) break;
  }
}

}  // namespace dfrs
