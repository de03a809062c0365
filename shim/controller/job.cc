// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/job.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfrs::shim {

tl::expected<void, std::string> check_job(const Job& job) {
  const auto broken = [&](const char* what) {
    return tl::unexpected<std::string>(fmt::format("job {}: {}", job.id, what));
  };
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  const bool holds_nodes = job.running() || job.facts.phase == DFRS_JOB_SUSPENDED;
  if (job.in_engine() != (job.policy.slot != kNoSlot)) return broken("slot and desired state disagree");
  if (job.desired.state != DesiredState::running && !job.desired.nodes.empty()) {
    return broken("it has desired nodes, but is not desired to run");
  }
  if (!std::is_sorted(job.desired.nodes.begin(), job.desired.nodes.end())) {
    return broken("its desired nodes are not in order");
  }
  if (!holds_nodes && !job.facts.nodes.empty()) return broken("it has nodes, but neither runs nor is suspended");
  if (!std::is_sorted(job.facts.nodes.begin(), job.facts.nodes.end())) return broken("its nodes are not in order");
  if (!is_share(job.desired.yield) || !is_share(job.progress.granted_yield)) return broken("a yield is not in [0, 1]");
  if (!job.running() && job.progress.clock.rate != 0) return broken("its clock runs, but it does not");
  return {};
}

}  // namespace dfrs::shim
