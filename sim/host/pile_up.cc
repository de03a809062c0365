// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/pile_up.h"

namespace dfrs::sim {

PileUpGuard::Finding PileUpGuard::judge(std::size_t jobs, std::size_t ended, std::uint64_t changes) {
  const std::size_t came = jobs + ended;
  if (jobs == many_ / 2 + 1) {
    before_ = came;
    changes_ = changes;
  }
  if (jobs <= many_) return Finding::usual;
  changes_per_job_ = static_cast<double>(changes - changes_) / static_cast<double>(came - before_);
  many_ *= 2;
  before_ = came;
  changes_ = changes;
  return changes_per_job_ > static_cast<double>(kChangesPerJob) ? Finding::runs_away : Finding::many;
}

}  // namespace dfrs::sim
