// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/lanes.h"

#include <algorithm>
#include <cmath>

namespace dfrs::triage {

NodeIndex lane_end(const DecisionContext& context, JobSlot slot) {
  const JobView& job = context.job(slot);
  const auto count = static_cast<NodeIndex>(context.state.node_count());
  if (!context.knows() || job.pauses != Pauses::none || (job.flags.may_not_move && !job.nodes.empty())) return count;
  const Seconds from = kLaneFrom * context.options.time_scale;
  const Seconds run_time = std::max(context.run_time_of(slot), from);
  const double part = std::min(1.0, std::log(run_time / from) / std::log(kLaneTo / kLaneFrom));
  if (part == 0) return count;
  double suited = 0;
  for (NodeIndex n = 0; n < count; ++n) suited += context.state.room_alone(job, n) > 0 ? 1 : 0;
  const double nodes = std::ceil(suited * (1 - kLanePart * part));
  double taken = 0;
  std::uint64_t room = 0;
  for (NodeIndex n = 0; n < count; ++n) {
    if (taken >= nodes && room >= job.tasks) return n;
    const std::uint32_t here = context.state.room_alone(job, n);
    taken += here > 0 ? 1 : 0;
    room += here;
  }
  return count;
}

}  // namespace dfrs::triage
