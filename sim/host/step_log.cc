// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/step_log.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dfrs::sim {

void StepLog::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  nlohmann::ordered_json line;
  line["t"] = view.now;
  for (const Event& event : events) {
    if (event.kind == EventKind::resync) continue;
    const char* member = event.kind == EventKind::completed   ? "completed"
                         : event.kind == EventKind::submitted ? "submitted"
                                                              : "changed";
    line[member].push_back(view.jobs[event.job].id);
  }
  for (const Decision& decision : decisions.placements) {
    const JobId id = view.jobs[decision.job].id;
    const char* member = "paused";
    switch (decision.kind) {
      case DecisionKind::pause:
        line[member].push_back(id);
        continue;
      case DecisionKind::move:
        member = "moved";
        break;
      case DecisionKind::resume:
        member = "resumed";
        break;
      case DecisionKind::start:
        member = "started";
        break;
    }
    line[member][std::to_string(id)] = decisions.nodes_of(decision);
  }
  for (const YieldChange& change : decisions.yields) {
    line["yields"][std::to_string(view.jobs[change.job].id)] = change.yield;
  }
  if (!origin_.is_null()) line["origin"] = std::exchange(origin_, nullptr);
  // An error is that of failure() and commit().
  (void)output_->write(line.dump());
  (void)output_->write("\n");
}

}  // namespace dfrs::sim
