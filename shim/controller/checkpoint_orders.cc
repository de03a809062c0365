// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/checkpoint_orders.h"

namespace dfrs::shim {

using Phase = Checkpointing::Phase;

std::optional<CheckpointOrder> checkpoint_order(const Job& job, const Config& config) {
  const Checkpointing& state = job.checkpointing;
  CheckpointOrder order{
      state.attempt, CheckpointPhase::kResume, state.run, job.user, config.checkpoint_folder.value_or("/"),
      state.programs};
  switch (state.phase) {
    case Phase::none:
      return std::nullopt;
    case Phase::freezing:
      order.phase = CheckpointPhase::kFreeze;
      break;
    case Phase::dumping:
    case Phase::complete:
      order.phase = CheckpointPhase::kDump;
      break;
    case Phase::resuming:
      break;
  }
  return order;
}

std::optional<CheckpointOrder> last_checkpoint_order(const Job& job, const Config& config) {
  const Checkpointing& state = job.checkpointing;
  if (state.attempt == 0 || state.run + 1 != job.restarts) return std::nullopt;
  return CheckpointOrder{state.attempt, state.last_word, state.run, job.user, config.checkpoint_folder.value_or("/"),
                         state.programs};
}

}  // namespace dfrs::shim
